"""The verdict: whether to take what was chosen or to keep the default, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plait.evaluation.evaluation import Estimate
from plait.evaluation.report.numbers import interval, signed
from plait.evaluation.tuning.space import Candidate
from plait.fusion import Learned

__all__ = ["MIN_TOPICS", "is_real", "name", "say"]

MIN_TOPICS = 30
"""Topics below which no interval is believed: that of a bootstrap is too narrow there."""


def is_real(gain: Estimate) -> bool:
    """Whether the held-out gain is more than chance."""
    return gain.n >= MIN_TOPICS and gain.low > 0


def say(
    chosen: Candidate, default: Candidate, legs: Sequence[str], measure: str, gain: Estimate
) -> str:
    """What to do and why, in one sentence."""
    if gain.n < MIN_TOPICS:
        return (
            f"keep the default: {gain.n} labelled queries are too few to tell, label at least "
            f"{MIN_TOPICS}"
        )
    if chosen == default:
        return "keep the default: nothing that was tried is better by more than chance"
    ends = interval(gain.low, gain.high, sign=True)
    worth = f"{measure} {signed(gain.mean)}, 95 % interval {ends}"
    if is_real(gain):
        return f"take {name(chosen, legs)}: {worth}, on queries that it was not chosen on"
    if gain.mean <= 0:
        return (
            "keep the default: what was chosen is no better on queries that it was not chosen on, "
            f"{worth}"
        )
    return (
        f"keep the default: the gain on queries that it was not chosen on may be chance, {worth}"
        f"; a gain of this size would take about {_needed(gain):,} labelled queries to see"
    )


def name(candidate: Candidate, legs: Sequence[str]) -> str:
    """A candidate in words."""
    used = [leg for leg, weight in zip(legs, candidate.weights, strict=True) if weight]
    if len(used) == 1:
        return f"{used[0]} alone, {candidate.window} candidates"
    if isinstance(candidate.fusion, Learned):
        return f"the learned fusion over {candidate.window} candidates"
    shares = ", ".join(
        f"{leg} {share:.2g}" for leg, share in zip(legs, candidate.shares, strict=True)
    )
    return f"{candidate.fusion} over {candidate.window} candidates with {shares}"


def _needed(gain: Estimate) -> int:
    """For how many topics an interval around this gain would just not reach 0: it shrinks as √n.

    Rounded up to two digits, since a gain that may be chance is known no better.
    """
    exact = math.ceil(gain.n * ((gain.mean - gain.low) / gain.mean) ** 2)
    unit = int(10 ** max(len(str(exact)) - 2, 0))
    return math.ceil(exact / unit) * unit
