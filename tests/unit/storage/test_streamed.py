"""Arrays that come in pieces: written as if they had been whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plait.storage import ArrayFile, Files, MemoryArrays, Streamed, write_arrays

NUMBERS = np.arange(70_000, dtype="<u4").reshape(-1, 2)  # begins with a block and fills many


def streamed(array: NDArray[Any], *, rows: int) -> Streamed:
    """The array in pieces of some rows."""
    return Streamed(
        array.dtype.str,
        array.shape,
        lambda: (array[at : at + rows] for at in range(0, len(array), rows)),
    )


def written(path: Path, arrays: dict[str, Any]) -> bytes:
    write_arrays(path, arrays, meta={"kind": "test"}, files=Files())
    return path.read_bytes()


@pytest.mark.parametrize("rows", [1, 511, 512, 513, 35_000, 100_000])
def test_the_file_is_that_of_the_whole_arrays(tmp_path: Path, rows: int) -> None:
    around = {"a": np.arange(5, dtype="<u8"), "z": np.float32([[1.5], [2.5]])}
    whole = written(tmp_path / "whole", {"a": around["a"], "n": NUMBERS, "z": around["z"]})
    parts = {"a": around["a"], "n": streamed(NUMBERS, rows=rows), "z": around["z"]}
    assert written(tmp_path / "parts", parts) == whole
    np.testing.assert_array_equal(ArrayFile(tmp_path / "parts").read("n"), NUMBERS)


def test_pieces_need_not_lie_together(tmp_path: Path) -> None:
    turned = NUMBERS.T
    pieces = Streamed("<u4", (2, 35_000), lambda: (turned[:1], turned[1:]))
    assert written(tmp_path / "a", {"n": pieces}) == written(tmp_path / "b", {"n": turned})


def test_none_at_all(tmp_path: Path) -> None:
    nothing = Streamed("<f4", (0, 384), lambda: ())
    empty = np.zeros((0, 384), dtype="<f4")
    assert written(tmp_path / "a", {"n": nothing}) == written(tmp_path / "b", {"n": empty})
    assert nothing.whole().shape == (0, 384)


def test_is_whole_in_memory() -> None:
    array = streamed(NUMBERS, rows=1000)
    assert array.nbytes == NUMBERS.nbytes
    for _ in range(2):  # the pieces are made anew
        np.testing.assert_array_equal(array.whole(), NUMBERS)
    found = MemoryArrays({"n": array}).read("n", 7, 9)
    assert found.dtype == NUMBERS.dtype
    np.testing.assert_array_equal(found, NUMBERS[7:9])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: [NUMBERS[:-1]], r"the pieces of <u4 of shape \(35000, 2\) ended 8 bytes too"),
        (list, "ended 280000 bytes too early"),
        (lambda: [NUMBERS, NUMBERS[:1]], r"of shape \(1, 2\) came where 0 bytes were left"),
        (lambda: [np.vstack([NUMBERS, NUMBERS[:1]])], r"of shape \(35001, 2\) came where 280000"),
        (lambda: [NUMBERS.view("<i4")], "a piece of <i4 .* must have that type"),
    ],
)
def test_too_few_too_many_or_others(tmp_path: Path, given: Any, message: str) -> None:
    array = Streamed("<u4", NUMBERS.shape, given)
    with pytest.raises(ValueError, match=message):
        written(tmp_path / "x", {"n": array})
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=message):
        array.whole()


def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    seen: list[list[str]] = []

    def pieces() -> Iterator[NDArray[Any]]:
        yield NUMBERS[:30_000]
        seen.append([path.name for path in tmp_path.iterdir()])
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        written(tmp_path / "x", {"n": Streamed("<u4", NUMBERS.shape, pieces)})
    assert seen == [["x.unfinished"]]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("dtype", "shape"), [("<U3", (1,)), (">u4", (1,)), ("<u4", ())])
def test_is_of_what_can_be_written(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"array 'n' is .* expected one of .*<f4"):
        written(tmp_path / "x", {"n": Streamed(dtype, shape, lambda: ())})
    assert list(tmp_path.iterdir()) == []
