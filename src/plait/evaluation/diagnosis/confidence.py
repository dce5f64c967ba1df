"""Sure first hits that the fusion throws away, or puts behind others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import NamedTuple

from plait.evaluation.diagnosis.case import LITTLE, TOP, Case
from plait.evaluation.diagnosis.finding import Finding, out_of
from plait.fusion import Rsf, ScoreFusion
from plait.fusion.normalize import unusable
from plait.types import Ranking

__all__ = ["lost_hits", "margin"]

_SURE = 0.5
"""Margin from which on a leg is sure of its first hit.

On eight collections with keywords and a small dense model, sure first hits that rrf(k=60) lost were
relevant in 260 of 274 cases: 248 of 248 on exact error codes, and few in number everywhere else. At
0.3 most of those lost outside the error codes were not relevant.
"""

_SOME, _MANY = 0.08, 0.2
"""Share of queries from which on it is a warning, and a problem.

Outside the error codes it was 5 % at most (German questions to English text, where keywords are
sure of the wrong hit), with two other dense models too.
"""

_VERY_SURE = 0.7
"""Margin from which on a leg is right more often than the fusion that puts another hit first.

Where only one of the two was right, it was the leg in 421 cases and the fused first in 12, under
rsf() and rrf(k=60) together; outside the error codes in 72 and 12.
"""

_DISPLACED = 0.2
"""Share of queries from which on it is a pattern: 0.37 and 0.51 on error codes, elsewhere up to
0.04 under rsf(), and 0.17 under rrf(k=60)."""


def margin(ranking: Ranking) -> float | None:
    """How far the first hit stands out: (s₁ − mean(s₂ … s₁₀)) / (s₁ − s_last).

    Returns:
        Between 0 and 1; 1 for a lone hit. None without hits, without usable scores, or if the
        scores do not vary.

    Example:
        >>> margin(Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0)))
        0.875
    """
    if not len(ranking) or unusable(ranking) is not None:
        return None
    if len(ranking) == 1:
        return 1.0
    scores = [score for score in ranking.oriented if score is not None]
    spread = scores[0] - scores[-1]
    if spread <= ScoreFusion.tolerance * max(abs(scores[0]), abs(scores[-1])):
        return None
    return (scores[0] - fmean(scores[1:10])) / spread


def lost_hits(case: Case) -> Iterator[Finding]:
    """Legs whose first hit stands far out and yet is not in the fused top ten, or not first there.

    The classic case is an exact identifier: keywords find the one right chunk, the dense leg does
    not return it, and under rank fusion it cannot beat hits that both legs rank somewhere. What
    ``rsf()`` with the same weights would keep is computed too.
    """
    if len(case.fused_legs) < 2 or len(case.top) < LITTLE:
        return
    for leg in case.fused_legs:
        sure = {
            topic: _First(ranking.ids[0], stands_out)
            for topic, ranking in case.column(leg)
            if (stands_out := margin(ranking)) is not None and stands_out >= _SURE
        }
        lost = {
            topic: first
            for topic, first in sure.items()
            if first.id not in {hit.id for hit in case.top[topic]}
        }
        displaced = {
            topic: first
            for topic, first in sure.items()
            if first.margin >= _VERY_SURE and first.id != case.top[topic][0].id
        }
        if len(lost) >= _SOME * len(case.top):
            yield _lost(case, leg, len(sure), lost)
        elif len(displaced) >= _DISPLACED * len(case.top):
            yield _displaced(case, leg, len(sure), displaced)


class _First(NamedTuple):
    """A leg's first hit, and how far it stands out."""

    id: str | None
    margin: float


def _lost(case: Case, leg: str, sure: int, lost: Mapping[str, _First]) -> Finding:
    asked = len(case.top)
    kept = sum(
        first.id in {hit.id for hit in case.fuse(topic, Rsf()).hits(0, TOP)}
        for topic, first in lost.items()
    )
    by_rank = not isinstance(case.fusion, ScoreFusion)
    return Finding(
        kind="lost_hits",
        severity="problem" if len(lost) >= _MANY * asked else "warning",
        legs=(leg,),
        summary=(
            f"the first hit of {leg} stands far out but is not in the fused top {TOP} for "
            f"{out_of(len(lost), asked)}"
        ),
        advice=_IF_RIGHT.format(leg=leg)
        + (
            f"use a fusion that sees how far a hit stands out: rsf() would keep {kept:,} of these "
            f"{len(lost):,}."
            if by_rank and kept > len(lost) / 2
            else _WEIGHT.format(leg=leg)
        ),
        figures={
            "queries": asked,
            "margin": _SURE,
            "sure": sure,
            "lost": len(lost),
            "kept_by_rsf": kept,
        },
        examples=case.examples(
            {topic: f"{first.id}, margin {first.margin:.2f}" for topic, first in lost.items()}
        ),
    )


def _displaced(case: Case, leg: str, sure: int, displaced: Mapping[str, _First]) -> Finding:
    return Finding(
        kind="displaced_hits",
        severity="warning",
        legs=(leg,),
        summary=(
            f"the first hit of {leg} stands far out but is not first in the fused order for "
            f"{out_of(len(displaced), len(case.top))}"
        ),
        advice=_IF_RIGHT.format(leg=leg) + _WEIGHT.format(leg=leg),
        figures={
            "queries": len(case.top),
            "margin": _VERY_SURE,
            "sure": sure,
            "displaced": len(displaced),
        },
        examples=case.examples(
            {
                topic: f"{first.id}, margin {first.margin:.2f}, behind {case.top[topic][0].id}"
                for topic, first in displaced.items()
            }
        ),
    )


_IF_RIGHT = "If {leg} is right there, as keywords are with exact codes and names, "
_WEIGHT = "give it more weight, or let plait tune choose the weights."
