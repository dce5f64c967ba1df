"""Choosing: the candidate nearest the default among those that are as good as the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation.tuning.space import Candidate
from plait.fusion import Learned

__all__ = ["as_good", "choose", "distance"]

Floats: TypeAlias = NDArray[np.float64]


def distance(candidate: Candidate, default: Candidate) -> tuple[Any, ...]:
    """How far a candidate is from the default, to be compared with that of another.

    First what was learned from labels, the most complex; then by how many of method, window and
    weights are others; then by how much weight moved from leg to leg; then by the window's ratio.
    """
    shares = zip(candidate.shares, default.shares, strict=True)
    # Rounded, so that .2 and .4 are equally far from .3.
    moved = round(sum(abs(a - b) for a, b in shares) / 2, 9)
    stretched = abs(math.log2(candidate.window / default.window))
    other = candidate.fusion != default.fusion
    changed = other + (moved > 0) + (stretched > 0)
    return other and isinstance(candidate.fusion, Learned), changed, moved, stretched


def choose(scores: Floats, distances: Sequence[tuple[Any, ...]]) -> int:
    """The one-standard-error rule toward the default.

    Of all candidates whose mean is behind the best by no more than one standard error of that
    difference, over the same topics, the one nearest the default (Breiman, Friedman, Olshen, Stone:
    Classification and Regression Trees, 1984, with paired errors). Equally near ones go by mean,
    then by place.

    Args:
        scores: Shape (candidates, topics), at least one of each.
        distances: From the default, one per candidate.

    Returns:
        The row of the choice. With a single topic there is no error, and the best one is it.
    """
    means = scores.mean(axis=1)
    near = as_good(scores, np.ones(scores.shape[1]))
    return min(near, key=lambda row: (distances[row], -means[row], row))


def as_good(scores: Floats, counts: Floats) -> list[int]:
    """The candidates that are behind the best by no more than one standard error of that.

    Args:
        scores: Shape (candidates, topics), at least one of each.
        counts: How much each topic counts, above 0, shape (topics,).

    Returns:
        Their rows in rising order, the best among them.
    """
    shares = counts / counts.sum()
    behind = scores[np.argmax(scores @ shares)] - scores
    means = behind @ shares
    # With equal shares this is the usual standard error of a mean, n − 1 in its denominator.
    rest = 1.0 - float(shares @ shares)
    spread = (behind - means[:, None]) ** 2 @ shares**2
    errors = np.sqrt(spread / rest) if rest > 0 else np.zeros(len(means))
    # What rounding leaves of equal means is no difference.
    return [int(row) for row in np.flatnonzero(means <= errors + 1e-12)]
