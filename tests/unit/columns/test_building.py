"""What is written: codes, dictionaries, lists, and paths without a column."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from plait.columns import building
from plait.columns.building import Level, build
from plait.columns.codes import FALSE, FIRST, MAPPING, NULL, TRUE, meanings, smallest


def built(*metadata: dict[str, Any]) -> dict[str, list[Any]]:
    arrays = build(map(json.dumps, metadata), "c")
    return {name: array.tolist() for name, array in arrays.items()}


def text(octets: list[int]) -> str:
    return bytes(octets).decode()


def test_values_of_a_kind_ascend_whatever_the_order_of_rows() -> None:
    made = built({"a": "zoë"}, {"a": 2.5}, {"a": "ant"}, {"a": True}, {"a": -1}, {"a": 2**53 + 1})
    assert text(made["c.0.texts.blob"]) == "antzoë"
    assert made["c.0.numbers"] == [-1.0, 2.5]
    assert text(made["c.0.integers.blob"]) == "+0000000e20000000000001"
    ant, zoe, minus_one, more, great = range(FIRST, FIRST + 5)
    assert made["c.0.codes"] == [zoe, more, ant, TRUE, minus_one, great]


def test_rows_without_the_field_have_no_code_and_null_is_not_a_value() -> None:
    made = built({"a": None}, {}, {"a": False}, {"a": {"b": 1}})
    assert json.loads(text(made["c.paths"])) == [["a"], ["a", "b"]]
    assert made["c.0.codes"] == [NULL, 0, FALSE, MAPPING]
    assert made["c.1.codes"] == [0, 0, 0, FIRST]


def test_equal_numbers_have_one_code() -> None:
    made = built({"a": 1}, {"a": 1.0}, {"a": True}, {"a": 0.0}, {"a": -0.0})
    assert made["c.0.numbers"] == [0.0, 1.0]
    assert made["c.0.codes"] == [FIRST + 1, FIRST + 1, TRUE, FIRST, FIRST]


def test_lists_are_kept_once_by_the_codes_of_their_items() -> None:
    made = built({"a": ["y", "x"]}, {"a": []}, {"a": "y"}, {"a": ["y", "x"]}, {"a": ["x", False]})
    x, y, pair, empty, mixed = range(FIRST, FIRST + 5)
    assert made["c.0.items"] == [y, x, x, FALSE]
    assert made["c.0.lists"] == [0, 2, 2, 4]
    assert made["c.0.codes"] == [pair, empty, y, pair, mixed]


def test_mappings_in_lists_are_rows_of_their_own() -> None:
    made = built(
        {"a": [{"b": 1}, "x", {"b": 2, "c": 3}]}, {"a": ["x"]}, {"a": [{"c": 3}]}, {"a": [{"c": 3}]}
    )
    two, other, none = range(FIRST + 1, FIRST + 4)
    assert made["c.0.codes"] == [two, none, other, other]
    assert made["c.0.owners"] == [0, 0, 1]
    assert json.loads(text(made["c.0.inner.paths"])) == [["b"], ["c"]]
    assert made["c.0.inner.0.codes"] == [FIRST, FIRST + 1, 0]
    assert made["c.0.inner.1.codes"] == [0, FIRST, FIRST]


def test_no_field_reaches_below_a_key_with_a_dot_so_nothing_is_kept_there() -> None:
    made = built({"a.b": {"c": "hidden"}}, {"a.b": [{"c": "hidden"}]})
    assert json.loads(text(made["c.paths"])) == [["a.b"]]
    assert made["c.0.codes"] == [MAPPING, FIRST]
    assert "c.0.owners" not in made


def test_a_field_that_few_rows_have_is_a_list_of_rows() -> None:
    made = built(*[{}] * 9, {"a": "x"}, *[{}] * 9, {"a": "y"})
    assert made["c.0.rows"] == [9, 19]
    assert made["c.0.codes"] == [FIRST, FIRST + 1]


def test_rows_of_equal_metadata_are_the_same_in_several_batches() -> None:
    metadata = [{"a": number % 3, "b": "x"} for number in range(10)]
    whole = built(*metadata)
    with patch.object(building, "_BATCH", 4):
        assert built(*metadata) == whole
    assert whole["c.0.codes"] == [FIRST + number % 3 for number in range(10)]


def test_paths_beyond_those_with_columns_are_loose() -> None:
    with patch.object(building, "MOST", 1):
        made = built({"a": 1, "c": "x"}, {"b": [True]}, {"c": {"d": 2}})
    assert json.loads(text(made["c.paths"])) == [["a"]]
    assert text(made["c.loose.paths.blob"]) == '["b"]["c", "d"]["c"]'
    assert made["c.loose.starts"] == [0, 1, 2, 4]
    assert made["c.loose.rows"] == [1, 2, 0, 2]
    assert text(made["c.loose.texts"]) == '[true]2"x"{}'
    assert made["c.loose.ends"] == [0, 6, 7, 10, 12]


def test_nothing_is_built_of_no_rows() -> None:
    assert built() == {"c.paths": list(b"[]")}
    assert Level().arrays("c").keys() == {"c.paths"}


def test_codes_are_as_wide_as_the_highest_of_them() -> None:
    arrays = build((json.dumps({"a": f"{row:04}"}) for row in range(300)), "c")
    assert arrays["c.0.codes"].dtype == np.uint16
    assert arrays["c.0.codes"].tolist() == list(range(FIRST, FIRST + 300))


@pytest.mark.parametrize(
    ("highest", "expected"),
    [(0, "|u1"), (255, "|u1"), (256, "<u2"), (65535, "<u2"), (65536, "<u4"), (2**32, "<u8")],
)
def test_the_smallest_dtype_holds_the_highest_code(highest: int, expected: str) -> None:
    assert smallest(highest) == expected
    assert np.iinfo(smallest(highest)).max >= highest


def test_a_field_may_be_under_its_name_or_part_by_part() -> None:
    assert list(meanings("a")) == [(("a",), None)]
    assert list(meanings("a.b.c")) == [
        (("a.b.c",), None),
        (("a",), "b.c"),
        (("a", "b.c"), None),
        (("a", "b"), "c"),
        (("a", "b", "c"), None),
    ]
