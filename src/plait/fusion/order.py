"""Fused scores of the pool, and its order."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from plait.fusion.column import Column

__all__ = ["CANCELED", "EQUAL", "bound", "ordered", "totals"]

# Half a unit of the twelfth significant digit: scores closer than that are equal.
EQUAL = 5e-13
# What rounding may leave of a sum that should be 0, in parts of the terms that cancel.
CANCELED = 1e-15


def totals(columns: Sequence[Column]) -> dict[str, float]:
    """Fused score by name: the correctly rounded sum of what the legs give."""
    sharing = [column for column in columns if column.positions]
    fills = any(column.shares.absent for column in columns)
    if len(sharing) == 2 and not fills:
        # One addition is correctly rounded as it is.
        first, second = sharing
        scores = dict(zip(first.positions, first.shares.values, strict=True))
        for name, value in zip(second.positions, second.shares.values, strict=True):
            scores[name] = scores.get(name, 0.0) + value
        return scores
    terms: dict[str, list[float]] = defaultdict(list)
    if fills:
        names = dict.fromkeys(name for column in columns for name in column.positions)
        for column in columns:
            values = dict(zip(column.positions, column.shares.values, strict=True))
            absent = column.shares.absent
            for name in names:
                terms[name].append(values.get(name, absent))
    else:
        for column in columns:
            for name, value in zip(column.positions, column.shares.values, strict=True):
                terms[name].append(value)
    return {name: math.fsum(values) for name, values in terms.items()}


def ordered(scores: Mapping[str, float], columns: Sequence[Column]) -> Mapping[str, float]:
    """Names by fused score; where that is equal by best rank in a leg, then by name.

    Scores are equal if neighbors in the order differ by less than half a unit of the twelfth
    significant digit, so that what rounding leaves of equal sums does not decide. Equal ones become
    the highest of them, so that the scores never rise on the way down.
    """
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    values = [scores[name] for name in order]
    # Negative contributions can cancel positive ones; the rest is then all rounding.
    lowest = min((min((*c.shares.values, c.shares.absent)) for c in columns), default=0.0)
    rounding = CANCELED * len(columns)
    canceled = rounding * max(0.0, -lowest)
    close = [
        place
        for place, (above, below) in enumerate(pairwise(values))
        if above - below <= EQUAL * abs(above) + canceled
    ]
    if canceled:  # by as much as these two hits themselves have to cancel
        close = [
            place
            for place in close
            if values[place] - values[place + 1]
            <= EQUAL * abs(values[place])
            + rounding * max(_largest(columns, name) for name in order[place : place + 2])
        ]
    if not close:
        return {name: scores[name] for name in order}

    best = _best_ranks(columns)
    start = 0
    while start < len(close):
        end = start
        while end + 1 < len(close) and close[end + 1] == close[end] + 1:
            end += 1
        first, last = close[start], close[end] + 2
        standing = sorted([(best[name], name) for name in order[first:last]])
        order[first:last] = [name for _, name in standing]
        values[first:last] = [values[first]] * (last - first)
        start = end + 1
    return dict(zip(order, values, strict=True))


def _best_ranks(columns: Sequence[Column]) -> Mapping[str, int]:
    """The best position of each hit in any leg."""
    best: dict[str, int] = {}
    for column in columns:
        for name, position in column.positions.items():
            if position < best.get(name, position + 1):
                best[name] = position
    return best


def _largest(columns: Sequence[Column], name: str) -> float:
    """The largest share of a hit's score, without its sign."""
    held = [(column.shares, column.positions.get(name)) for column in columns]
    return max(
        abs(shares.absent if position is None else shares.values[position])
        for shares, position in held
    )


def bound(columns: Sequence[Column]) -> float | None:
    """The highest fused score that the legs can give together, None if there is none."""
    bounds = [column.shares.bound for column in columns]
    known = [value for value in bounds if value is not None]
    return math.fsum(known) if len(known) == len(bounds) else None
