"""LexicalIndex: who has which term how often, as a value that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plait.lexical.bm25 import Doubles
from plait.lexical.segment import Segment
from plait.table import Mask, Ordinals
from plait.text import Analysis, TermRows
from plait.text.counting import Ints, Vocabulary

__all__ = ["LexicalIndex", "Postings"]


class Postings(NamedTuple):
    """The rows of one segment that have a term.

    Attributes:
        block: The ordinals of the segment, for slicing arrays of all rows.
        rows: Positions in that block, ascending, shape (n,).
        tf: How often each has the term, shape (n,).
        relative: Length of every row of the block over the mean length.
    """

    block: slice
    rows: Ints
    tf: Ints
    relative: Doubles


@dataclass(frozen=True, eq=False)
class LexicalIndex:
    """An inverted index in arrays. Every change is a new value; what did not change is shared.

    It is a list of segments, each more than twice the size of the one after it: a new row is a
    segment that is merged with its likes, so that a row is copied O(log n) times, whether rows
    come one by one or at once. A removed row stays in its segment until ``compacted``; whoever
    asks says which rows are alive, and the frequencies are counted among those. So numbers of
    rows, frequencies and lengths are exact integers after any history.

    Attributes:
        segments: Ascending and without gaps from ordinal 0.
        count: How many rows are alive.
        length: The sum of their lengths.

    Example:
        >>> from plait.text import Analyzer
        >>> analyze = Analyzer().analyze
        >>> index = LexicalIndex().added([analyze("cats purr"), analyze("dogs bark at cats")])
        >>> index.count, index.length
        (2, 6)
        >>> [postings.rows.tolist() for postings in index.postings("cats")]
        [[0, 1]]
    """

    segments: tuple[Segment, ...] = ()
    count: int = 0
    length: int = 0
    _vocabulary: Vocabulary = field(default_factory=Vocabulary, repr=False)
    _kept: dict[float, tuple[Doubles, ...]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Rows ever added, removed ones included."""
        return self.segments[-1].stop if self.segments else 0

    def added(self, rows: TermRows | Iterable[Analysis], /) -> LexicalIndex:
        """With rows appended, at the next ordinals."""
        given = rows if isinstance(rows, TermRows) else TermRows.of(rows)
        if not len(given.lengths):
            return self
        segments = list(self.segments)
        last = Segment.build(self.size, given, self._vocabulary)
        while segments and segments[-1].size <= 2 * last.size:
            last = segments.pop().merged(last)
        return LexicalIndex(
            (*segments, last),
            self.count + len(given.lengths),
            self.length + int(given.lengths.sum()),
            self._vocabulary,
        )

    def removed(self, ordinals: Ordinals, /) -> LexicalIndex:
        """Without these rows, which are alive; the others keep their ordinals."""
        lost = sum(
            int(segment.lengths[_inside(ordinals, segment) - segment.start].sum())
            for segment in self.segments
        )
        return LexicalIndex(
            self.segments, self.count - len(ordinals), self.length - lost, self._vocabulary
        )

    def compacted(self, ordinals: Ordinals, /) -> LexicalIndex:
        """With these rows only, ascending, renumbered from 0; nothing of the others remains."""
        if not len(ordinals):
            return LexicalIndex()
        whole = self.segments[-1]
        for segment in reversed(self.segments[:-1]):
            whole = segment.merged(whole)
        kept = whole.kept(ordinals)
        named = list(self._vocabulary)
        vocabulary = Vocabulary(named[number] for number in kept.terms.tolist())
        renumbered = Segment(
            0,
            kept.lengths,
            np.arange(len(kept.terms), dtype=np.int32),
            kept.offsets,
            kept.rows,
            kept.tf,
        )
        return LexicalIndex((renumbered,), len(ordinals), int(kept.lengths.sum()), vocabulary)

    def postings(self, term: str, mean: float | None = None) -> Iterator[Postings]:
        """The rows that have a term, removed ones included, segment by segment.

        Args:
            term: The term.
            mean: What lengths are relative to; by default the mean length of the rows here.
        """
        number = self._vocabulary.get(term)
        if number is None:
            return
        for segment, relative in zip(self.segments, self._relative_to(mean), strict=True):
            found = segment.postings(number)
            if found.stop > found.start:
                block = slice(segment.start, segment.stop)
                yield Postings(block, segment.rows[found], segment.tf[found], relative)

    def frequencies(self, alive: Mask) -> dict[str, int]:
        """How many rows have each term, of the terms that some row has.

        Args:
            alive: The rows that count, shape (size,).
        """
        counts = np.zeros(len(self._vocabulary), dtype=np.int64)
        for segment in self.segments:
            term = np.repeat(segment.terms, np.diff(segment.offsets))
            counted = term[alive[segment.start : segment.stop][segment.rows]]
            counts += np.bincount(counted, minlength=len(counts))
        named = zip(self._vocabulary, counts.tolist(), strict=False)
        return {term: count for term, count in named if count}

    def _relative_to(self, mean: float | None) -> tuple[Doubles, ...]:
        """The lengths of all rows over a mean; those over the last one are kept."""
        if mean is None:
            mean = self.length / self.count if self.length else 1.0
        kept = self._kept.get(mean)
        if kept is None:
            kept = tuple(segment.lengths / mean for segment in self.segments)
            self._kept.clear()
            self._kept[mean] = kept
        return kept


def _inside(ordinals: Ordinals, segment: Segment) -> Ordinals:
    inside: Ordinals = ordinals[(ordinals >= segment.start) & (ordinals < segment.stop)]
    return inside
