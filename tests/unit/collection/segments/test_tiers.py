"""Which segments are merged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.collection.segments.tiers import LARGEST, Extent, due, whole


def extents(*sizes: int) -> list[Extent]:
    return [Extent(size, size // 50, 0) for size in sizes]


def test_nothing_is_due_among_few() -> None:
    assert due([]) is None
    assert due(extents(400_000)) is None
    assert due(extents(400_000, 400_000, 400_000)) is None


def test_four_neighbors_of_a_tier_are_due() -> None:
    assert due(extents(*[400_000] * 4)) == range(4)
    assert due(extents(9_000_000, *[400_000] * 4)) == range(1, 5)


def test_lower_tiers_between_them_are_taken_along() -> None:
    assert due(extents(2_000_000, 400_000, 2_000_000, 2_000_000)) == range(4)


def test_a_large_one_is_not_written_again_for_small_ones() -> None:
    assert due(extents(2_000_000, 5000, 5000, 5000)) is None


def test_lower_tiers_come_first() -> None:
    assert due(extents(*[2_000_000] * 4, *[400_000] * 4)) == range(4, 8)


def test_what_would_be_too_large_stays() -> None:
    assert due(extents(*[LARGEST // 3] * 4)) is None
    assert due(extents(*[LARGEST // 4] * 5)) == range(4)


@pytest.mark.parametrize(
    ("rows", "dead", "is_due"),
    [(4000, 1024, False), (4000, 1025, True), (100_000, 25_000, False), (100_000, 25_001, True)],
)
def test_a_segment_with_many_dead_rows_is_written_again(rows: int, dead: int, is_due: bool) -> None:
    found = due([Extent(9_000_000, 100_000, 0), Extent(rows * 50, rows, dead)])
    assert found == (range(1, 2) if is_due else None)


def test_the_fewest_segments() -> None:
    assert whole([]) == []
    assert whole(extents(5000)) == []
    assert whole([Extent(5000, 100, 1)]) == [range(1)]
    assert whole(extents(9_000_000, 500, 400_000)) == [range(3)]
    half = LARGEST // 2
    assert whole(extents(half, half, half, 7)) == [range(2), range(2, 4)]
    assert whole(extents(LARGEST + 1, 7)) == []


@given(st.lists(st.integers(1, 2**22), max_size=300))
def test_merging_ends_with_few_segments(sizes: list[int]) -> None:
    """A stream of segments, settled after each: every row stays, and seldom is written again."""
    held: list[Extent] = []
    written = 0
    for size in sizes:
        held.append(Extent(size, size, 0))
        while (found := due(held)) is not None:
            group = held[found.start : found.stop]
            total = sum(each.size for each in group)
            written += total
            held[found.start : found.stop] = [Extent(total, total, 0)]
    assert sum(each.size for each in held) == sum(sizes)
    # Some of each tier that are left, and what is too large to be merged.
    assert len(held) <= 7 * 6 + 8 * (sum(sizes) // LARGEST)
    assert written <= 14 * sum(sizes)
