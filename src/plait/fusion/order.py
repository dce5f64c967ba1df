"""Fused scores of the pool, and its order."""

from __future__ import annotations

import bisect
import math
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import add, itemgetter

import numpy as np

from plait.fusion.column import Column

__all__ = ["CANCELED", "EQUAL", "Order", "bound", "totals"]

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
        so_far = map(scores.get, second.positions, repeat(0.0))
        both = map(add, so_far, second.shares.values)
        scores.update(zip(second.positions, both, strict=True))  # each is read before it is set
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


class Order:
    """Hits by fused score; where that is equal by best rank in a leg, then by name.

    Scores are equal if neighbors in the order differ by less than half a unit of the twelfth
    significant digit, so that what rounding leaves of equal sums does not decide. Equal ones become
    the highest of them, so that the scores never rise on the way down.

    Equal hits are put in order only as far down as somebody looks: with ``Rrf`` nearly all are
    equal to another one, and most queries look at ten. Threads may share it.

    Args:
        scores: Fused score by name.
        columns: The legs.
    """

    __slots__ = ("_columns", "_lock", "_names", "_place", "_runs", "_scores", "_settled")

    def __init__(self, scores: Mapping[str, float], columns: Sequence[Column]) -> None:
        self._columns = columns
        self._names = sorted(scores, key=scores.__getitem__, reverse=True)
        self._scores = list(map(scores.__getitem__, self._names))
        self._runs = list(_runs(_close(self._names, self._scores, columns)))
        self._place = 0  # of the first run that is not settled
        self._settled = 0  # hits
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._names)

    def upto(self, stop: int) -> tuple[Sequence[str], Sequence[float]]:
        """Names and scores, of which those before ``stop`` are in order."""
        if stop > self._settled:
            with self._lock:
                last = bisect.bisect_left(self._runs, stop, self._place, key=itemgetter(0))
                self._settle(self._runs[self._place : last])
                self._place, self._settled = last, max(stop, self._settled)
        return self._names, self._scores

    def _settle(self, runs: Sequence[tuple[int, int]]) -> None:
        names, scores = self._names, self._scores
        tied = [name for first, last in runs for name in names[first:last]]
        standing = list(zip(_best_ranks(self._columns, tied), tied, strict=True))
        start = 0
        for first, last in runs:
            end = start + last - first
            if end == start + 2:  # most often: hits of the same rank in two legs
                if standing[start + 1] < standing[start]:
                    names[first], names[first + 1] = names[first + 1], names[first]
                scores[first + 1] = scores[first]
            else:
                names[first:last] = [name for _, name in sorted(standing[start:end])]
                scores[first:last] = [scores[first]] * (last - first)
            start = end


def _close(order: Sequence[str], values: Sequence[float], columns: Sequence[Column]) -> list[int]:
    """Places in the order whose score equals the next one's."""
    # Negative contributions can cancel positive ones; the rest is then all rounding.
    lowest = min(min(c.shares.absent, min(c.shares.values, default=0.0)) for c in columns)
    rounding = CANCELED * len(columns)
    canceled = rounding * max(0.0, -lowest)
    found = np.array(values)
    gaps = found[:-1] - found[1:]
    close: list[int] = (gaps <= EQUAL * abs(found[:-1]) + canceled).nonzero()[0].tolist()
    if not canceled:
        return close
    return [  # by as much as these two hits themselves have to cancel
        place
        for place in close
        if values[place] - values[place + 1]
        <= EQUAL * abs(values[place])
        + rounding * max(_largest(columns, name) for name in order[place : place + 2])
    ]


def _runs(close: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First place and the one after the last of hits that are equal, each to the next."""
    first = last = -1
    for place in close:
        if place == last - 1:
            last += 1
            continue
        if last > 0:
            yield first, last
        first, last = place, place + 2
    if last > 0:
        yield first, last


def _best_ranks(columns: Sequence[Column], names: Sequence[str]) -> Iterable[int]:
    """The best position of each of some hits in any leg."""
    best = [sys.maxsize] * len(names)
    for column in columns:
        found = map(column.positions.get, names, best)  # the best so far where it is not there
        best = [old if old < new else new for old, new in zip(best, found, strict=True)]
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
