"""Segments: postings of neighboring rows in arrays, and the rows that they are built from."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.table import Ordinals
from plait.text import Analysis, Analyzer

__all__ = ["Segment", "TermRows", "Vocabulary"]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]

_BATCH = 512


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
    """The terms of rows in arrays: what an index takes, a fraction of the size of the analyses.

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
    def count(cls, analyzer: Analyzer, texts: Iterable[str]) -> TermRows:
        """The rows of texts, as ``of`` makes them of their analyses."""
        return cls.of(map(analyzer.analyze, texts))

    @classmethod
    def of(cls, analyses: Iterable[Analysis]) -> TermRows:
        """The rows of analyses; reads a few hundred at a time."""
        numbers = Vocabulary()
        term, tf, sizes, lengths = [], [], [], []
        remaining = iter(analyses)
        while batch := list(islice(remaining, _BATCH)):
            rows = [analysis.terms for analysis in batch]
            term.append(_ints(map(numbers.__getitem__, chain.from_iterable(rows))))
            tf.append(_ints(chain.from_iterable(row.values() for row in rows)))
            sizes.append(_ints(map(len, rows)))
            lengths.append(np.array([analysis.length for analysis in batch], dtype=np.int64))
        nothing = np.zeros(0, dtype=np.int32)
        return cls(
            terms=tuple(numbers),
            term=np.concatenate(term or [nothing]),
            tf=np.concatenate(tf or [nothing]),
            sizes=np.concatenate(sizes or [nothing]),
            lengths=np.concatenate(lengths or [nothing.astype(np.int64)]),
        )


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """An inverted index of neighboring rows, by term and then by row (CSR).

    Attributes:
        start: Ordinal of the first row.
        lengths: Length of each row, shape (rows,).
        terms: Numbers of the terms, ascending, shape (terms,).
        offsets: Where each term's postings begin, and the end of the last, shape (terms + 1,).
        rows: The rows that have the term, from 0, ascending for each term, shape (postings,).
        tf: How often, likewise.
    """

    start: int
    lengths: Longs
    terms: Ints
    offsets: Longs
    rows: Ints
    tf: Ints

    @property
    def stop(self) -> int:
        """Ordinal after the last row."""
        return self.start + len(self.lengths)

    @property
    def size(self) -> int:
        """What merging the segment costs: its postings and rows."""
        return len(self.rows) + len(self.lengths)

    @classmethod
    def build(cls, start: int, given: TermRows, vocabulary: Vocabulary) -> Segment:
        """A segment of new rows."""
        numbers = _ints(map(vocabulary.__getitem__, given.terms))
        rows = np.repeat(np.arange(len(given.lengths), dtype=np.int32), given.sizes)
        return cls._sorted(start, given.lengths, numbers[given.term], rows, given.tf)

    @classmethod
    def _sorted(cls, start: int, lengths: Longs, term: Ints, rows: Ints, tf: Ints) -> Segment:
        """From postings that ascend by row: stable sorting by term keeps that."""
        order = np.argsort(term, kind="stable")
        term = term[order]
        changes = np.flatnonzero(np.diff(term)) + 1
        offsets = np.concatenate([[0], changes, [len(term)]]) if len(term) else np.zeros(1, int)
        return cls(start, lengths, term[offsets[:-1]], offsets, rows[order], tf[order])

    def postings(self, term: int) -> slice:
        """Where the term's postings stand; an empty slice if no row has it."""
        position = int(self.terms.searchsorted(term))
        if position == len(self.terms) or self.terms[position] != term:
            return slice(0, 0)
        return slice(int(self.offsets[position]), int(self.offsets[position + 1]))

    def merged(self, following: Segment) -> Segment:
        """This segment and the one right after it as one, in time linear in both."""
        parts = (self, following)
        terms = np.union1d(self.terms, following.terms)
        places = [np.searchsorted(terms, part.terms) for part in parts]
        counts = np.zeros(len(terms), dtype=np.int64)
        for part, place in zip(parts, places, strict=True):
            counts[place] += np.diff(part.offsets)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = np.empty(offsets[-1], dtype=np.int32)
        tf = np.empty(offsets[-1], dtype=np.int32)
        free = offsets[:-1].copy()  # where the next posting of each term goes
        for part, place in zip(parts, places, strict=True):
            sizes = np.diff(part.offsets)
            target = np.arange(len(part.rows)) + np.repeat(free[place] - part.offsets[:-1], sizes)
            rows[target] = part.rows + (part.start - self.start)
            tf[target] = part.tf
            free[place] += sizes
        lengths = np.concatenate([self.lengths, following.lengths])
        return Segment(self.start, lengths, terms, offsets, rows, tf)

    def kept(self, ordinals: Ordinals) -> Segment:
        """The rows with these ordinals, ascending, renumbered from 0; starts at 0."""
        kept = ordinals - self.start
        renumbered = np.full(len(self.lengths), -1, dtype=np.int32)
        renumbered[kept] = np.arange(len(kept), dtype=np.int32)
        rows = renumbered[self.rows]
        alive = rows >= 0
        term = np.repeat(self.terms, np.diff(self.offsets))[alive]
        return self._sorted(0, self.lengths[kept], term, rows[alive], self.tf[alive])
