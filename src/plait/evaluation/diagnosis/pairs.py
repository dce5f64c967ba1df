"""Pair: how much two legs agree over all queries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

from plait.evaluation.diagnosis.agreement import (
    jaccard,
    kendall_tau,
    overlap,
    rank_biased_overlap,
)
from plait.types import Ranking

__all__ = ["Pair"]

_ENOUGH = 10  # common hits, for a correlation that is not an accident


@dataclass(frozen=True, slots=True)
class Pair:
    """How much two legs agree, as means over the queries for which both returned hits.

    Attributes:
        first: Name of a leg.
        second: Name of the other.
        queries: How many queries both answered with hits.
        overlap_at_10: Share of common hits in the top ten, of the shorter list; None without
            queries, as are the others.
        overlap: The same in the whole window.
        jaccard: Common hits among all hits of both, in the whole window.
        rank_biased: Rank-biased overlap with persistence 0.9.
        correlation: Kendall's τ-b on the common hits, over queries with ten or more of them.
        correlation_error: Standard error of that mean; None for fewer than two such queries.
        correlated: How many such queries there are.
    """

    first: str
    second: str
    queries: int
    overlap_at_10: float | None
    overlap: float | None
    jaccard: float | None
    rank_biased: float | None
    correlation: float | None
    correlation_error: float | None
    correlated: int

    @classmethod
    def of(cls, first: str, second: str, answers: Iterable[tuple[Ranking, Ranking]]) -> Pair:
        """The figures of two legs from their rankings, without hits or with."""
        rows = [_figures(one, other) for one, other in answers if one.ids and other.ids]
        columns = list(zip(*rows, strict=True)) or [()] * 5
        top, whole, union, biased, correlations = map(_known, columns)
        error = None
        if len(correlations) > 1:
            error = stdev(correlations) / math.sqrt(len(correlations))
        return cls(
            first,
            second,
            len(rows),
            _mean(top),
            _mean(whole),
            _mean(union),
            _mean(biased),
            _mean(correlations),
            error,
            len(correlations),
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return asdict(self)


def _figures(one: Ranking, other: Ranking) -> tuple[float | None, ...]:
    a, b = _scores(one), _scores(other)
    ids = list(a), list(b)
    common = [name for name in a if name in b]
    correlation = None
    if len(common) >= _ENOUGH:
        correlation = kendall_tau([a[name] for name in common], [b[name] for name in common])
    return (
        overlap(*ids, depth=10),
        overlap(*ids),
        jaccard(*ids),
        rank_biased_overlap(*ids),
        correlation,
    )


def _scores(ranking: Ranking) -> dict[str, float]:
    """What orders the hits, by id, each at its best rank: the score, or the rank where none is."""
    scores = ranking.oriented
    if ranking.order == "position" or None in scores:
        scores = tuple(-float(place) for place in range(len(scores)))
    ordered: dict[str, float] = {}
    for name, score in zip(ranking.ids, scores, strict=True):
        if name is not None and score is not None:
            ordered.setdefault(name, score)
    return ordered


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None
