"""Legs that failed or ran out of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plait.evaluation.diagnosis.case import Case
from plait.evaluation.diagnosis.finding import Finding, out_of

__all__ = ["failing_legs"]

_OFTEN = 0.1
"""A leg that fails for one query in ten is broken, not unlucky."""


def failing_legs(case: Case) -> Iterator[Finding]:
    """Legs that failed for any query; what they failed with is counted by kind of error."""
    for leg in case.legs:
        said = {
            topic: failures[leg]
            for topic, failures in case.recording.failures.items()
            if leg in failures
        }
        if not said:
            continue
        kinds = Counter(text.partition(":")[0] for text in said.values())
        late = kinds["LegTimeoutError"]
        total = len(case.recording.rankings)
        yield Finding(
            kind="failing_leg",
            severity="problem" if len(said) >= _OFTEN * total else "warning",
            legs=(leg,),
            summary=f"{leg} failed for {out_of(len(said), total)}"
            + (f"; {late:,} times it ran out of time" if late else ""),
            advice=(
                "Answers there came from the other legs alone; the figures of this leg leave these "
                "queries out. "
            )
            + (
                "Give the leg a longer timeout, or make it faster."
                if late > len(said) / 2
                else "Look at the errors, and run again."
            ),
            figures={"queries": total, "failed": len(said), "errors": dict(kinds)},
            examples=case.examples(said),
        )
