"""Expectations that fail with a sentence: assertion rewriting does not reach into a library."""

from __future__ import annotations

import unittest
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NoReturn

from plait.filters import Filter
from plait.types import Contribution, Hit, SearchResult

__all__ = ["expect", "expect_ranked", "passes", "raw_scores", "refused", "same", "skip"]


def expect(holds: bool, promise: str) -> None:
    """Fail the running test unless the promise holds."""
    if not holds:
        raise AssertionError(promise)


@contextmanager
def refused(error: type[Exception], what: str) -> Iterator[None]:
    """Fail the running test unless the block raises this error."""
    try:
        yield
    except error:
        return
    except Exception as other:
        raise AssertionError(
            f"{what} must be refused with {error.__name__}, got {type(other).__name__}: {other}"
        ) from other
    raise AssertionError(f"{what} must be refused with {error.__name__}, but it was accepted")


def skip(reason: str) -> NoReturn:
    """Skip the running test; pytest and unittest both understand it."""
    raise unittest.SkipTest(reason)


def same(result: Sequence[Hit], expected: Sequence[Hit], case: str) -> None:
    """Expect the same hits with the same scores and ranks."""
    expect(
        list(result) == list(expected),
        f"{case}: {[(hit.id, hit.score) for hit in result]} is not "
        f"{[(hit.id, hit.score) for hit in expected]}",
    )


def expect_ranked(result: SearchResult, higher_is_better: bool) -> None:
    """Expect ranks from 1, each id once, scores in order."""
    ids = [hit.id for hit in result]
    expect(len(set(ids)) == len(ids), f"an id stands twice: {ids}")
    expect([hit.rank for hit in result] == list(range(1, len(ids) + 1)), "ranks are not 1, 2, ...")
    sign = 1 if higher_is_better else -1
    scores = [sign * hit.score for hit in result if hit.score is not None]
    # Fused scores are compared at 12 significant digits, so equal ones may differ behind them.
    falling = all(b <= a + 1e-9 * abs(a) for a, b in pairwise(scores))
    expect(falling, f"scores are out of order: {scores}")


def passes(source: Mapping[str, Any], hit: Hit) -> bool:
    """Whether the hit's metadata passes the filter."""
    keep = Filter.parse(source)
    return keep is None or keep.matches(hit.chunk.metadata)


def raw_scores(hit: Hit) -> list[tuple[str, float | None]]:
    """What the legs say of a hit: fusion by rank cannot give twins one score, legs can."""
    return _leaves(hit.contributions) or [(hit.source, hit.score)]


def _leaves(contributions: Sequence[Contribution]) -> list[tuple[str, float | None]]:
    leaves: list[tuple[str, float | None]] = []
    for share in contributions:
        leaves += _leaves(share.parts) or [(share.leg, share.raw_score)]
    return leaves
