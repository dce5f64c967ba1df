"""Shift: how much each held-out sentence counts, given what users really ask."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation.logistic import fit_logistic
from plait.fusion.auto import lead
from plait.types import Ranking

__all__ = ["features", "likeness"]

Floats: TypeAlias = NDArray[np.float64]

_RIDGE = 0.01  # keeps the classifier from telling two small samples apart by chance
_LIMIT = 10.0  # times their mean that odds are believed


def features(topics: Iterable[Sequence[Ranking]]) -> Floats:
    """What the legs' answers say of a query, without any judgment.

    Of each leg: the logarithm of the lead of its first hit over the next nine, as a part of the
    spread of its scores; its best score if its range is bounded, as that of cosine is, since others
    grow with the length of a query; the share of the query that its first hit matches.

    Args:
        topics: One ranking per leg for each query, the legs in the same order.

    Returns:
        Shape (queries, 3 · legs).
    """
    return np.array([[value for ranking in legs for value in _of(ranking)] for legs in topics])


def _of(ranking: Ranking) -> tuple[float, float, float]:
    coverage = 1.0 if ranking.coverage is None else ranking.coverage
    best = ranking.oriented[0] if ranking.scores and None not in ranking.score_range else None
    return math.log(lead(ranking)), 0.0 if best is None else best, coverage


def likeness(sentences: Floats, queries: Floats) -> Floats:
    """How much each sentence counts so that together they are like the queries.

    A logistic regression tells queries from sentences by their features; a sentence counts by its
    odds of being a query (covariate shift: Shimodaira, Journal of Statistical Planning and
    Inference 90, 2000, with the ratio of densities estimated as in Bickel, Brückner, Scheffer,
    JMLR 10, 2009). Odds above ten times their mean count as that.

    Args:
        sentences: Shape (sentences, features).
        queries: Shape (queries, features).

    Returns:
        Weights > 0 with mean 1, shape (sentences,); all 1 where no feature varies.

    Example:
        >>> sentences, queries = np.array([[0.0], [1.0], [2.0]]), np.array([[2.0], [3.0]])
        >>> (np.diff(likeness(sentences, queries)) > 0).tolist()  # the last one is most like them
        [True, True]
    """
    count = len(sentences)
    both = np.concatenate([sentences, queries])
    is_query = (np.arange(len(both)) >= count).astype(np.float64)
    # Both samples count the same, whatever their sizes.
    share = np.where(is_query, 0.5 / len(queries), 0.5 / count)
    centered = both - share @ both
    spread = np.sqrt(share @ centered**2)
    varying = spread > 0
    scaled = centered[:, varying] / spread[varying]
    *slopes, constant = fit_logistic(scaled, is_query, share, _RIDGE)
    odds = np.exp(scaled[:count] @ slopes + constant)
    odds = np.minimum(odds / odds.mean(), _LIMIT)
    return np.asarray(odds / odds.mean())
