"""Fusion by scores: each leg's scores are normalized, then added with the legs' weights.

One rule for scores that cannot be normalized holds for all methods here:

* A leg with a missing score, or whose order does not follow its scores, is used by rank: 1/r.
* A leg whose scores do not vary, because the method's own denominator is at most 1e-6 of the
  largest absolute score, or because there is one hit, gives each hit ``flat``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from plait.errors import ConfigurationError
from plait.fusion.method import Absent, Fusion, Shares, check_number
from plait.fusion.normalize import Window, deviation, mean, reciprocal_ranks, unusable
from plait.fusion.rank_based import times_legs
from plait.types import Ranking

__all__ = ["CombMnz", "CombSum", "Convex", "Dbsf", "Flat", "Rsf", "ScoreFusion", "ZScore"]

Flat: TypeAlias = float | Literal["rank"]


@dataclass(frozen=True)
class ScoreFusion(Fusion):
    """Base of methods that normalize a leg's scores. They write ``spread`` and ``normalize``.

    Args:
        flat: What each hit gets from a leg whose scores do not vary: a number, or ``"rank"`` for
            1/r by position. None for the method's own, which is 1 unless it says otherwise: by
            rank, where tied hits share rank 1.
        absent: See ``Fusion``.

    Raises:
        ConfigurationError: A parameter out of range.
    """

    flat: Flat | None = field(default=None, kw_only=True)

    # Scores whose spread is at most this part of their magnitude do not vary.
    tolerance: ClassVar[float] = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.flat is not None and self.flat != "rank":
            check_number(f"{self.name}: flat", self.flat, hint=' or "rank"')

    def spread(self, window: Window) -> float:
        """The method's denominator, >= 0."""
        raise NotImplementedError

    def normalize(self, window: Window, spread: float) -> list[float]:
        """The contributions, for scores that vary."""
        raise NotImplementedError

    def peak(self, hits: int) -> float | None:  # noqa: ARG002 (for subclasses)
        """Highest value that ``normalize`` can give in a window of so many hits, >= 2."""
        return None

    def level(self, window: Window) -> Flat:  # noqa: ARG002 (for subclasses)
        """What each hit of a window gets whose scores do not vary."""
        return 1.0 if self.flat is None else self.flat

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """The normalized scores, or the fallback for scores that cannot be normalized."""
        if not len(ranking) or unusable(ranking):
            return reciprocal_ranks(len(ranking))
        window = Window.of(ranking)
        spread = self.spread(window)
        if not self._is_flat(window, spread):
            return self.normalize(window, spread)
        level = self.level(window)
        if level == "rank":
            return reciprocal_ranks(len(ranking))
        return [level] * len(ranking)

    def notes(self, ranking: Ranking) -> tuple[str, ...]:
        """Says when scores were not used."""
        if not len(ranking):
            return ()
        reason = unusable(ranking)
        if reason is not None:
            return (f"used by rank: {reason}",)
        window = Window.of(ranking)
        if not self._is_flat(window, self.spread(window)):
            return ()
        level = self.level(window)
        given = "1/rank" if level == "rank" else f"{level:g}"
        return (
            f"its only hit counts {given}"
            if len(ranking) == 1
            else f"scores do not vary: each hit counts {given}",
        )

    def bound(self, ranking: Ranking) -> float | None:
        """The highest contribution for a ranking of this length: normalized, flat or by rank."""
        hits = len(ranking)
        if hits and unusable(ranking):
            return 1.0
        level = self.level(Window((0.0,)))
        flat = 1.0 if level == "rank" else level
        if hits < 2:
            return flat
        peak = self.peak(hits)
        return None if peak is None else max(peak, flat)

    def _is_flat(self, window: Window, spread: float) -> bool:
        return len(window.scores) == 1 or spread <= self.tolerance * window.magnitude


class _MinMax(ScoreFusion):
    """(s − min)/(max − min) over the leg's window."""

    def spread(self, window: Window) -> float:
        """The width of the window, max − min."""
        return window.highest - window.lowest

    def normalize(self, window: Window, spread: float) -> list[float]:
        """(s − min)/(max − min), between 0 and 1."""
        low = window.lowest
        return [(score - low) / spread for score in window.scores]

    def peak(self, hits: int) -> float:  # noqa: ARG002
        """1, for the first hit."""
        return 1.0


