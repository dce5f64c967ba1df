"""Segments: postings of neighboring rows in arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plait.kernels.postings import Blocks, Postings, spread
from plait.table import Ordinals
from plait.text import TermRows
from plait.text.counting import Ints, Longs, Vocabulary

__all__ = ["Segment"]


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int32)


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def packed(self) -> Postings:
        """The same as loops take it, without blocks."""
        none = np.zeros(0, dtype=np.uint32)
        lengths, rows = self.lengths.astype(np.uint32), self.rows.view(np.uint32)
        return Postings(
            lengths,
            self.offsets.astype(np.uint64),
            rows,
            self.tf.view(np.uint32),
            spread(lengths, rows),
            Blocks(none.astype(np.uint64), none, none.astype(np.uint64), none),
        )

    def places(self, numbers: Longs) -> Longs:
        """Where these numbers are among the terms, -1 for those that no row has."""
        if not len(self.terms):
            return np.full(len(numbers), -1)
        places = np.minimum(self.terms.searchsorted(numbers), len(self.terms) - 1)
        return np.where(self.terms[places] == numbers, places, -1)

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
