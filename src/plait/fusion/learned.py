"""Fusion with coefficients that were learned from labelled queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from plait.errors import ConfigurationError
from plait.fusion.method import Absent, Fusion, check_number
from plait.fusion.score_based import Rsf
from plait.types import Ranking

__all__ = ["Learned"]

_MIN_MAX = Rsf()


@dataclass(frozen=True)
class Learned(Fusion):
    """The linear predictor of a logistic regression over what each leg says of a hit.

    A leg contributes a·s + b/(k + r) + c to a hit that it returned at rank r, and 0 to any other;
    s is the score min-max normalized over the leg's window as in ``Rsf``, with its rule for scores
    that do not vary or are missing. So the fused score is the log odds of relevance but for the
    constant that all hits share, and the legs' contributions add up to it. Coefficients are not
    negative: a hit that stands better in a leg never gets less from it.

    ``plait.evaluation.learn`` makes one. A leg of a query variant, such as ``bm25@rewrite``, is
    fused with the coefficients of its leg.

    Args:
        legs: Names of the legs that it was learned for.
        coefficients: (a, b, c) for each of them, >= 0, not all 0.
        k: Rank constant, >= 0; 0 for the reciprocal rank itself.

    Raises:
        ConfigurationError: A parameter out of range. When fusing: a leg that it was not learned
            for; a hybrid refuses it before it runs a leg.

    Example:
        >>> learned = Learned(("dense", "bm25"), ((2.0, 0.0, 0.5), (1.0, 3.0, 0.0)), k=9)
        >>> learned.contributions(Ranking("bm25", ("x", "y"), (8.0, 2.0)))
        [1.3, 0.2727272727272727]
    """

    absent: Absent = field(default=0.0, init=False, repr=False)
    legs: Sequence[str]
    coefficients: Sequence[Sequence[float]]
    k: float = 0
    name: ClassVar[str] = "learned"
    _shown: ClassVar[frozenset[str]] = frozenset({"k"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("learned: k", self.k, low=0)
        legs, rows = self.legs, self.coefficients
        if not _is_list(legs) or not all(isinstance(leg, str) and leg for leg in legs):
            raise ConfigurationError(f"learned: legs is {legs!r}, expected a list of leg names")
        if not legs or len(set(legs)) < len(legs):
            raise ConfigurationError(f"learned: legs is {legs!r}, expected each leg once")
        if not _is_list(rows) or len(rows) != len(legs) or not all(map(_is_list, rows)):
            raise ConfigurationError(
                f"learned: coefficients is {rows!r:.80} for the legs {list(legs)}; expected three "
                "numbers for each: of the score, of the reciprocal rank, of being returned"
            )
        for leg, row in zip(legs, rows, strict=True):
            if len(row) != 3:
                raise ConfigurationError(
                    f"learned: leg {leg!r} has {len(row)} coefficients, expected three: of the "
                    "score, of the reciprocal rank, of being returned"
                )
            for value in row:
                check_number(f"learned: coefficient of leg {leg!r}", value, low=0, high=1e100)
        if not any(map(any, rows)):
            raise ConfigurationError("learned: all coefficients are 0; expected one above 0")
        object.__setattr__(self, "legs", tuple(legs))
        object.__setattr__(self, "coefficients", tuple([tuple(map(float, row)) for row in rows]))

    def check_legs(self, legs: Sequence[str]) -> None:
        """Refuse legs that it was not learned for."""
        unknown = [leg for leg in legs if _plain(leg) not in self.legs]
        if unknown:
            raise ConfigurationError(
                f"this fusion was learned for the legs {', '.join(self.legs)} and not for "
                f"{', '.join(unknown)}; learn it again with all legs, or take another fusion"
            )

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """For every hit: a·s + b/(k + r) + c."""
        a, b, c = self._of(ranking.leg)
        k = self.k
        return [
            a * score + b / (k + rank) + c
            for rank, score in enumerate(_MIN_MAX.contributions(ranking), start=1)
        ]

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:  # noqa: ARG002
        """Says when scores were not used."""
        return _MIN_MAX.notes(ranking, _MIN_MAX.contributions(ranking))

    def bound(self, ranking: Ranking) -> float:
        """For the first hit: a + b/(k + 1) + c."""
        a, b, c = self._of(ranking.leg)
        return a + b / (self.k + 1) + c

    def _of(self, leg: str) -> Sequence[float]:
        self.check_legs([leg])
        return self.coefficients[self.legs.index(_plain(leg))]


def _plain(leg: str) -> str:
    """The leg of a variant: ``bm25`` of ``bm25@rewrite``."""
    return leg.partition("@")[0]


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
