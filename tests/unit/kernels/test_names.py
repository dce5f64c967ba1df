"""Strings brought together and merged, compiled and in Python alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.names import merge, put


@pytest.fixture(params=["compiled", "numpy"])
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def table(strings: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    text = np.frombuffer(b"".join(strings), dtype=np.uint8)
    return text, np.cumsum([0, *map(len, strings)], dtype=np.uint64)


def merged(tables: list[list[bytes]], picked: list[list[int]]) -> list[tuple[int, int, bool]]:
    places = [np.array(each, dtype=np.int64) for each in picked]
    found = merge([table(each) for each in tables], places)
    assert [each.dtype for each in found] == [np.int32, np.int64, np.bool_]
    return list(zip(*(each.tolist() for each in found), strict=True))


@pytest.mark.usefixtures("kernels")
class TestMerge:
    def test_by_hand(self) -> None:
        tables = [[b"a", b"ab", b"c"], [b"", b"ab", b"b"], [b"ab", b"z"]]
        assert merged(tables, [[0, 1, 2], [0, 1, 2], [0]]) == [
            (1, 0, True),  # the empty one
            (0, 0, True),
            (0, 1, True),  # ab three times, in the order of the tables
            (1, 1, False),
            (2, 0, False),
            (1, 2, True),
            (0, 2, True),
        ]

    def test_only_what_is_picked(self) -> None:
        tables = [[b"a", b"b", b"c"], [b"a", b"b"]]
        assert merged(tables, [[2], []]) == [(0, 2, True)]
        assert merged(tables, [[1], [0, 1]]) == [(1, 0, True), (0, 1, True), (1, 1, False)]

    def test_none(self) -> None:
        assert merged([], []) == []
        assert merged([[], [b"a"]], [[], []]) == []

    def test_bytes_are_not_signed(self) -> None:
        assert merged([[b"\xff"], [b"\x7f"]], [[0], [0]]) == [(1, 0, True), (0, 0, True)]


@given(st.lists(st.sets(st.binary(max_size=3), max_size=8), max_size=5), st.data())
def test_both_merge_as_sorting_does(given_tables: list[set[bytes]], data: st.DataObject) -> None:
    tables = [sorted(each) for each in given_tables]
    picked = [
        sorted(data.draw(st.sets(st.sampled_from(range(len(each)))))) if each else []
        for each in tables
    ]
    expected = sorted(
        (tables[number][place], number, place)
        for number, places in enumerate(picked)
        for place in places
    )
    found = merged(tables, picked)
    assert [(tables[number][place], number, place) for number, place, _ in found] == expected
    seen: set[bytes] = set()
    for number, place, fresh in found:
        assert fresh == (tables[number][place] not in seen)
        seen.add(tables[number][place])
    with native.without():
        assert merged(tables, picked) == found


@pytest.mark.usefixtures("kernels")
def test_put() -> None:
    text, _ = table([b"ant", b"", b"bee"])
    into = np.frombuffer(bytearray(b"......."), dtype=np.uint8)
    places = [np.array(each, dtype=np.uint64) for each in ([3, 3, 0], [3, 0, 2], [4, 4, 1])]
    put(text, *places, into)
    assert into.tobytes() == b".an.bee"
