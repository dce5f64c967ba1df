"""The verdict: whether to take what was chosen or to keep the default, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plait.evaluation.evaluation import Estimate
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
        return "keep the default: nothing that was tried can be told from it or is better"
    interval = f"{measure} {gain.mean:+.4f} (95 %: {gain.low:+.4f} to {gain.high:+.4f})"
    if is_real(gain):
        return f"take {name(chosen, legs)}: {interval} on queries that it was not chosen on"
    if gain.mean <= 0:
        return (
            "keep the default: what was chosen is no better on queries that it was not chosen on, "
            f"{interval}"
        )
    return (
        f"keep the default: the gain on queries that it was not chosen on may be chance, {interval}"
        f"; a gain of this size would take about {_needed(gain):,} labelled queries to see"
    )


def name(candidate: Candidate, legs: Sequence[str]) -> str:
    """A candidate in words."""
    weights = ", ".join(
        f"{leg} {share:.2g}" for leg, share in zip(legs, candidate.shares, strict=True)
    )
    if isinstance(candidate.fusion, Learned):
        return f"the learned fusion over {candidate.window} candidates"
    return f"{candidate.fusion} over {candidate.window} candidates with {weights}"


def _needed(gain: Estimate) -> int:
    """For how many topics an interval around this gain would just not reach 0: it shrinks as √n."""
    return math.ceil(gain.n * ((gain.mean - gain.low) / gain.mean) ** 2)
