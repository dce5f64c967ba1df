"""Recipes: how another system fuses, in terms of plait's methods."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

from plait.errors import ConfigurationError
from plait.fusion.distribution import Dbsf, ZScore
from plait.fusion.method import Absent, Fusion, Shares, as_floats
from plait.fusion.normalize import Window, reciprocal_ranks, unusable
from plait.fusion.rank_based import times_legs
from plait.fusion.score_based import Flat, Rsf
from plait.types import Ranking

__all__ = [
    "MinMax",
    "Preset",
    "Raw",
    "Recipe",
    "Signed",
    "SignedThreeSigma",
    "ThreeSigma",
    "Weighting",
    "ZeroMean",
]

Weighting: TypeAlias = Literal["given", "shares", "equal"]


@dataclass(frozen=True)
class Recipe:
    """How a system fuses: what a hit gets in one leg, and how legs are put together.

    Attributes:
        method: Gives the contribution of a hit in one leg.
        weighting: ``given``: times the weight; ``shares``: times the weight's part of the sum of
            weights; ``equal``: weights do nothing, so unequal ones are refused.
        scale: A constant factor.
        combine: ``sum``; ``max``: a hit's best leg gives all, the others 0; ``mnz``: the sum times
            the number of legs with the hit.
    """

    method: Fusion
    weighting: Weighting = "given"
    scale: float = 1.0
    combine: Literal["sum", "max", "mnz"] = "sum"


@dataclass(frozen=True)
class Preset(Fusion, ABC):
    """A fusion that follows a recipe: another system's numbers."""

    absent: Absent = field(default=0.0, init=False, repr=False)

    @abstractmethod
    def recipe(self) -> Recipe:
        """What the system does."""
        ...

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """What the system gives a hit in one leg, before the weight."""
        return self.recipe().method.contributions(ranking)

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Shares]:
        """The system's own combination of the legs."""
        recipe = self.recipe()
        factors = [recipe.scale * factor for factor in self._factors(recipe.weighting, weights)]
        if recipe.combine == "mnz":
            return times_legs(recipe.method, rankings, factors)
        shares = []
        for ranking, factor in zip(rankings, factors, strict=True):
            normalized = as_floats(recipe.method.contributions(ranking))
            bound = recipe.method.bound(ranking)
            shares.append(
                Shares(
                    values=[factor * value for value in normalized],
                    normalized=normalized,
                    bound=None if bound is None else factor * bound,
                    notes=recipe.method.notes(ranking, normalized),
                )
            )
        return _best_only(rankings, shares) if recipe.combine == "max" else shares

    def _factors(self, weighting: Weighting, weights: Sequence[float]) -> Sequence[float]:
        if weighting == "given":
            return weights
        if weighting == "shares":
            total = math.fsum(weights)
            return [weight / total for weight in weights]
        if len(set(weights)) > 1:
            raise ConfigurationError(
                f"{self} does not weight legs, as in the system that it follows, and the weights "
                f"are {list(weights)!r}; give equal weights, or take another fusion"
            )
        return [1.0] * len(weights)


def _best_only(rankings: Sequence[Ranking], shares: Sequence[Shares]) -> list[Shares]:
    """Let each hit have its highest value only; of equal ones the best rank, then leg name."""
    best: dict[str | None, tuple[float, int, str]] = {}
    for ranking, given in zip(rankings, shares, strict=True):
        for rank, (identity, value) in enumerate(zip(ranking.ids, given.values, strict=True)):
            claim = (-value, rank, ranking.leg)
            if identity not in best or claim < best[identity]:
                best[identity] = claim
    bounds = [given.bound for given in shares]
    known = [bound for bound in bounds if bound is not None]
    highest = max(known) if known and len(known) == len(bounds) else None
    return [
        replace(
            given,
            values=[
                value if best[identity][2] == ranking.leg else 0.0
                for identity, value in zip(ranking.ids, given.values, strict=True)
            ],
            # The bounds of the legs are added up: one of them carries that of the highest.
            bound=highest if place == 0 or highest is None else 0.0,
        )
        for place, (ranking, given) in enumerate(zip(rankings, shares, strict=True))
    ]


class Raw(Fusion):
    """The scores as they are; by rank where there are none."""

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """The scores, distances with their sign turned; 1/r where scores are missing."""
        if unusable(ranking):
            return reciprocal_ranks(len(ranking))
        return [score for score in ranking.oriented if score is not None]

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:  # noqa: ARG002
        """Says when scores were not used."""
        reason = unusable(ranking)
        return () if reason is None else (f"used by rank: {reason}",)


# The other systems take scores for flat only if they are equal; rounding is all that is forgiven.
_EQUAL = 1e-12


class MinMax(Rsf):
    """``Rsf``, flat only for equal scores."""

    tolerance: ClassVar[float] = _EQUAL


class ThreeSigma(Dbsf):
    """``Dbsf``, flat only for equal scores."""

    tolerance: ClassVar[float] = _EQUAL


class ZeroMean(ZScore):
    """``ZScore``, flat only for equal scores."""

    tolerance: ClassVar[float] = _EQUAL


class Signed(MinMax):
    """Equal scores count 1 if they are positive, else 0, as LlamaIndex has it."""

    def level(self, window: Window) -> Flat:
        """1 for positive scores, else 0."""
        return 1.0 if window.highest > 0 else 0.0

    def bound(self, ranking: Ranking) -> float:  # noqa: ARG002
        """1, for the first hit or for equal scores."""
        return 1.0


class SignedThreeSigma(ThreeSigma):
    """As ``Signed``, for the distribution-based mode."""

    level = Signed.level

    def bound(self, ranking: Ranking) -> float:
        """What one outlier gets, at least 1."""
        return max(1.0, super().bound(ranking) or 0.0)
