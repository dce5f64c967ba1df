"""Trace: what every stage of a request did, in what time, and with which settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plait.explain import leg_dict
from plait.metadata import EMPTY
from plait.pipeline.state import StageStatus
from plait.printable import printable
from plait.types import Hit, LegReport, Variant

__all__ = ["StageReport", "Trace"]


@dataclass(frozen=True, slots=True)
class StageReport:
    """What one stage did.

    Attributes:
        name: Of the stage: ``plan``, ``retrieve``, ``threshold``, ``rerank``,
            ``rerank_threshold``, ``group``, ``diversify``, ``top``, ``expand``, ``context``,
            ``answer``. A stage that the service does not have is not reported.
        status: ``ok``; ``degraded``, it failed in whole or in part and the request went on;
            ``skipped``, there was nothing for it to do.
        elapsed_ms: Milliseconds that it took.
        before: Hits before it.
        after: Hits behind it.
        notes: What a reader of the result should know.
        hits: The hits behind it, in order.
    """

    name: str
    status: StageStatus
    elapsed_ms: float
    before: int
    after: int
    notes: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values; of each hit id, rank, score and its kind."""
        return {
            "name": self.name,
            "status": self.status,
            "elapsed_ms": round(self.elapsed_ms, 3),
            "before": self.before,
            "after": self.after,
            "notes": list(self.notes),
            "hits": [
                {"id": hit.id, "rank": hit.rank, "score": hit.score, "score_kind": hit.score_kind}
                for hit in self.hits
            ],
        }


@dataclass(frozen=True, slots=True)
class Trace:
    """How a result came about.

    Attributes:
        request_id: Names the request in logs and spans.
        elapsed_ms: Milliseconds from the request to the result.
        stages: A report per stage, in the order in which they ran.
        variants: What was searched.
        planner_calls: How often planning asked a language model; None if the planner failed and
            nobody can say.
        legs: A report per leg and variant.
        fusion: The fusion in its text form.
        score_bound: Highest fused score that it can give here.
        fetch_k: Candidates asked of each leg for each variant.
        generation: State of the collection that was read, None outside a collection.
        settings: ``describe()`` of the service.
    """

    request_id: str
    elapsed_ms: float
    stages: tuple[StageReport, ...]
    variants: tuple[Variant, ...]
    planner_calls: int | None = 0
    legs: tuple[LegReport, ...] = ()
    fusion: str | None = None
    score_bound: float | None = None
    fetch_k: int | None = None
    generation: int | None = None
    settings: Mapping[str, Any] = EMPTY

    @property
    def cost(self) -> int:
        """Searches that were run: one per leg and variant that was not skipped."""
        return sum(report.status != "skipped" for report in self.legs)

    def stage(self, name: str) -> StageReport | None:
        """The report of a stage, None if there is no such stage."""
        return next((report for report in self.stages if report.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """The trace as JSON values; see ``RagResult.to_dict``."""
        return {
            "request_id": self.request_id,
            "elapsed_ms": round(self.elapsed_ms, 3),
            "stages": [report.to_dict() for report in self.stages],
            "variants": [
                {
                    "name": variant.name,
                    "text": variant.query.text,
                    "weight": variant.weight,
                    "legs": variant.legs,
                }
                for variant in self.variants
            ],
            "planner_calls": self.planner_calls,
            "legs": [leg_dict(report) for report in self.legs],
            "cost": self.cost,
            "fusion": self.fusion,
            "score_bound": self.score_bound,
            "fetch_k": self.fetch_k,
            "generation": self.generation,
            "settings": self.settings,
        }

    def explain(self) -> str:
        """The trace as lines of text: variants, then every stage with its time and counts."""
        lines = [
            f"variant {variant.name}, weight {variant.weight:g}"
            f"{', dense legs only' if variant.legs == 'dense' else ''}: "
            f"{printable(variant.query.text or '(an embedding)')}"
            for variant in self.variants
        ]
        counts = (
            _counted(len(self.variants), "variant", "variants"),
            _counted(self.cost, "search", "searches"),
            _counted(
                self.planner_calls or 0, "call of a model to plan", "calls of a model to plan"
            ),
        )
        lines.append(f"{', '.join(filter(None, counts))}, {self.elapsed_ms:.1f} ms")
        lines += _table(self.stages)
        return "\n".join(lines)


def _counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}" if count else ""


def _table(stages: Sequence[StageReport]) -> list[str]:
    width = max((len(report.name) for report in stages), default=0)
    lines = []
    for report in stages:
        line = f"{report.name:<{width}}  {report.status:<8}  {report.elapsed_ms:>8.1f} ms"
        if report.before or report.after:
            line += f"  {report.before:>4} -> {report.after} hits"
        lines.append(line)
        lines += [f"{'':<{width}}    {printable(note)}" for note in report.notes]
    return lines
