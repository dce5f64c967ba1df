"""What limits the whole diagnosis: few queries, nothing found at all."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding

__all__ = ["scope"]


def scope(case: Case) -> Iterator[Finding]:
    """Too few queries to judge shares by; no leg that found anything."""
    queries = len(case.recording.rankings)
    if queries < LITTLE:
        yield Finding(
            kind="few_queries",
            severity="info",
            legs=(),
            summary=f"only {queries} {'query was' if queries == 1 else 'queries were'} looked at",
            advice=f"How often something happens is judged from {LITTLE} on; a hundred are plenty.",
            figures={"queries": queries},
        )
    failed = any(case.recording.failures.values())
    if not failed and not any(map(any, case.recording.rankings.values())):
        yield Finding(
            kind="nothing_found",
            severity="problem",
            legs=case.legs,
            summary=f"no leg found anything for any of {queries:,} queries",
            advice="The index is probably empty, or a filter lets nothing pass.",
            figures={"queries": queries},
        )
