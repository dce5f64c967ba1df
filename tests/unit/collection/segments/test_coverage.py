"""Which rows are covered, and which died since."""

from __future__ import annotations

import numpy as np

from plait.collection.segments.coverage import Deletions, Span, gaps, without_overlaps
from plait.collection.stored import StoredSegment


def segment(above: int, upto: int) -> StoredSegment:
    return StoredSegment(f"{above}-{upto}", None, above, upto, 0, 1, 1, 1, "")


def test_without_segments_all_is_left() -> None:
    assert list(gaps([])) == [Span(0, None)]


def test_what_lies_between_and_behind_is_left() -> None:
    assert list(gaps([segment(0, 4), segment(6, 9)])) == [Span(4, 6), Span(9, None)]
    assert list(gaps([segment(0, 4), segment(4, 9)])) == [Span(9, None)]


def test_what_covers_a_row_again_is_dropped() -> None:
    first, inside, touching, upside_down = (
        segment(0, 4), segment(2, 3), segment(4, 8), segment(9, 9),
    )  # fmt: skip
    listed = [touching, inside, upside_down, first]
    assert without_overlaps(listed) == [first, touching]


def test_deletions_of_a_span_after_a_number() -> None:
    log = Deletions(np.array([3, 5, 8]), np.array([10, 2, 11]))
    assert log.among(Span(0, 10), after=0).tolist() == [10, 2]
    assert log.among(Span(0, 10), after=3).tolist() == [2]
    assert log.among(Span(2, None), after=0).tolist() == [10, 11]
    assert log.among(Span(2, None), after=8).tolist() == []
