"""Columns: filters over metadata that a segment holds; values worked out by hand."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from plait.bits import of_mask, ordinals
from plait.columns import Columns, building, columns
from plait.errors import IndexFormatError
from plait.filters import Filter
from plait.storage import ArrayFile, Files, MemoryArrays, write_arrays

GREAT = 2**53  # from here on not every int has a float
METADATA: list[dict[str, Any]] = [
    {"lang": "en", "year": 2023, "tags": ["a", "b"], "meta": {"at": "2024-01-01", "ok": True}},
    {"lang": "de", "year": 2024.5, "tags": [], "people": [{"name": "Ann", "age": 40}]},
    {"lang": 1, "year": "2024", "tags": "a", "people": [{"name": "Bob"}, {"age": 40}]},
    {"lang": True, "year": GREAT, "meta.at": "flat", "meta": {"at": "nested"}},
    {"year": GREAT + 1, "tags": [1, True, {"a": 2}], "people": [{"name": ["Ann", "Eve"]}]},
    {"year": [GREAT + 3, 10**400], "meta": {"at": ["x", 3], "deep": {"er": 0}}},
    {},
]


@pytest.fixture(params=[0, 3, building.MOST])
def held(request: pytest.FixtureRequest) -> Columns:
    """With columns for no path, some, and all of them."""
    return columns_of(METADATA, request.param)


def columns_of(metadata: list[dict[str, Any]], room: int = building.MOST) -> Columns:
    with patch.object(building, "MOST", room):
        arrays = Columns.build(map(json.dumps, metadata))
    return Columns(MemoryArrays(arrays), len(metadata))


def passing(held: Columns, given: Any) -> list[int]:
    keep = Filter.parse(given)
    assert keep is not None
    return ordinals(held.passing(keep)).tolist()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"lang": "en"}, [0]),
        ({"lang": 1}, [2]),
        ({"lang": True}, [3]),
        ({"lang": {"$ne": "en"}}, [1, 2, 3, 4, 5, 6]),
        ({"lang": {"$in": ["de", True, "xx"]}}, [1, 3]),
        ({"lang": {"$in": []}}, []),
        ({"lang": {"$nin": ["de", True]}}, [0, 2, 4, 5, 6]),
        ({"lang": {"$gt": "de"}}, [0]),
        ({"lang": {"$gte": "d"}}, [0, 1]),
        ({"lang": {"$lte": "de"}}, [1]),
        ({"lang": {"$lt": 2}}, [2]),
        ({"year": {"$gte": 2023, "$lt": 2025}}, [0, 1]),
        ({"year": {"$gt": GREAT}}, [4, 5]),
        ({"year": {"$gte": GREAT + 1}}, [4, 5]),
        ({"year": {"$lte": GREAT + 1}}, [0, 1, 3, 4]),
        ({"year": {"$gt": GREAT + 1}}, [5]),
        ({"year": GREAT}, [3]),
        ({"year": float(GREAT)}, [3]),
        ({"year": GREAT + 1}, [4]),
        ({"year": {"$in": [GREAT + 3, 2023]}}, [0, 5]),
        ({"year": {"$gt": 1e308}}, [5]),
        ({"tags": "a"}, [0, 2]),
        ({"tags": {"$contains": "a"}}, [0]),
        ({"tags": {"$contains": 1}}, [4]),
        ({"tags": True}, [4]),
        ({"tags": {"$exists": True}}, [0, 1, 2, 4]),
        ({"tags": {"$exists": False}}, [3, 5, 6]),
        ({"tags.a": 2}, [4]),
        ({"meta.at": {"$gte": "2024"}}, [0, 3, 5]),
        ({"meta.at": "nested"}, []),
        ({"meta.at": "flat"}, [3]),
        ({"meta.at": 3}, [5]),
        ({"meta": {"$exists": True}}, [0, 3, 5]),
        ({"meta.ok": True}, [0]),
        ({"meta.deep.er": {"$lte": 0}}, [5]),
        ({"people.name": "Ann"}, [1, 4]),
        ({"people.name": {"$contains": "Ann"}}, [4]),
        ({"people.age": 40}, [1, 2]),
        ({"people.age": {"$exists": False}}, [0, 3, 4, 5, 6]),
        ({"people.name": "Bob", "people.age": 40}, [2]),
        ({"$or": [{"lang": "en"}, {"people.name": "Eve"}]}, [0, 4]),
        ({"$not": {"$or": [{"lang": "en"}, {"year": {"$exists": True}}]}}, [6]),
        ({"$or": []}, []),
        ({}, [0, 1, 2, 3, 4, 5, 6]),
        ({"none.such.field": {"$ne": 1}}, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_rows_pass_by_hand(held: Columns, given: Any, expected: list[int]) -> None:
    assert passing(held, given) == expected
    assert [row for row, each in enumerate(METADATA) if matches(given, each)] == expected


def matches(given: Any, metadata: dict[str, Any]) -> bool:
    keep = Filter.parse(given)
    return keep is not None and keep.matches(metadata)


def test_fields_are_those_that_a_filter_can_name(held: Columns) -> None:
    found = held.fields()
    expected = {
        "lang": 4, "year": 6, "tags": 4, "tags.a": 1, "meta": 3, "meta.at": 3, "meta.ok": 1,
        "meta.deep": 1, "meta.deep.er": 1, "people": 3, "people.name": 3, "people.age": 2,
    }  # fmt: skip
    inside_lists = {"tags.a", "people.name", "people.age"}
    loose = {name: rows for name, rows in expected.items() if name not in inside_lists}
    assert found.items() <= expected.items()
    assert found.items() >= loose.items()


def test_bits_are_read_only_and_kept() -> None:
    held = columns_of(METADATA)
    keep = Filter.parse({"lang": "en"})
    assert keep is not None
    found = held.passing(keep)
    assert found.dtype == np.uint64
    assert not found.flags.writeable
    assert held.passing(Filter(keep.root)) is found


def test_no_more_filters_are_kept_than_said() -> None:
    held = columns_of(METADATA)
    with patch.object(columns, "_KEPT", 2):
        for year in range(5):
            assert passing(held, {"year": {"$gt": 2022 + year}})[-1] == 5
    assert len(held._kept) <= 2


def test_threads_may_ask_at_once() -> None:
    held = columns_of(METADATA)
    filters = [{"year": {"$gt": 2022 + number % 7}} for number in range(200)]
    expected = [[row for row, each in enumerate(METADATA) if matches(f, each)] for f in filters]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda given: passing(held, given), filters)) == expected


def test_columns_of_no_rows() -> None:
    held = columns_of([])
    assert passing(held, {"a": {"$ne": 1}}) == []
    assert held.fields() == {}


def test_a_merge_takes_rows_from_where_it_is_told() -> None:
    parts = [columns_of(METADATA[:4], 2), columns_of(METADATA[4:])]
    source, ordinal = np.array([1, 0, 0, 1], np.int32), np.array([1, 2, 0, 0])
    merged = Columns(MemoryArrays(Columns.merge(parts, source, ordinal)), 4)
    rows = [METADATA[5], METADATA[2], METADATA[0], METADATA[4]]
    for given in ({"lang": "en"}, {"year": {"$gt": 2022}}, {"people.name": "Ann"}, {"tags": "a"}):
        assert passing(merged, given) == [
            row for row, each in enumerate(rows) if matches(given, each)
        ]
    assert merged.fields() == columns_of(rows).fields()


@pytest.mark.parametrize("room", [0, building.MOST])
def test_a_value_that_no_row_has_any_more_is_gone(room: int) -> None:
    gone = {"a": "secret", "b": [1, "secret"], "secret": 1, "c": [{"d": "secret"}], "e": "secret"}
    kept = {"a": "open", "b": [1], "c": [{"d": "x"}], "e": {"f": "y"}}
    with patch.object(building, "MOST", room):
        part = columns_of([gone, kept], room)
        arrays = Columns.merge([part], np.zeros(1, np.int32), np.ones(1, np.int64))
        anew = Columns.build([json.dumps(kept)])
    assert arrays.keys() == anew.keys()
    for name, array in anew.items():
        assert arrays[name].tolist() == array.tolist(), name


def test_a_merge_of_merges_does_not_grow() -> None:
    arrays = Columns.build(map(json.dumps, METADATA))
    size = sum(array.nbytes for array in arrays.values())
    everything = np.arange(len(METADATA))
    for _ in range(3):
        part = Columns(MemoryArrays(arrays), len(METADATA))
        twice = np.concatenate([everything, everything])
        source = np.repeat([0, 1], len(METADATA)).astype(np.int32)
        doubled = Columns(MemoryArrays(Columns.merge([part, part], source, twice)), len(twice))
        arrays = Columns.merge([doubled], np.zeros(len(METADATA), np.int32), everything)
    assert sum(array.nbytes for array in arrays.values()) == size


def test_a_damaged_file_is_named_not_believed(tmp_path: Path) -> None:
    arrays = Columns.build(json.dumps({"a": f"text {row}", "b": [row]}) for row in range(3000))
    path = tmp_path / "columns"
    write_arrays(path, arrays, meta={}, files=Files())
    whole = path.read_bytes()
    filters = [{"a": "text 7"}, {"b": {"$gt": 2990}}]
    expected = [[7], list(range(2991, 3000))]
    first = whole.index(arrays["columns.paths"].tobytes())
    told = []
    for at in range(first, len(whole), 1009):
        path.unlink()  # the one before may still be mapped
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        try:
            held = Columns(ArrayFile(path), 3000)
            found = [passing(held, given) for given in filters]
        except IndexFormatError as error:
            told.append(error)
        else:  # what was changed did not matter to these filters
            assert found == expected
    assert told
    assert {error.path for error in told} == {str(path)}


def test_the_bits_are_those_of_the_mask_of_rows() -> None:
    metadata = [{"a": row % 3} for row in range(200)]
    keep = Filter.parse({"a": 1})
    assert keep is not None
    expected = of_mask(np.array([row % 3 == 1 for row in range(200)]))
    assert columns_of(metadata).passing(keep).tolist() == expected.tolist()
