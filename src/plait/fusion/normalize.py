"""From one leg's raw scores to numbers that legs can share: windows, spreads, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from plait.types import Ranking

__all__ = ["Window", "deviation", "mean", "reciprocal_ranks", "unusable"]

# From here on scores are scaled down, so that sums and differences stay in the range of a double.
_LARGE = 1e100
# Sums of squares below this have lost digits: the scores are too small to be squared.
_VANISHING = 1e-200


@dataclass(frozen=True, slots=True)
class Window:
    """The scores of one leg's ranking: higher is better, best first, at least one.

    Attributes:
        scores: The scores, distances with their sign turned.
        floor: Lowest score that the leg can give in theory, None if unknown.
    """

    scores: Sequence[float]
    floor: float | None = None

    @classmethod
    def of(cls, ranking: Ranking) -> Window:
        """The window of a ranking with at least one hit whose scores are usable.

        Extreme scores are scaled by a power of two, which changes no normalized value.
        """
        scores = cast("tuple[float, ...]", ranking.oriented)
        low, high = ranking.score_range
        floor = low
        if not ranking.higher_is_better:
            floor = None if high is None else -high
        window = cls(scores, floor)
        if window.magnitude < _LARGE:
            return window
        down = -math.frexp(window.magnitude)[1]
        return cls(
            [math.ldexp(score, down) for score in scores],
            None if floor is None else math.ldexp(floor, down),
        )

    @property
    def highest(self) -> float:
        """Score of the first hit."""
        return self.scores[0]

    @property
    def lowest(self) -> float:
        """Score of the last hit."""
        return self.scores[-1]

    @property
    def magnitude(self) -> float:
        """The largest absolute score."""
        return max(abs(self.scores[0]), abs(self.scores[-1]))


def unusable(ranking: Ranking) -> str | None:
    """Why the scores of a ranking cannot be fused, None if they can."""
    if ranking.order == "position":
        return "its order does not follow its scores"
    if not ranking.is_scored:
        return "some of its hits have no score"
    return None


def mean(scores: Sequence[float]) -> float:
    """Arithmetic mean, the same whatever the order of the scores."""
    return math.fsum(scores) / len(scores)


def deviation(scores: Sequence[float], ddof: int) -> float:
    """Standard deviation of scores, best first; 0 for one score.

    ``ddof`` is 0 for the deviation of a population, 1 for that of a sample.
    """
    if len(scores) < 2:
        return 0.0
    center = mean(scores)
    squares = math.fsum([(score - center) * (score - center) for score in scores])
    if squares > _VANISHING:
        return math.sqrt(squares / (len(scores) - ddof))
    widest = max(scores[0] - center, center - scores[-1])
    if widest == 0.0:
        return 0.0
    squares = math.fsum([((score - center) / widest) ** 2 for score in scores])
    return widest * math.sqrt(squares / (len(scores) - ddof))


def reciprocal_ranks(count: int) -> list[float]:
    """1/r for the ranks 1 to ``count``."""
    return [1 / rank for rank in range(1, count + 1)]
