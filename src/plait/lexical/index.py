"""LexicalIndex: who has which term how often, as a value that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plait.lexical.segment import Segment
from plait.table import Mask, Ordinals
from plait.text import Analysis, TermRows
from plait.text.counting import Ints, Longs, Vocabulary

__all__ = ["LexicalIndex", "Postings"]


class Postings(NamedTuple):
    """The rows of one segment that have a term.

    Attributes:
        block: The ordinals of the segment, for slicing arrays of all rows.
        rows: Positions in that block, ascending, shape (n,).
        tf: How often each has the term, shape (n,).
    """

    block: slice
    rows: Ints
    tf: Ints


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

    def places(self, terms: Sequence[str]) -> Iterator[tuple[Segment, Longs]]:
        """Each segment, and where these terms are in it, -1 for those that none of its rows has."""
        numbers = np.array([self._vocabulary.get(term, -1) for term in terms], dtype=np.int64)
        for segment in self.segments:
            yield segment, segment.places(numbers)

    def postings(self, term: str) -> Iterator[Postings]:
        """The rows that have a term, removed ones included, segment by segment."""
        for segment, (place,) in self.places([term]):
            if place >= 0:
                found = slice(int(segment.offsets[place]), int(segment.offsets[place + 1]))
                block = slice(segment.start, segment.stop)
                yield Postings(block, segment.rows[found], segment.tf[found])

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


def _inside(ordinals: Ordinals, segment: Segment) -> Ordinals:
    inside: Ordinals = ordinals[(ordinals >= segment.start) & (ordinals < segment.stop)]
    return inside
