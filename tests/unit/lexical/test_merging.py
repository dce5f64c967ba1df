"""Terms of several parts as one: what a fresh build makes, with a piece in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.kernels import native
from plait.lexical import PackedTerms
from plait.lexical.merging import merged
from plait.storage import Files, MemoryArrays, Storable, Streamed, write_arrays
from plait.text import Analyzer

WORDS = Analyzer(tokenizer="whitespace")


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def texts(count: int, seed: int = 3) -> list[str]:
    """Texts of a few common words and many rare ones, some of them empty."""
    draw = np.random.default_rng(seed)
    words = draw.zipf(1.2, size=(count, 12)) % 700
    return [" ".join(f"w{word}" for word in row[: draw.integers(0, 13)]) for row in words.tolist()]


def spread(given: list[str], source: np.ndarray[Any, Any], parts: int) -> dict[str, Storable]:
    """The texts merged from so many parts; a source below 0 is left out."""
    rows = [[row for row in range(len(given)) if abs(source[row]) - 1 == n] for n in range(parts)]
    arrays = [MemoryArrays(PackedTerms.build(WORDS.count(given[r] for r in each))) for each in rows]
    kept = np.flatnonzero(source > 0)
    numbers = (source[kept] - 1).astype(np.int32)
    ordinal = np.array([rows[n].index(row) for n, row in zip(numbers, kept, strict=True)])
    return merged(arrays, numbers, ordinal.astype(np.int64))


@pytest.mark.parametrize("piece", [1, 300, 1 << 20])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_the_file_is_that_of_a_fresh_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int, piece: int
) -> None:
    given = texts(600)
    draw = np.random.default_rng(parts)
    source = draw.integers(1, parts + 1, 600) * draw.choice([1, 1, 1, -1], 600)  # a fourth died
    monkeypatch.setattr("plait.lexical.merging._PIECE", piece)
    built = PackedTerms.build(WORDS.count(given[row] for row in np.flatnonzero(source > 0)))
    for name, arrays in (("built", built), ("merged", spread(given, source, parts))):
        write_arrays(tmp_path / name, arrays, meta={}, files=Files())
    assert (tmp_path / "built").read_bytes() == (tmp_path / "merged").read_bytes()


def test_what_is_large_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["a b"] * 300 + ["a c d"] * 100
    monkeypatch.setattr("plait.lexical.merging._PIECE", 250)
    found = spread(given, np.arange(400) % 2 + 1, 2)
    docs, terms = found["terms.docs"], found["terms.terms"]
    assert isinstance(docs, Streamed)
    assert isinstance(terms, Streamed)
    # the common words alone, the rare ones together
    assert [len(piece) for piece in docs.pieces()] == [400, 300, 200]
    assert [len(piece) for piece in terms.pieces()] == [250, 250, 250, 150]


def test_the_frequencies_are_as_narrow_as_what_is_left_needs() -> None:
    given = ["a " * 300, "a b", "b b"]
    assert spread(given, np.array([1, 1, 2]), 2)["terms.tfs"].tolist() == [300, 1, 1, 2]
    narrow = spread(given, np.array([-1, 1, 2]), 2)["terms.tfs"]
    assert (narrow.dtype, narrow.tolist()) == (np.uint8, [1, 1, 2])


def test_nothing_is_left() -> None:
    found = MemoryArrays(spread(["a b", "c"], np.array([-1, -2]), 2))
    for name, array in PackedTerms.build(WORDS.count([])).items():
        assert found[name].dtype == array.dtype
        assert found[name].tolist() == array.tolist()