@dataclass(frozen=True)
class Rsf(_MinMax):
    """Relative score fusion: (s − min)/(max − min) over the leg's window.

    The min-max normalization of Lee: Analyses of Multiple Evidence Combination, SIGIR 1997, under
    the name that vector databases gave it. How far apart the scores are is kept; the last hit of a
    window gets 0, so the window (``fetch_k``) should be wide: 100 to 200.

    Args:
        flat: See ``ScoreFusion``.
        absent: See ``Fusion``.

    Example:
        >>> Rsf().contributions(Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0)))
        [1.0, 0.25, 0.0]
    """

    name: ClassVar[str] = "rsf"


@dataclass(frozen=True)
class CombSum(_MinMax):
    """CombSUM: the sum of min-max normalized scores.

    Fox, Shaw: Combination of Multiple Searches, TREC-2, 1994; min-max as in Lee, SIGIR 1997. With
    weights it is what is called relative score fusion today: the same numbers as ``Rsf``.

    Example:
        >>> CombSum().contributions(Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0)))
        [1.0, 0.25, 0.0]
    """

    name: ClassVar[str] = "combsum"


@dataclass(frozen=True)
class CombMnz(_MinMax):
    """CombMNZ: the sum of min-max normalized scores, times the number of legs with the hit.

    Fox, Shaw: Combination of Multiple Searches, TREC-2, 1994; min-max as in Lee, SIGIR 1997.
    Rewards agreement more than CombSUM. The leg-count factor is part of every contribution's value;
    a leg with weight 0 does not count.

    Example:
        >>> a = Ranking("a", ("x", "y", "z"), (9.0, 3.0, 1.0))
        >>> b = Ranking("b", ("y",), (0.5,))
        >>> [shares.values for shares in CombMnz().fuse([a, b], [1.0, 1.0])]
        [[1.0, 0.5, 0.0], [2.0]]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "combmnz"

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """Weight · min-max score · number of legs that returned the hit."""
        return times_legs(self, rankings, weights)


@dataclass(frozen=True)
class Dbsf(ScoreFusion):
    """Distribution-based score fusion: scores against the mean and deviation of their window.

    With z = (s − mean)/sd:

    * ``shape="logistic"``: 1/(1 + exp(−z)), between 0 and 1.
    * ``shape="3sigma"``: (z + 3)/6, that is (s − (μ − 3σ))/6σ, not clipped. This is the published
      form: Mazzeschi, Distribution-Based Score Fusion, 2023; Qdrant has it with ``ddof=1``,
      LlamaIndex and Haystack with ``ddof=0``.

    One outlier does not squeeze the other scores together as min-max does.

    Args:
        shape: ``"logistic"`` or ``"3sigma"``.
        ddof: 0 for the population deviation, 1 for that of a sample.
        flat: See ``ScoreFusion``; None for the shape's own: 1 for logistic, 0.5 for 3sigma.
        absent: See ``Fusion``. Under 3sigma a hit more than 3σ below the mean has a negative
            contribution; what absent hits get is then lowered to it, with a note.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> Dbsf(shape="3sigma").contributions(Ranking("bm25", ("a", "b"), (3.0, 1.0)))
        [0.6666666666666666, 0.3333333333333333]
    """

    shape: Literal["logistic", "3sigma"] = "logistic"
    ddof: int = 0
    name: ClassVar[str] = "dbsf"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shape not in ("logistic", "3sigma"):
            raise ConfigurationError(
                f'dbsf: shape is {self.shape!r}, expected "logistic" or "3sigma"'
            )
        if type(self.ddof) is not int or self.ddof not in (0, 1):
            raise ConfigurationError(
                f"dbsf: ddof is {self.ddof!r}, expected 0 (population) or 1 (sample)"
            )

    def spread(self, window: Window) -> float:
        """The standard deviation."""
        return deviation(window.scores, self.ddof)

    def normalize(self, window: Window, spread: float) -> list[float]:
        """The z-scores in the method's shape."""
        center = mean(window.scores)
        if self.shape == "3sigma":
            return [((score - center) / spread + 3) / 6 for score in window.scores]
        return [_logistic((score - center) / spread) for score in window.scores]

    def peak(self, hits: int) -> float:
        """1, or what one outlier among so many hits gets under 3sigma."""
        if self.shape == "logistic":
            return 1.0
        return (math.sqrt(hits - 1) * math.sqrt((hits - self.ddof) / hits) + 3) / 6

    def level(self, window: Window) -> Flat:
        """1 for logistic, 0.5 for 3sigma, unless ``flat`` says otherwise."""
        if self.flat is None and self.shape == "3sigma":
            return 0.5
        return super().level(window)


