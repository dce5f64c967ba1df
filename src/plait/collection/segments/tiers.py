"""Which segments are merged: so that there are few, and no row is written again very often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["LARGEST", "Extent", "due", "whole"]

LARGEST = 1 << 26
"""Size of a segment beyond which none is merged, so that merging needs bounded memory."""

_SMALLEST = 1 << 18  # below this size all are of one tier: some thousand chunks
_RATIO = 4  # between the sizes of two tiers
_FAN = 4  # so many neighbors of one tier are merged
_DEAD = 0.25  # the part of dead rows from which on a segment is written again
_FEW = 1024  # dead rows that are no reason


class Extent(NamedTuple):
    """How much a segment holds.

    Attributes:
        size: Its postings and rows.
        rows: Its rows.
        dead: How many of them were deleted since.
    """

    size: int
    rows: int
    dead: int

    @property
    def is_stale(self) -> bool:
        """Whether it holds so much that is dead that it pays to write it again."""
        return self.dead > _FEW and self.dead > _DEAD * self.rows


def due(extents: Sequence[Extent]) -> range | None:
    """Which neighbors to merge next, None if it is well as it is.

    Segments of one tier are within a factor of 4 in size. Neighbors of a tier, and of lower ones
    between them, are merged when they are at least four and at least twice as large as the largest
    of them. So a row is written again about once for each tier: five times among a million.

    Args:
        extents: The segments in the order of their rows.

    Example:
        >>> small, large = Extent(1000, 20, 0), Extent(2_000_000, 40_000, 0)
        >>> due([large, small, small, small])
        >>> due([large, small, small, small, small])
        range(1, 5)
    """
    for place, extent in enumerate(extents):
        if extent.is_stale:
            return range(place, place + 1)
    tiers = [_tier(extent.size) for extent in extents]
    for tier in sorted(set(tiers)):
        start = None
        for place in range(len(tiers) + 1):
            if place < len(tiers) and tiers[place] <= tier:
                start = place if start is None else start
                continue
            if start is not None:
                found = _within(extents, range(start, place))
                if _pays([extents[each].size for each in found]):
                    return found
            start = None
    return None


def _pays(sizes: Sequence[int]) -> bool:
    """Whether there are enough, and not only small ones beside a large one."""
    return len(sizes) >= _FAN and sum(sizes) >= 2 * max(sizes)


def whole(extents: Sequence[Extent]) -> list[range]:
    """Which neighbors to merge for the fewest segments without dead rows.

    Segments that are alone and without dead rows are left out.
    """
    found = []
    start = 0
    while start < len(extents):
        group = _within(extents, range(start, len(extents)))
        if len(group) > 1 or extents[start].dead:
            found.append(group)
        start = group.stop
    return found


def _within(extents: Sequence[Extent], places: range) -> range:
    """The first of some neighbors that together are not too large; at least one."""
    size = 0
    for place in places:
        size += extents[place].size
        if size > LARGEST and place > places.start:
            return range(places.start, place)
    return places


def _tier(size: int) -> int:
    tier = 0
    while size >= _SMALLEST:
        size //= _RATIO
        tier += 1
    return tier
