"""Sorted strings in arrays: found and decoded, compiled and in Python alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from plait.errors import IndexFormatError
from plait.kernels import native
from plait.storage import ArrayFile, Files, MemoryArrays, Names, write_arrays


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def names_of(given: list[str]) -> Names:
    return Names(MemoryArrays(Names.build(given, "x")), "x")


def test_their_arrays() -> None:
    arrays = Names.build(["", "a", "zoë"], "x")
    assert arrays["x.blob"].tobytes() == b"azo\xc3\xab"
    assert arrays["x.blob"].dtype == np.uint8
    assert arrays["x.offsets"].tolist() == [0, 0, 1, 5]
    assert arrays["x.offsets"].dtype == np.uint64


def test_none() -> None:
    names = names_of([])
    assert len(names) == 0
    assert list(names) == []
    assert names.at(np.array([], dtype=np.int64)) == []
    assert names.locate(["a", ""]).tolist() == [-1, -1]
    assert names.bisect("a") == 0


def test_by_ordinals_of_any_kind() -> None:
    names = names_of(["", "ant", "bee", "zoë", "\U0001f600"])
    assert names.at(np.array([3, 0, 3, 1])) == ["zoë", "", "zoë", "ant"]
    assert names.at(np.array([1, 2], dtype=np.uint32)) == ["ant", "bee"]
    assert names.at(np.array([4], dtype=np.uint64)) == ["\U0001f600"]
    assert names.at(np.array([], dtype=np.uint32)) == []
    assert names.locate([]).tolist() == []
    for outside in (5, -1):
        with pytest.raises(IndexError):
            names.at(np.array([0, outside]))


def test_long_ones_together() -> None:
    given = [letter * 1000 for letter in "abc"]
    assert names_of(given).at(np.array([2, 0])) == [given[2], given[0]]


def test_the_order_is_that_of_bytes() -> None:
    # In UTF-16 the second would come first.
    names = names_of(["\uffff", "\U00010000"])
    assert names.locate(["\U00010000", "\uffff"]).tolist() == [1, 0]


def test_long_strings() -> None:
    names = names_of(["a" * 10_000, "b"])
    assert names.at(np.array([1, 0])) == ["b", "a" * 10_000]
    assert names.locate(["a" * 10_000, "a" * 9_999]).tolist() == [0, -1]


def test_many() -> None:
    given = [f"{n:06}" for n in range(0, 100_000, 2)]
    names = names_of(given)
    wanted = [f"{n:06}" for n in range(0, 100_000, 997)]
    expected = [n // 2 if n % 2 == 0 else -1 for n in range(0, 100_000, 997)]
    assert names.locate(wanted).tolist() == expected
    assert names.bisect("000005") == 3


def test_of_several_tables() -> None:
    parts = [names_of(["", "ant", "zoë"]), names_of(["ant", "bee"]), names_of([])]
    picked = [np.array([1, 2]), np.array([0, 1]), np.array([], dtype=np.int64)]
    source, ordinal, fresh = Names.order(parts, picked)
    assert source.tolist() == [0, 1, 1, 0]
    assert ordinal.tolist() == [1, 0, 1, 2]
    assert fresh.tolist() == [True, False, True, True]
    merged = Names.merge(parts, source[fresh], ordinal[fresh], "y")
    built = Names.build(["ant", "bee", "zoë"], "y")
    assert list(merged) == list(built)
    found = MemoryArrays(merged)
    for name, array in built.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    none = MemoryArrays(Names.merge(parts, source[:0], ordinal[:0], "y"))
    assert list(Names(none, "y")) == []


def test_of_several_tables_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [f"{n:03}" for n in range(100)]
    parts = [names_of(given[:30]), names_of(given[30:])]
    source = np.repeat(np.int32([0, 1]), [30, 70])
    ordinal = np.concatenate([np.arange(30), np.arange(70)])
    monkeypatch.setattr("plait.storage.names._PIECE", 11)
    merged = Names.merge(parts, source, ordinal, "y")
    assert [piece.tobytes() for piece in merged["y.blob"].pieces()][9:11] == [
        b"027028029",
        b"030031032",
    ]
    assert list(Names(MemoryArrays(merged), "y")) == given


@pytest.mark.parametrize("place", [4096, 4096 + 64])  # the blob, the offsets
def test_a_file_that_was_changed(tmp_path: Path, place: int) -> None:
    path = tmp_path / "x"
    write_arrays(path, Names.build(["ant", "bee"], "x"), meta={}, files=Files())
    names = Names(ArrayFile(path), "x")
    assert list(names) == names.at(np.array([0, 1])) == ["ant", "bee"]
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    for ask in (
        lambda names: names.at(np.array([0])),
        lambda names: names.locate(["ant"]),
        lambda names: names.bisect("ant"),
        list,
    ):
        with pytest.raises(IndexFormatError, match="was changed"):
            ask(Names(ArrayFile(path), "x"))
