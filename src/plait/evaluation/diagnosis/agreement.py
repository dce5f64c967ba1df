"""How much two rankings agree: which hits they share, how high up, and in which order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["jaccard", "kendall_tau", "overlap", "rank_biased_overlap"]


def overlap(first: Sequence[str], second: Sequence[str], depth: int | None = None) -> float | None:
    """Share of the shorter list that the other has too: |A ∩ B| / min(|A|, |B|).

    The overlap coefficient of Szymkiewicz and Simpson. For two lists of ``depth`` hits it is the
    share of hits in common; a leg that found only two is not blamed for the eight it lacks.

    Args:
        first: Ids, best first, each once.
        second: Likewise.
        depth: Only the first so many, >= 1; None for all.

    Returns:
        Between 0 and 1; None if a list is empty, since then there is nothing to agree on.

    Example:
        >>> overlap(["a", "b", "c"], ["c", "a"], depth=2)
        0.5
    """
    one, other = set(first[:depth]), set(second[:depth])
    return len(one & other) / min(len(one), len(other)) if one and other else None


def jaccard(first: Sequence[str], second: Sequence[str], depth: int | None = None) -> float | None:
    """Share of all hits that both lists have: |A ∩ B| / |A ∪ B|.

    Args:
        first: Ids, best first, each once.
        second: Likewise.
        depth: Only the first so many, >= 1; None for all.

    Returns:
        Between 0 and 1; None if a list is empty.

    Example:
        >>> jaccard(["a", "b", "c"], ["c", "a"]) == 2 / 3
        True
    """
    one, other = set(first[:depth]), set(second[:depth])
    return len(one & other) / len(one | other) if one and other else None


def rank_biased_overlap(
    first: Sequence[str], second: Sequence[str], *, persistence: float = 0.9
) -> float | None:
    """Rank-biased overlap, extrapolated: agreement at every depth, the top counting most.

    RBO_EXT of Webber, Moffat, Zobel: A Similarity Measure for Indefinite Rankings, ACM TOIS 28,
    2010, equation 32. With X(d) hits in common among the first d, s and l the lengths of the
    shorter and the longer list, and p the persistence::

        (1 − p)/p · [ Σ_{d=1..l} X(d)/d · p^d  +  Σ_{d=s+1..l} X(s)·(d − s)/(s·d) · p^d ]
            +  [ (X(l) − X(s))/l + X(s)/s ] · p^l

    Args:
        first: Ids, best first, each once.
        second: Likewise.
        persistence: p, between 0 and 1, ends excluded. With 0.9 the first ten ranks carry 86 % of
            the weight.

    Returns:
        1 for equal lists, 0 for lists without a common hit; None if a list is empty.

    Example:
        >>> rank_biased_overlap(["a", "b"], ["b", "a"], persistence=0.5)
        0.5
    """
    shorter, longer = sorted((first, second), key=len)
    if not shorter:
        return None
    s, length = len(shorter), len(longer)
    places = {identity: place for place, identity in enumerate(shorter)}
    common = np.zeros(length)
    for place, identity in enumerate(longer):
        if identity in places:
            common[max(place, places[identity])] += 1
    shared = np.cumsum(common)
    depth = np.arange(1.0, length + 1)
    weight = persistence**depth
    seen = float(np.sum(shared / depth * weight))
    past = depth[s:]
    guessed = float(np.sum(shared[s - 1] * (past - s) / (s * past) * weight[s:]))
    rest = (shared[-1] - shared[s - 1]) / length + shared[s - 1] / s
    return float((1 - persistence) / persistence * (seen + guessed) + rest * weight[-1])


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float | None:
    """Kendall's rank correlation τ-b, which allows for ties.

    (C − D) / √((P − T₁)(P − T₂)): of P pairs, C stand in the same order in both, D in opposite
    order, T₁ and T₂ are tied in the first and the second. Kendall: The Treatment of Ties in Ranking
    Problems, Biometrika 33, 1945.

    Args:
        first: A score of each item, higher is better, shape (n,), finite.
        second: Another one of the same items, shape (n,), finite.

    Returns:
        1 for the same order, −1 for the opposite one. None for fewer than two items, or where one
        side does not vary: nothing is ordered there.

    Example:
        >>> kendall_tau([3.0, 2.0, 1.0], [9.0, 5.0, 7.0]) == (2 - 1) / 3
        True
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    upper = np.triu_indices(len(a), k=1)
    signs_a = np.sign(a[:, None] - a[None, :])[upper]
    signs_b = np.sign(b[:, None] - b[None, :])[upper]
    varied = float(np.count_nonzero(signs_a)) * float(np.count_nonzero(signs_b))
    return float(signs_a @ signs_b) / varied**0.5 if varied else None
