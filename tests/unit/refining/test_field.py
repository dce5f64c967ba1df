"""The value of a field: of the chunk, or of its metadata."""

import pytest

from plait.refining.field import value_of
from plait.types import Chunk

CHUNK = Chunk(
    "text",
    document_id="doc",
    page=0,
    metadata={"page": 7, "a.b": "whole", "a": {"b": "part", "c": {"d": [1, 2]}}, "flag": False},
)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("document_id", "doc"),
        ("page", 0),
        ("a.b", "whole"),
        ("a.c.d", [1, 2]),
        ("flag", False),
    ],
)
def test_values(field, value):
    found = value_of(CHUNK, field)
    assert found[1] == value
    assert hash(found) is not None


@pytest.mark.parametrize("field", ["title", "lang", "a.x", "a.b.c", "a.c.d.0"])
def test_none_where_there_is_none(field):
    assert value_of(CHUNK, field) is None


def test_a_bool_is_not_a_number():
    one, true = (value_of(Chunk("", metadata={"x": x}), "x") for x in (1, True))
    assert one != true
    assert one == value_of(Chunk("", metadata={"x": 1.0}), "x")
