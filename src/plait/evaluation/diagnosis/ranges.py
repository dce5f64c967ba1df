"""Scores that are not what the leg says of them: out of range, missing, not in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plait.evaluation.diagnosis.case import Case
from plait.evaluation.diagnosis.finding import Finding, out_of
from plait.fusion import Convex, ScoreFusion
from plait.fusion.normalize import Window, unusable
from plait.types import Ranking

__all__ = ["out_of_range", "unknown_floor", "unusable_scores"]

_ROUNDING = 1e-6
"""A cosine of 1.0000001 is what rounding leaves, not another scale."""


def out_of_range(case: Case) -> Iterator[Finding]:
    """Legs with scores outside the range that they declare. One such score is enough."""
    for leg in case.legs:
        outside = {}
        declared: tuple[float | None, float | None] = (None, None)
        for topic, ranking in case.column(leg):
            worst = _outside(ranking)
            if worst is not None:
                outside[topic] = worst
                declared = ranking.score_range
        if not outside:
            continue
        low, high = ("…" if end is None else f"{end:g}" for end in declared)
        yield Finding(
            kind="out_of_range",
            severity="problem",
            legs=(leg,),
            summary=(
                f"{leg} declares scores from {low} to {high}, but gives others for "
                f"{out_of(len(outside), len(dict(case.column(leg))))}, such as "
                f"{next(iter(outside.values())):g}"
            ),
            advice=(
                "The leg returns something else than it says, such as a distance instead of a "
                "similarity, or vectors that are not normalized. Correct the scores, or "
                "score_range on the leg; convex() builds on it."
            ),
            figures={"range": list(declared), "queries": len(outside)},
            examples=case.examples({topic: f"score {score:g}" for topic, score in outside.items()}),
        )


def _outside(ranking: Ranking) -> float | None:
    """The score farthest outside the declared range, None if all are inside."""
    low, high = ranking.score_range
    worst, farthest = None, 0.0
    for score in ranking.scores:
        if score is None:
            continue
        below = 0.0 if low is None else low - score - _ROUNDING * max(1.0, abs(low))
        above = 0.0 if high is None else score - high - _ROUNDING * max(1.0, abs(high))
        if max(below, above) > farthest:
            worst, farthest = score, max(below, above)
    return worst


def unusable_scores(case: Case) -> Iterator[Finding]:
    """Legs that a score fusion has to use by rank: scores missing, or not in their order.

    A leg that never gives a score is left alone under a rank fusion, which does not read them; one
    that gives some and not others is told in any case.
    """
    by_score = isinstance(case.fusion, ScoreFusion)
    for leg in case.fused_legs:
        found = {topic: ranking for topic, ranking in case.column(leg) if len(ranking)}
        reasons = {
            topic: reason for topic, ranking in found.items() if (reason := unusable(ranking))
        }
        partly = {
            topic
            for topic, ranking in found.items()
            if None in ranking.scores and set(ranking.scores) != {None}
        }
        if not reasons or not (by_score or partly):
            continue
        (reason, _), *_ = Counter(reasons.values()).most_common(1)
        yield Finding(
            kind="unusable_scores",
            severity="warning",
            legs=(leg,),
            summary=f"{leg} is used by rank for {out_of(len(reasons), len(found))}: {reason}"
            if by_score
            else f"{leg} leaves some of its hits without a score for "
            f"{out_of(len(partly), len(found))}",
            advice=(
                "How much better one hit is than the next is not seen there. Let the leg return a "
                "score for every hit; if it has none to give, a rank fusion is more even."
            ),
            figures={"queries": len(found), "by_rank": len(reasons), "partly": len(partly)},
            examples=case.examples(reasons),
        )


def unknown_floor(case: Case) -> Iterator[Finding]:
    """Legs whose lowest possible score ``convex()`` does not know; it takes the window's."""
    if not isinstance(case.fusion, Convex):
        return
    for leg in case.fused_legs:
        found = [ranking for _, ranking in case.column(leg) if ranking and not unusable(ranking)]
        unknown = sum(Window.of(ranking).floor is None for ranking in found)
        if unknown:
            yield Finding(
                kind="unknown_floor",
                severity="info",
                legs=(leg,),
                summary=f"the lowest possible score of {leg} is not declared",
                advice=(
                    "convex() then takes the lowest of the window, as rsf() does. Set "
                    "score_range on the leg: (0, None) for BM25, (-1, 1) for cosine."
                ),
                figures={"queries": unknown},
            )