@dataclass(frozen=True)
class ZScore(ScoreFusion):
    """Standard scores: z = (s − mean)/sd over the leg's window, population deviation.

    Zero-mean unit-variance normalization: Montague, Aslam: Relevance Score Normalization for
    Metasearch, CIKM 2001. The mean is 0, so a hit that a leg did not return gets the leg's lowest,
    not 0. Contributions, and fused scores, may be negative. From a leg whose scores do not vary,
    such as one hit, present and absent hits then get the same: it does not order anything.

    Args:
        absent: ``"min"``, or a negative number; see ``Fusion``.
        flat: See ``ScoreFusion``.

    Raises:
        ConfigurationError: A parameter out of range; ``absent`` of 0 or more.

    Example:
        >>> ZScore().contributions(Ranking("bm25", ("a", "b"), (3.0, 1.0)))
        [1.0, -1.0]
    """

    absent: Absent = field(default="min", kw_only=True)
    name: ClassVar[str] = "zscore"
    _shown: ClassVar[frozenset[str]] = frozenset({"absent"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.absent != "min" and self.absent >= 0:
            raise ConfigurationError(
                f"zscore: absent is {self.absent!r}, which is above the mean or at it: a hit would "
                'rank higher for not being found; expected "min" or a negative number'
            )

    def spread(self, window: Window) -> float:
        """The standard deviation."""
        return deviation(window.scores, 0)

    def normalize(self, window: Window, spread: float) -> list[float]:
        """(s − mean)/sd."""
        center = mean(window.scores)
        return [(score - center) / spread for score in window.scores]

    def peak(self, hits: int) -> float:
        """√(n − 1), for one outlier among n hits."""
        return math.sqrt(hits - 1)


@dataclass(frozen=True)
class Convex(ScoreFusion):
    """Convex combination: (s − lo)/(max − lo), lo the lowest score that the leg can give at all.

    TM2C2 of Bruch, Gai, Ingber: An Analysis of Fusion Functions for Hybrid Retrieval, ACM TOIS 42,
    2023. lo is the lower end of the ranking's ``score_range``, 0 for BM25 and −1 for cosine, so
    a weak last hit is not pressed to 0. Values are divided by the sum of the weights: a fused
    score is between 0 and 1. Where lo is unknown, or a score is below it, the lowest score of the
    window is used, with a note.

    Args:
        flat: See ``ScoreFusion``.
        absent: See ``Fusion``.

    Example:
        >>> bm25 = Ranking("bm25", ("a", "b"), (8.0, 2.0), score_range=(0.0, None))
        >>> Convex().contributions(bm25)
        [1.0, 0.25]
    """

    name: ClassVar[str] = "convex"

    def spread(self, window: Window) -> float:
        """The distance max − lo."""
        return window.highest - _floor(window)

    def normalize(self, window: Window, spread: float) -> list[float]:
        """(s − lo)/(max − lo), between 0 and 1."""
        low = _floor(window)
        return [(score - low) / spread for score in window.scores]

    def peak(self, hits: int) -> float:  # noqa: ARG002
        """1, for the first hit."""
        return 1.0

    def notes(self, ranking: Ranking) -> tuple[str, ...]:
        """Says when scores, or the leg's lowest possible score, were not used."""
        notes = super().notes(ranking)
        if notes or not len(ranking):
            return notes
        window = Window.of(ranking)
        if window.floor is None:
            return ("its lowest possible score is unknown: the lowest of its window is used",)
        if window.lowest < window.floor:
            return ("a score is below its score_range: the lowest of its window is used",)
        return ()

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """Weight / sum of weights · normalized score."""
        total = math.fsum(weights)
        return [
            self.share(ranking, weight / total)
            for ranking, weight in zip(rankings, weights, strict=True)
        ]


def _floor(window: Window) -> float:
    return window.lowest if window.floor is None else min(window.floor, window.lowest)


def _logistic(z: float) -> float:
    """1/(1 + exp(−z)), without overflow for large negative z."""
    if z >= 0:
        return 1 / (1 + math.exp(-z))
    grown = math.exp(z)
    return grown / (1 + grown)
