"""Fusion by scores measured against the mean and deviation of their window: DBSF and z-scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from plait.errors import ConfigurationError
from plait.fusion.method import Absent
from plait.fusion.normalize import Window, deviation, mean
from plait.fusion.score_based import Flat, ScoreFusion

__all__ = ["Dbsf", "ZScore"]

# Past this exp leaves the range of a double, and the logistic function is 0 for all that matters.
_DEEP = 700.0


@dataclass(frozen=True)
class Dbsf(ScoreFusion):
    """Distribution-based score fusion: scores against the mean and deviation of their window.

    With z = (s − mean)/sd:

    * ``shape="logistic"``: 1/(1 + exp(−z)), between 0 and 1.
    * ``shape="3sigma"``: (z + 3)/6, that is (s − (μ − 3σ))/6σ, not clipped. This is the published
      form: Mazzeschi, Distribution-Based Score Fusion, 2023; Qdrant has it with ``ddof=1``,
      LlamaIndex and Haystack with ``ddof=0``.

    The spread of the whole window sets the scale, not its two ends, which are its noisiest scores.
    An outlier still presses the others together, here as under min-max.

    Args:
        shape: ``"logistic"`` or ``"3sigma"``.
        ddof: 0 for the population deviation, 1 for that of a sample.
        flat: See ``ScoreFusion``; None for the shape's own: 1 for logistic, 0.5 for 3sigma.
        absent: See ``Fusion``. Under 3sigma a hit more than 3σ below the mean has a negative
            contribution; what absent hits get is then lowered to it, with a note.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> from plait.types import Ranking
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
        exp = math.exp
        try:
            return [1 / (1 + exp((center - score) / spread)) for score in window.scores]
        except OverflowError:  # among half a million hits one can be that far below the mean
            return [1 / (1 + exp(min(_DEEP, (center - s) / spread))) for s in window.scores]

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
        >>> from plait.types import Ranking
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
