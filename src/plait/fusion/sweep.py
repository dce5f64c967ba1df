"""Sweep: one query's rankings under many weightings at once.

What ``plait.fusion.fuse`` orders one weighting at a time is ordered here for a matrix of them, by
the same rule, so that thousands of weightings can be tried on recorded rankings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.fusion.column import Column, check_shares
from plait.fusion.method import Fusion, Shares
from plait.fusion.order import CANCELED, EQUAL, Order, totals
from plait.fusion.rank_based import Borda, Isr
from plait.fusion.score_based import CombMnz, Convex
from plait.identity import group
from plait.types import Ranking

__all__ = ["Aligned", "align", "sweep"]

Orders: TypeAlias = NDArray[np.int64]
Weightings: TypeAlias = NDArray[np.float64]

# They give a leg's shares in proportion to its weight, as long as the same legs take part.
# (Convex divides by the sum of weights, which changes no order.)
_PROPORTIONAL = (Fusion.fuse, Convex.fuse, Isr.fuse, Borda.fuse, CombMnz.fuse)


@dataclass(frozen=True, slots=True)
class Aligned:
    """The rankings of one query side by side. Made by ``align``.

    Attributes:
        rankings: One per leg, without duplicates; their ids are the names of the hits.
        ids: Names of all hits, by best rank in a leg, then by name.
        rows: For each ranking the place in ``ids`` of each of its hits.
    """

    rankings: tuple[Ranking, ...]
    ids: tuple[str, ...]
    rows: tuple[NDArray[np.int64], ...]


def align(rankings: Sequence[Ranking]) -> Aligned:
    """Put rankings side by side, hits that are the same in one row.

    Args:
        rankings: One per leg that takes part, with different leg names. Empty ones are fine.

    Example:
        >>> align([Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("y",), (0.5,))]).ids
        ('x', 'y')
    """
    columns = [
        Column(ranking, 1.0, names)
        for ranking, names in zip(rankings, group(rankings), strict=True)
    ]
    best: dict[str, int] = {}
    for column in columns:
        for name, position in column.positions.items():
            if position < best.get(name, position + 1):
                best[name] = position
    ids = sorted(best, key=lambda name: (best[name], name))
    places = dict(zip(ids, range(len(ids)), strict=True))
    rows = [
        np.fromiter(map(places.__getitem__, column.positions), np.int64, len(column.positions))
        for column in columns
    ]
    return Aligned(tuple([column.ranking for column in columns]), tuple(ids), tuple(rows))


def sweep(aligned: Aligned, fusion: Fusion, weights: Weightings) -> Orders:
    """The fused order of the hits under each of many weightings.

    Each row is the order of ``fuse(rankings, fusion, weights[row])``. Methods whose shares are in
    proportion to the weights (all of plait's own that take weights, and one's own that write
    ``contributions`` only) cost one product per leg; others are fused once per weighting.

    Args:
        aligned: The rankings of the legs that take part.
        fusion: The method.
        weights: Shape (weightings, legs), above 0: leave a leg of weight 0 out of ``aligned``.

    Returns:
        Shape (weightings, hits): places in ``aligned.ids``, best first.

    Raises:
        ConfigurationError: As ``plait.fusion.fuse``, for what a fusion cannot do.

    Example:
        >>> from plait.fusion.rank_based import Rrf
        >>> aligned = align([Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("y",), (0.5,))])
        >>> sweep(aligned, Rrf(k=0), np.array([[0.5, 0.5], [0.9, 0.1]])).tolist()
        [[1, 0], [0, 1]]
    """
    kind = type(fusion)
    if kind.fuse in _PROPORTIONAL and kind.share is Fusion.share:
        return _together(aligned, _unweighted(aligned, fusion), weights)
    return np.array(
        [_one(aligned, fusion, weighting) for weighting in weights.tolist()], dtype=np.int64
    ).reshape(len(weights), len(aligned.ids))


def _unweighted(aligned: Aligned, fusion: Fusion) -> list[Shares]:
    """What each leg gives at weight 1."""
    rankings = aligned.rankings
    given = (
        [fusion.share(ranking, 1.0) for ranking in rankings]
        if type(fusion).fuse is Convex.fuse
        else fusion.fuse(rankings, [1.0] * len(rankings))
    )
    return [check_shares(fusion, each, r) for each, r in zip(given, rankings, strict=True)]


def _together(aligned: Aligned, shares: Sequence[Shares], weights: Weightings) -> Orders:
    """The rule of ``plait.fusion.order``, for all weightings at once.

    Hits stand by best rank and name to begin with, so the places themselves break ties.
    """
    hits = len(aligned.ids)
    scores = np.zeros((len(weights), hits))
    largest = np.zeros_like(scores)
    lowest = np.zeros(len(weights))
    for leg, (share, rows) in enumerate(zip(shares, aligned.rows, strict=True)):
        values = np.full(hits, share.absent)
        values[rows] = share.values
        terms = weights[:, leg, None] * values
        scores += terms
        lowest = np.minimum(lowest, weights[:, leg] * min((share.absent, *share.values)))
        largest = np.maximum(largest, abs(terms))
    order = np.argsort(-scores, axis=1, kind="stable")
    values = np.take_along_axis(scores, order, axis=1)
    gaps = values[:, :-1] - values[:, 1:]
    tolerance = EQUAL * abs(values[:, :-1])
    rounding = CANCELED * len(shares)
    close = gaps <= tolerance - rounding * lowest[:, None]
    if lowest.any():
        canceling = np.take_along_axis(largest, order, axis=1)
        close &= gaps <= tolerance + rounding * np.maximum(canceling[:, :-1], canceling[:, 1:])
    uneven = np.flatnonzero((close & (gaps > 0)).any(axis=1))
    if len(uneven):
        runs = np.zeros((len(uneven), hits), dtype=np.int64)
        np.cumsum(~close[uneven], axis=1, out=runs[:, 1:])
        order[uneven] = np.sort(runs * hits + order[uneven], axis=1) % hits
    return order


def _one(aligned: Aligned, fusion: Fusion, weights: Sequence[float]) -> list[int]:
    """The order under one weighting, by the fusion itself."""
    given = fusion.fuse(aligned.rankings, weights)
    columns = []
    for ranking, weight, each in zip(aligned.rankings, weights, given, strict=True):
        column = Column(ranking, weight, [str(name) for name in ranking.ids])
        column.settle(fusion, each)
        columns.append(column)
    places = dict(zip(aligned.ids, range(len(aligned.ids)), strict=True))
    scores = totals(columns)
    order, _ = Order(scores, columns).upto(len(scores))
    return [places[name] for name in order]
