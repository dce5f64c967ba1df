"""Difference: how a system differs from another by a measure, and if chance explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.evaluation.evaluation import Estimate
from plait.evaluation.scoring import estimate
from plait.evaluation.statistics import holm, randomization_test

__all__ = ["TIE", "Difference", "find_differences"]

TIE = 1e-9
"""Values of a measure no further apart than this are equal: sums differ in their last bits."""

_REAL = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """How a system differs from the baseline by one measure.

    Attributes:
        system: Name of the system.
        baseline: Name of the system that it is compared with.
        measure: Name of the measure.
        estimate: Mean over the topics of the system's value less the baseline's, with its
            bootstrap interval.
        p: Two-sided p-value of the paired randomization test, in (0, 1].
        p_adjusted: The same, adjusted by Holm's method for all differences of the comparison.
        wins: Topics on which the system's value is higher, by more than 1e-9.
        ties: Topics on which the values are equal.
        losses: Topics on which it is lower.
    """

    system: str
    baseline: str
    measure: str
    estimate: Estimate
    p: float
    p_adjusted: float
    wins: int
    ties: int
    losses: int

    @property
    def is_real(self) -> bool:
        """Whether chance alone is an unlikely reason: the adjusted p-value is below 0.05."""
        return self.p_adjusted < _REAL


def find_differences(
    values: Mapping[str, Mapping[str, Sequence[float]]], baseline: str, *, seed: int = 0
) -> tuple[Difference, ...]:
    """How every system differs from the baseline by every measure.

    Args:
        values: By measure, then by system: one value per topic, in the same order for all.
        baseline: Name of the system that the others are compared with.
        seed: Seed of the resampling.

    Returns:
        One per measure and system that is not the baseline, in that order; the p-values are
        adjusted for all of them.
    """
    named = [
        (measure, system) for measure, of in values.items() for system in of if system != baseline
    ]
    p_values = [
        randomization_test(values[measure][system], values[measure][baseline], seed=seed)
        for measure, system in named
    ]
    found = []
    for (measure, system), p, p_adjusted in zip(named, p_values, holm(p_values), strict=True):
        gains = np.subtract(values[measure][system], values[measure][baseline])
        wins, losses = int((gains > TIE).sum()), int((gains < -TIE).sum())
        found.append(
            Difference(
                system=system,
                baseline=baseline,
                measure=measure,
                estimate=estimate(gains.tolist(), seed=seed),
                p=p,
                p_adjusted=p_adjusted,
                wins=wins,
                ties=len(gains) - wins - losses,
                losses=losses,
            )
        )
    return tuple(found)
