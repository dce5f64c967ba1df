"""Legs that change nothing, and legs that decide everything."""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import fmean

from plait.evaluation.diagnosis.case import LITTLE, TOP, Case
from plait.evaluation.diagnosis.finding import Finding

__all__ = ["dominant_legs", "idle_legs"]

_DOMINANT = 0.9
"""Share of the fused score from which on the other legs are decoration."""

_MEANT = 0.75
"""A leg with this share of the weights is meant to decide."""


def idle_legs(case: Case) -> Iterator[Finding]:
    """Legs without which every fused top ten, order included, would be the same.

    Legs that returned nothing at all are left to ``empty_answers``, those of weight 0 are out by
    choice.
    """
    legs = case.fused_legs
    if len(legs) < 2 or len(case.top) < LITTLE:
        return
    for leg in legs:
        found = [topic for topic, ranking in case.column(leg) if len(ranking)]
        if found and not any(_changes(case, topic, leg) for topic in found):
            yield Finding(
                kind="idle_leg",
                severity="warning",
                legs=(leg,),
                summary=(
                    f"{leg} changes none of {len(case.top):,} fused top tens: without it they "
                    "would be the same, in the same order"
                ),
                advice=(
                    "Its work is for nothing. Give it more weight if it should count, look whether "
                    "it searches the right index, or leave it out."
                ),
                figures={"queries": len(found), "weight": case.weights[leg]},
            )


def _changes(case: Case, topic: str, leg: str) -> bool:
    with_it = [hit.id for hit in case.top[topic]]
    return [hit.id for hit in case.fuse(topic, without=leg).hits(0, TOP)] != with_it


def dominant_legs(case: Case) -> Iterator[Finding]:
    """Legs that bring nearly all of the fused score of the top tens, without being meant to.

    Only queries for which another leg returned hits too are looked at, and only contributions that
    are not negative, since others have no shares.
    """
    legs = case.fused_legs
    total = sum(case.weights[leg] for leg in legs)
    shares: dict[str, list[float]] = {leg: [] for leg in legs}
    for topic, hits in case.top.items():
        answered = [r for r in case.recording.rankings[topic] if r and case.weights[r.leg]]
        given = [share for hit in hits for share in hit.contributions]
        score = math.fsum(share.value for share in given)
        if len(answered) < 2 or score <= 0 or any(share.value < 0 for share in given):
            continue
        for leg in legs:
            own = math.fsum(share.value for share in given if share.leg == leg)
            shares[leg].append(own / score)
    for leg, found in shares.items():
        meant = case.weights[leg] / total
        if len(found) < LITTLE or meant >= _MEANT or fmean(found) < _DOMINANT:
            continue
        yield Finding(
            kind="dominant_leg",
            severity="warning",
            legs=(leg,),
            summary=(
                f"{leg} brings {100 * fmean(found):.0f} % of the score of the fused top tens, with "
                f"{100 * meant:.0f} % of the weights"
            ),
            advice=(
                "The other legs hardly have a say. If their answers are worth something, use a "
                "fusion that puts the scores on one scale, such as rsf(), or weigh them more."
            ),
            figures={"queries": len(found), "share": fmean(found), "weight_share": meant},
        )
