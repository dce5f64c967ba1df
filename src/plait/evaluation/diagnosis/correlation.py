"""Legs that order their common hits the opposite way."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding

__all__ = ["opposite_order"]

_OPPOSED = -0.1
"""A mean rank correlation below this is no accident of weak legs.

On eleven collections keywords and a dense model (three were tried) correlate with 0.16 to 0.40 on
the hits that they share. A leg that is upside down has the same with the sign turned.
"""


def opposite_order(case: Case) -> Iterator[Finding]:
    """Pairs of legs whose common hits stand in opposite order.

    That is what a distance read as a similarity looks like: the right hits, worst first. Two
    standard errors below zero, so that a few queries do not decide.
    """
    for pair in case.pairs:
        mean, error = pair.correlation, pair.correlation_error
        if pair.correlated < LITTLE or mean is None or error is None:
            continue
        if mean < _OPPOSED and mean + 2 * error < 0:
            yield Finding(
                kind="opposite_order",
                severity="problem",
                legs=(pair.first, pair.second),
                summary=(
                    f"{pair.first} and {pair.second} put their common hits in opposite order: rank "
                    f"correlation {mean:.2f} over {pair.correlated:,} queries"
                ),
                advice=(
                    "One of them is probably upside down, such as a distance returned as if it "
                    "were a similarity. Look at a few of its results; for distances set "
                    "higher_is_better=False on the leg and return the nearest first."
                ),
                figures=pair.to_dict(),
            )
