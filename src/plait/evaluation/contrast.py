"""Contrast: a topic on which two systems differ, with what each of them returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from plait.evaluation.difference import TIE
from plait.evaluation.evaluation import Evaluation
from plait.types import Query

__all__ = ["Contrast", "Returned", "find_contrasts"]


@dataclass(frozen=True, slots=True)
class Returned:
    """A document at the top of a system's ranking.

    Attributes:
        id: Id of the document.
        rank: 1-based position.
        score: The system's score.
        grade: What the judgments say of it, None if it was not judged.
    """

    id: str
    rank: int
    score: float
    grade: int | None

    @property
    def is_relevant(self) -> bool:
        """Whether it was judged relevant: a grade above 0."""
        return self.grade is not None and self.grade > 0


@dataclass(frozen=True, slots=True)
class Contrast:
    """A topic on which a system and the baseline differ.

    Attributes:
        topic: Id of the topic.
        text: The query, None if the topics were not given or it has no text.
        measure: Name of the measure.
        system: Name of the system.
        baseline: Name of the system that it is compared with.
        value: The system's value of the measure.
        baseline_value: The baseline's.
        returned: What the system returned, best first, cut.
        baseline_returned: What the baseline returned, best first, cut.
    """

    topic: str
    text: str | None
    measure: str
    system: str
    baseline: str
    value: float
    baseline_value: float
    returned: tuple[Returned, ...]
    baseline_returned: tuple[Returned, ...]

    @property
    def difference(self) -> float:
        """The system's value less the baseline's."""
        return self.value - self.baseline_value


def find_contrasts(
    system: Evaluation,
    baseline: Evaluation,
    measure: str,
    *,
    topics: Mapping[str, Query] | None = None,
    most: int = 10,
    top: int = 10,
) -> tuple[Contrast, ...]:
    """The topics on which two systems differ most, with what each returned.

    Args:
        system: One of them.
        baseline: The one that it is compared with, over the same topics.
        measure: A measure that both have.
        topics: For the text of the queries.
        most: How many topics at most, >= 0.
        top: How many documents of each ranking at most.

    Returns:
        Largest difference first, equal ones by topic id; none where the values are equal.
    """

    def difference(topic: str) -> float:
        return system.per_query[topic][measure] - baseline.per_query[topic][measure]

    differing = [topic for topic in system.per_query if abs(difference(topic)) > TIE]
    differing.sort(key=lambda topic: (-abs(difference(topic)), topic))
    return tuple(
        Contrast(
            topic=topic,
            text=topics[topic].text if topics and topic in topics else None,
            measure=measure,
            system=system.name,
            baseline=baseline.name,
            value=system.per_query[topic][measure],
            baseline_value=baseline.per_query[topic][measure],
            returned=_returned(system, topic, top),
            baseline_returned=_returned(baseline, topic, top),
        )
        for topic in differing[:most]
    )


def _returned(system: Evaluation, topic: str, top: int) -> tuple[Returned, ...]:
    """The first documents that a system returned, with their grades."""
    ranking = system.run.rankings.get(topic, ())
    grades = system.qrels.get(topic, {})
    return tuple(
        Returned(identity, rank, score, grades.get(identity))
        for rank, (identity, score) in enumerate(ranking[:top], start=1)
    )
