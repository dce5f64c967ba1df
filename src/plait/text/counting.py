"""TermRows: the terms of many texts in arrays, counted for many texts at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plait.text.counters import Counted, Ints, Longs, Numbers, TermsOf, counter
from plait.text.segments import Segmenter
from plait.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from plait.text.analyzer import Analysis

__all__ = ["Counting", "Ints", "Longs", "TermRows", "Vocabulary"]

_BATCH = 512  # analyses that are put into arrays at once
_TEXTS = 4096  # texts that are counted at once,
_LETTERS = 1 << 20  # or so much of them


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
        numbers = Numbers(itertools.count().__next__)
        parts = []
        remaining = iter(analyses)
        while batch := list(itertools.islice(remaining, _BATCH)):
            rows = [analysis.terms for analysis in batch]
            term = np.array([numbers[term] for row in rows for term in row], dtype=np.int32)
            tf = np.array([times for row in rows for times in row.values()], dtype=np.int32)
            sizes = np.array(list(map(len, rows)), dtype=np.int32)
            lengths = np.array([analysis.length for analysis in batch], dtype=np.int64)
            parts.append(Counted(term, tf, sizes, lengths))
        return cls.joined(numbers, parts)

    def at(self, rows: NDArray[np.int64]) -> TermRows:
        """Some of the rows, each once, in this order; without terms that none of them has."""
        count = len(self.sizes)
        if np.array_equal(rows, np.arange(count)):
            return self
        sizes = self.sizes.astype(np.int64)
        starts, taken = np.cumsum(sizes) - sizes, sizes[rows]
        before = np.cumsum(taken) - taken
        places = np.arange(taken.sum()) + np.repeat(starts[rows] - before, taken)
        terms, term = self.terms, self.term[places]
        if len(rows) < count:
            used, term = np.unique(term, return_inverse=True)
            terms, term = tuple(terms[number] for number in used.tolist()), term.astype(np.int32)
        return TermRows(terms, term, self.tf[places], self.sizes[rows], self.lengths[rows])

    @classmethod
    def joined(cls, numbers: Numbers, parts: Sequence[Counted]) -> TermRows:
        """The rows of batches that were counted with the same vocabulary."""
        ints = [np.empty(0, dtype=np.int32)]
        return cls(
            tuple(numbers),
            np.concatenate(ints + [part.term for part in parts]),
            np.concatenate(ints + [part.tf for part in parts]),
            np.concatenate(ints + [part.sizes for part in parts]),
            np.concatenate([np.empty(0, dtype=np.int64), *(part.lengths for part in parts)]),
        )


class Counting:
    """The terms of texts that come one after the other, as analyzing one by one gives them.

    For one thread at a time.

    Args:
        segmenter: Cuts texts.
        terms_of: From a word to its distinct terms, the same each time.
    """

    def __init__(self, segmenter: Segmenter, terms_of: TermsOf) -> None:
        self._numbers = Numbers(itertools.count().__next__)
        self._counter = counter(segmenter, terms_of, self._numbers)
        self._parts: list[Counted] = []

    def add(self, texts: Iterable[str]) -> None:
        """Count texts; about a million letters are held at a time."""
        for batch in _batches(texts):
            self._parts.append(self._counter.count(batch))

    def rows(self) -> TermRows:
        """The terms of all texts so far."""
        return TermRows.joined(self._numbers, self._parts)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    letters = 0
    for text in texts:
        batch.append(text)
        letters += len(text)
        if len(batch) == _TEXTS or letters >= _LETTERS:
            yield batch
            batch, letters = [], 0
    if batch:
        yield batch
