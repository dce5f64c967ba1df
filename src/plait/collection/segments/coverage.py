"""Which rows the listed segments cover, which are left, and which died since."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.collection.reading import Reading
from plait.collection.stored import StoredSegment

__all__ = ["Deletions", "Span", "gaps", "without_overlaps"]


class Span(NamedTuple):
    """The rows above one number, up to another; None for no end."""

    above: int
    upto: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Deletions:
    """A stretch of the log of deletions, by number."""

    numbers: NDArray[np.int64]
    rows: NDArray[np.int64]

    @classmethod
    def read(cls, reading: Reading, after: int) -> Deletions:
        """The deletions above a number."""
        found = np.array(reading.deletions_after(after), dtype=np.int64).reshape(-1, 2)
        return cls(found[:, 0], found[:, 1])

    def among(self, span: Span, *, after: int) -> NDArray[np.int64]:
        """The rows of a span that died with a number above ``after``."""
        rows = self.rows[np.searchsorted(self.numbers, after, side="right") :]
        kept = rows > span.above
        if span.upto is not None:
            kept &= rows <= span.upto
        return rows[kept]


def without_overlaps(listed: Iterable[StoredSegment]) -> list[StoredSegment]:
    """Segments by the rows that they cover, without those that cover a row a second time.

    A list that was written by plait has none of these.
    """
    kept: list[StoredSegment] = []
    for each in sorted(listed, key=lambda each: (each.above, each.upto)):
        if each.above >= (kept[-1].upto if kept else 0) and each.upto > each.above:
            kept.append(each)
    return kept


def gaps(listed: Sequence[StoredSegment]) -> Iterator[Span]:
    """The rows that segments without overlaps leave out; the last span has no end.

    Example:
        >>> segment = StoredSegment("a", None, 5, 9, 0, 4, 0, 100, "")
        >>> list(gaps([segment]))
        [Span(above=0, upto=5), Span(above=9, upto=None)]
    """
    above = 0
    for each in listed:
        if each.above > above:
            yield Span(above, each.above)
        above = each.upto
    yield Span(above, None)
