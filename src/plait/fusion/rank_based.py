"""Fusion by rank alone: RRF, ISR, Borda, RBC. Scores are not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from plait.fusion.method import Absent, Fusion, Shares, check_number, count_legs
from plait.types import Ranking

__all__ = ["Borda", "Isr", "Rbc", "Rrf"]


@dataclass(frozen=True)
class Rrf(Fusion):
    """Reciprocal rank fusion: 1/(k + r), with r the 1-based rank.

    Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods, SIGIR 2009. Robust and blind: how much better the first hit is than the second
    is not seen. A large k rewards agreement of legs, a small one the top of each.

    Args:
        k: Rank constant, >= 0.
        absent: See ``Fusion``.

    Raises:
        ConfigurationError: ``k`` negative, not finite or not a number.

    Example:
        >>> Rrf(k=60).contributions(Ranking("bm25", ("a", "b"), (2.0, 1.0)))[0] == 1 / 61
        True
    """

    k: float = 60
    name: ClassVar[str] = "rrf"
    _shown: ClassVar[frozenset[str]] = frozenset({"k"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("rrf: k", self.k, low=0)

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """1/(k + r) for every rank r."""
        k = self.k
        return [1 / (k + rank) for rank in range(1, len(ranking) + 1)]

    def bound(self, ranking: Ranking) -> float:  # noqa: ARG002
        """1/(k + 1), for the first hit."""
        return 1 / (self.k + 1)


@dataclass(frozen=True)
class Rbc(Fusion):
    """Rank-biased centroids: (1 − φ)·φ^(r − 1), with r the 1-based rank.

    Bailey, Moffat, Scholer, Thomas: Retrieval Consistency in the Presence of Query Variations,
    SIGIR 2017. φ is the chance that a reader goes on to the next hit.

    Args:
        phi: Persistence, between 0 and 1, ends excluded; 0.8 to 0.98 are usual.
        absent: See ``Fusion``.

    Raises:
        ConfigurationError: ``phi`` out of range.

    Example:
        >>> Rbc(phi=0.5).contributions(Ranking("bm25", ("a", "b"), (2.0, 1.0)))
        [0.5, 0.25]
    """

    phi: float
    name: ClassVar[str] = "rbc"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("rbc: phi", self.phi, low=0, high=1, open=True)

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """(1 − φ)·φ^(r − 1) for every rank r."""
        phi = self.phi
        return [(1 - phi) * phi**below for below in range(len(ranking))]

    def bound(self, ranking: Ranking) -> float:  # noqa: ARG002
        """1 − φ, for the first hit."""
        return 1 - self.phi


@dataclass(frozen=True)
class Isr(Fusion):
    """Inverse square rank: 1/r², times the number of legs that returned the hit.

    Mourão, Martins, Magalhães: Multimodal medical information retrieval with unsupervised rank
    fusion, Computerized Medical Imaging and Graphics 39, 2015. The top of each leg decides. The
    leg-count factor is part of every contribution's value; a leg with weight 0 does not count.

    Example:
        >>> a, b = Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("y",), (0.5,))
        >>> [shares.values for shares in Isr().fuse([a, b], [1.0, 1.0])]
        [[1.0, 0.5], [2.0]]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "isr"

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """1/r² for every rank r, before the leg-count factor."""
        return [1 / rank**2 for rank in range(1, len(ranking) + 1)]

    def bound(self, ranking: Ranking) -> float:  # noqa: ARG002
        """1, for the first hit, before the leg-count factor."""
        return 1.0

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """Weight · 1/r² · number of legs that returned the hit."""
        return times_legs(self, rankings, weights)


@dataclass(frozen=True)
class Borda(Fusion):
    """Borda count: of n hits in the pool, rank r gets n − r + 1 points.

    Aslam, Montague: Models for Metasearch, SIGIR 2001. The points that a leg leaves over are shared
    evenly by the hits that it did not return: each gets (n − m + 1)/2 from a leg with m hits.
    A leg that returned nothing gives 0 to all, which changes no order.

    Example:
        >>> a, b = Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("z",), (0.5,))
        >>> [(shares.values, shares.absent) for shares in Borda().fuse([a, b], [1.0, 1.0])]
        [([3.0, 2.0], 1.0), ([3.0], 1.5)]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "borda"

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """Weight · (n − r + 1), and weight · (n − m + 1)/2 for hits that the leg lacks."""
        pool = len(count_legs(rankings))
        shares = []
        for ranking, weight in zip(rankings, weights, strict=True):
            found = len(ranking)
            points = [float(pool - above) for above in range(found)]
            left = (pool - found + 1) / 2 if found else 0.0
            shares.append(
                Shares(
                    values=[weight * value for value in points],
                    normalized=points,
                    absent=weight * left,
                    absent_normalized=left,
                    bound=weight * pool,
                )
            )
        return shares


def times_legs(
    fusion: Fusion, rankings: Sequence[Ranking], weights: Sequence[float]
) -> Sequence[Shares]:
    """Each leg's shares by ``fusion.share``, times the number of legs that returned the hit."""
    counts = count_legs(rankings)
    counted = []
    for ranking, weight in zip(rankings, weights, strict=True):
        plain = fusion.share(ranking, weight)
        counted.append(
            Shares(
                values=[
                    value * counts[identity]
                    for value, identity in zip(plain.values, ranking.ids, strict=True)
                ],
                normalized=plain.normalized,
                bound=None if plain.bound is None else plain.bound * len(rankings),
                notes=plain.notes,
            )
        )
    return counted
