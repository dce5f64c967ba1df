"""TermRows: the terms of many texts in arrays, counted for hundreds of texts at a time."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.text.words import bigrams, characters

if TYPE_CHECKING:
    from plait.text.analyzer import Analysis

__all__ = ["Ints", "Longs", "TermRows", "Vocabulary", "count"]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]

_BATCH = 512  # texts that are counted at once


class Vocabulary(dict[str, int]):
    """A number for each term, given when it is first asked for and never changed.

    Safe to share between threads and between versions of an index: numbers are only ever added.

    Example:
        >>> numbers = Vocabulary()
        >>> numbers["cat"], numbers["dog"], numbers["cat"]
        (0, 1, 0)
    """

    def __init__(self, terms: Iterable[str] = ()) -> None:
        super().__init__((term, number) for number, term in enumerate(terms))
        self._lock = threading.Lock()

    def __missing__(self, term: str) -> int:
        with self._lock:
            return self.setdefault(term, len(self))


@dataclass(frozen=True, slots=True, eq=False)
class TermRows:
    """The terms of texts in arrays, a fraction of the size of their analyses.

    Attributes:
        terms: The distinct terms.
        term: Positions in ``terms``, row after row, shape (postings,).
        tf: How often the row has the term, likewise.
        sizes: How many distinct terms each row has, shape (rows,).
        lengths: The length of each row, shape (rows,).
    """

    terms: tuple[str, ...]
    term: Ints
    tf: Ints
    sizes: Ints
    lengths: Longs

    @classmethod
    def of(cls, analyses: Iterable[Analysis]) -> TermRows:
        """The rows of analyses; ``Analyzer.count`` makes the same of texts, and is faster."""
        numbers = Vocabulary()
        term, tf, sizes, lengths = [], [], [], []
        remaining = iter(analyses)
        while batch := list(islice(remaining, _BATCH)):
            rows = [analysis.terms for analysis in batch]
            term.append(_longs(map(numbers.__getitem__, chain.from_iterable(rows))))
            tf.append(_longs(chain.from_iterable(row.values() for row in rows)))
            sizes.append(_longs(map(len, rows)))
            lengths.append(_longs([analysis.length for analysis in batch]))
        return cls(tuple(numbers), _joined(term), _joined(tf), _joined(sizes), _whole(lengths))


class _Words(dict[str, int]):
    """A number for each word, and the numbers of its terms."""

    def __init__(self, terms_of: Callable[[str], tuple[str, ...]]) -> None:
        super().__init__()
        self.terms = Vocabulary()
        self._terms_of = terms_of
        self._flat = array("q")  # the terms of one word after the other
        self._ends = array("q", [0])

    def __missing__(self, word: str) -> int:
        self._flat.extend([self.terms[term] for term in self._terms_of(word)])
        self._ends.append(len(self._flat))
        number = self[word] = len(self._ends) - 2
        return number

    def spread(self, words: Longs, rows: Longs) -> tuple[Longs, Longs]:
        """The terms of words, and the row of each."""
        # Copied, since an array that is looked at cannot grow.
        ends, flat = np.array(self._ends), np.array(self._flat)
        starts, sizes = ends[words], ends[words + 1] - ends[words]
        if (sizes == 1).all():
            return flat[starts], rows
        after = np.cumsum(sizes)
        places = np.arange(int(after[-1])) + np.repeat(starts - after + sizes, sizes)
        return flat[places], np.repeat(rows, sizes)


def count(
    texts: Iterable[str],
    split: Callable[[str], tuple[list[str], list[str]]],
    terms_of: Callable[[str], tuple[str, ...]],
) -> TermRows:
    """The terms of texts, as analyzing one by one gives them.

    Args:
        texts: The texts; a few hundred are held at a time.
        split: From a text to its words and its unspaced runs.
        terms_of: From a word to its distinct terms, the same each time.
    """
    words = _Words(terms_of)
    term, tf, sizes, lengths = [], [], [], []
    remaining = iter(texts)
    while batch := list(islice(remaining, _BATCH)):
        pieces = [split(text) for text in batch]
        counts = np.array([len(found) for found, _ in pieces], dtype=np.int64)
        numbers = _longs(map(words.__getitem__, chain.from_iterable(found for found, _ in pieces)))
        positions = counts.copy()
        rows = np.repeat(np.arange(len(batch)), counts)
        parts = [words.spread(numbers, rows)] if len(numbers) else []
        for row, (_, runs) in enumerate(pieces):
            for run in map(characters, runs):
                named = _longs(map(words.terms.__getitem__, chain(run, bigrams(run))))
                parts.append((named, np.full(len(named), row)))
                positions[row] += len(run)
        found = np.concatenate([numbers for numbers, _ in parts] or [_longs(())])
        where = np.concatenate([rows for _, rows in parts] or [_longs(())])
        distinct, times = np.unique(where << 32 | found, return_counts=True)
        term.append(distinct & 0xFFFF_FFFF)
        tf.append(times)
        sizes.append(np.bincount(distinct >> 32, minlength=len(batch)))
        lengths.append(positions)
    return TermRows(tuple(words.terms), _joined(term), _joined(tf), _joined(sizes), _whole(lengths))


def _joined(parts: Sequence[Longs]) -> Ints:
    return _whole(parts).astype(np.int32)


def _whole(parts: Sequence[Longs]) -> Longs:
    return np.concatenate([_longs(()), *parts])


def _longs(values: Iterable[int]) -> Longs:
    return np.fromiter(values, dtype=np.int64)
