"""Columns say what the reference evaluator says of each row, and go on saying it when merged."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.bits import to_mask
from plait.columns import Columns, building
from plait.columns.building import MOST
from plait.filters import Condition, Filter
from plait.storage import MemoryArrays

KEYS = st.sampled_from(["a", "b", "c", "a.b", "b.c", "a.b.c", ""])
FIELDS = st.sampled_from(["a", "b", "c", "a.b", "b.c", "a.b.c", "a.a", "x", "a.", "b.a.c"])
SCALARS = st.one_of(
    st.sampled_from(["", "x", "y", "é", "\U0001f600", "\ue000", "0", "1"]),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        [2**53, 2**53 + 1, -(2**53) - 1, 10**30, 10**30 + 1, -(10**30), 10**310, 2**64 - 1]
    ),
    st.sampled_from([0.0, -0.0, 0.5, -0.5, 1e30, 1e300, 2.0**53, 2.0**53 + 2, 2.0**64]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
METADATA = st.lists(st.dictionaries(KEYS, VALUES, max_size=4), max_size=70)
TESTS: st.SearchStrategy[Any] = st.one_of(
    SCALARS,
    st.fixed_dictionaries({"$exists": st.booleans()}),
    st.builds(
        lambda name, value: {name: value},
        st.sampled_from(["$eq", "$ne", "$contains"]),
        SCALARS,
    ),
    st.builds(
        lambda name, value: {name: value},
        st.sampled_from(["$gt", "$gte", "$lt", "$lte"]),
        SCALARS.filter(lambda value: not isinstance(value, bool)),
    ),
    st.builds(
        lambda name, values: {name: values},
        st.sampled_from(["$in", "$nin"]),
        st.lists(SCALARS, max_size=3),
    ),
)
FILTERS: st.SearchStrategy[Any] = st.recursive(
    st.dictionaries(FIELDS, TESTS, max_size=2),
    lambda inner: st.one_of(
        st.builds(
            lambda name, children: {name: children},
            st.sampled_from(["$and", "$or"]),
            st.lists(inner, max_size=3),
        ),
        st.builds(lambda child: {"$not": child}, inner),
    ),
    max_leaves=4,
)


ROOM = st.sampled_from([0, 1, 2, 4, MOST])
"""For how many paths there are columns."""


def columns_of(metadata: list[dict[str, Any]], room: int = MOST) -> Columns:
    with patch.object(building, "MOST", room):
        arrays = Columns.build(json.dumps(each) for each in metadata)
    return Columns(MemoryArrays(arrays), len(metadata))


def passing(columns: Columns, keep: Filter, size: int) -> list[bool]:
    return to_mask(columns.passing(keep), size).tolist()


@settings(max_examples=200)
@given(METADATA, FILTERS, ROOM)
def test_they_say_what_the_reference_says(
    metadata: list[dict[str, Any]], given: Any, room: int
) -> None:
    keep = Filter.parse(given)
    assert keep is not None
    expected = [keep.matches(each) for each in metadata]
    assert passing(columns_of(metadata, room), keep, len(metadata)) == expected


@given(METADATA)
def test_they_count_the_rows_that_have_a_field(metadata: list[dict[str, Any]]) -> None:
    fields = columns_of(metadata).fields()
    assert 0 not in fields.values()
    for name in {*fields, "a", "a.b", "a.b.c", "b.c.a", "x"}:
        has_it = Condition(name, "$exists", operand=True)
        assert fields.get(name, 0) == sum(map(has_it.matches, metadata)), name


@given(METADATA, METADATA, FILTERS, ROOM, ROOM, st.randoms(use_true_random=False))
def test_merged_they_say_the_same(
    first: list[dict[str, Any]],
    second: list[dict[str, Any]],
    given: Any,
    room: int,
    merged_room: int,
    random: Any,
) -> None:
    keep = Filter.parse(given)
    assert keep is not None
    places = [(0, row) for row in range(len(first))] + [(1, row) for row in range(len(second))]
    random.shuffle(places)
    kept = places[: len(places) * 2 // 3]
    source = np.array([part for part, _ in kept], dtype=np.int32)
    ordinal = np.array([row for _, row in kept], dtype=np.int64)
    with patch.object(building, "MOST", merged_room):
        parts = [columns_of(first, room), columns_of(second)]
        arrays = Columns.merge(parts, source, ordinal)
    merged = Columns(MemoryArrays(arrays), len(kept))
    expected = [keep.matches((first, second)[part][row]) for part, row in kept]
    assert passing(merged, keep, len(kept)) == expected
    if room == merged_room == MOST:
        anew = columns_of([(first, second)[part][row] for part, row in kept])
        assert merged.fields() == anew.fields()
