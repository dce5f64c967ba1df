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

from plait.fusion.method import Absent, Fusion, Shares, check_number
from plait.fusion.normalize import Window, reciprocal_ranks, unusable
from plait.fusion.rank_based import times_legs
from plait.types import Ranking

__all__ = ["CombMnz", "CombSum", "Convex", "Flat", "Rsf", "ScoreFusion"]

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
        raise NotImplementedError(f"{type(self).__name__} does not write spread(window)")

    def normalize(self, window: Window, spread: float) -> list[float]:
        """The contributions, for scores that vary."""
        raise NotImplementedError(f"{type(self).__name__} does not write normalize(window, spread)")

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

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:
        """Says when scores were not used."""
        if not given:
            return ()
        reason = unusable(ranking)
        if reason is not None:
            return (f"used by rank: {reason}",)
        if given[0] != given[-1] and self.flat != "rank":
            return ()  # scores that do not vary would all count the same
        window = Window.of(ranking)
        if not self._is_flat(window, self.spread(window)):
            return ()
        level = self.level(window)
        count = "1/rank" if level == "rank" else f"{level:g}"
        return (
            f"its only hit counts {count}"
            if len(ranking) == 1
            else f"scores do not vary: each hit counts {count}",
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

    Args:
        flat: See ``ScoreFusion``; >= 0, since more legs with a hit must not lower it.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> a = Ranking("a", ("x", "y", "z"), (9.0, 3.0, 1.0))
        >>> b = Ranking("b", ("y",), (0.5,))
        >>> [shares.values for shares in CombMnz().fuse([a, b], [1.0, 1.0])]
        [[1.0, 0.5, 0.0], [2.0]]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "combmnz"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.flat is not None and self.flat != "rank":
            check_number("combmnz: flat", self.flat, low=0, hint=' or "rank"')

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """Weight · min-max score · number of legs that returned the hit."""
        return times_legs(self, rankings, weights)


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

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:
        """Says when scores, or the leg's lowest possible score, were not used."""
        notes = super().notes(ranking, given)
        if notes or not given:
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
