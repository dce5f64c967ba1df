"""A window that ends too early: hits from its end still enter the fused top."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.diagnosis.case import LITTLE, TOP, Case
from plait.evaluation.diagnosis.finding import Finding, out_of

__all__ = ["small_window"]

_KEPT = 0.75  # the window is tried without its last quarter
_ENTERING = 0.05
"""Share of the fused top ten that the last quarter of the window may change: one place in two
queries. What that quarter still changes, the candidates after it would change too."""


def small_window(case: Case) -> Iterator[Finding]:
    """How many of the fused top ten would be others if the last quarter of the window were cut off.

    Only queries for which some leg filled the window are looked at; the others saw all there is.
    """
    fetch_k = case.recording.fetch_k
    shorter = int(fetch_k * _KEPT)
    count = places = 0
    filled = [topic for topic in case.top if _fills(case, topic)]
    if len(filled) < LITTLE or shorter < 1:
        return
    for topic in filled:
        top = [hit.id for hit in case.top[topic]]
        before = {hit.id for hit in case.fuse(topic, window=shorter).hits(0, TOP)}
        places += len(top)
        count += sum(name not in before for name in top)
    if count < _ENTERING * places:
        return
    yield Finding(
        kind="small_window",
        severity="warning",
        legs=(),
        summary=(
            f"{out_of(count, places, 'places')} of the fused top {TOP} change when the "
            f"{fetch_k:,} candidates a leg become {shorter:,}"
        ),
        advice=(
            f"Candidates after the {fetch_k:,}th would probably change more. Try "
            f"fetch_k={2 * fetch_k}; it costs a little time."
        ),
        figures={"fetch_k": fetch_k, "queries": len(filled), "places": places, "changed": count},
    )


def _fills(case: Case, topic: str) -> bool:
    rankings = case.recording.rankings[topic]
    return any(
        len(ranking) >= case.recording.fetch_k for ranking in rankings if case.weights[ranking.leg]
    )
