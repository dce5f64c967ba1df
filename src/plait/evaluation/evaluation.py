"""Evaluation: how well one system answered, per topic and on average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.evaluation.run import Run
from plait.metadata import EMPTY

__all__ = ["Estimate", "Evaluation"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over topics, and where the mean over topics like these lies.

    Attributes:
        mean: Arithmetic mean.
        low: Lower end of its 95 % bootstrap interval.
        high: Upper end.
        n: How many topics.
    """

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well one system answered. Made by ``score_run`` and ``evaluate``.

    Attributes:
        name: Name of the system.
        run: What it returned.
        measures: Names of the measures, in the order asked for.
        per_query: Value by measure, by topic id, for every topic that has judgments.
        means: Mean with its interval by measure, over these topics.
        notes: What a reader of the means should know: topics without results or judgments.
        failures: What went wrong, by topic id; the topic counts with what was still returned, 0
            if that is nothing.
        qrels: The judgments that it was measured by: grade by document id, by topic id.
    """

    name: str
    run: Run = field(repr=False)
    measures: tuple[str, ...]
    per_query: Mapping[str, Mapping[str, float]] = field(repr=False)
    means: Mapping[str, Estimate]
    notes: tuple[str, ...] = ()
    failures: Mapping[str, str] = field(default=EMPTY, repr=False)
    qrels: Mapping[str, Mapping[str, int]] = field(default=EMPTY, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values; the run and the judgments are left out."""
        return {
            "name": self.name,
            "measures": list(self.measures),
            "means": {
                measure: {"mean": each.mean, "low": each.low, "high": each.high, "n": each.n}
                for measure, each in self.means.items()
            },
            "per_query": {topic: dict(values) for topic, values in self.per_query.items()},
            "notes": list(self.notes),
            "failures": dict(self.failures),
        }
