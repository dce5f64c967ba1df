"""Qrels: which documents answer which topic, and how well, as people judged it."""

from __future__ import annotations

from collections.abc import Mapping

from plait.errors import ConfigurationError
from plait.evaluation.frozen import FrozenMapping, check_id, check_mapping

__all__ = ["HIGHEST", "Qrels"]

HIGHEST = 10_000
"""Highest grade: for each topic trec_eval takes time in proportion to the square of its highest."""


class Qrels(FrozenMapping[Mapping[str, int]]):
    """Relevance judgments: a read-only mapping from topic id to grade by document id.

    Grades above 0 are relevant, more is better. 0 and negative ones are judged not relevant.
    A document without a grade is unjudged, which measures count as not relevant.

    Args:
        grades: Grade by document id, by topic id; may be empty.

    Raises:
        ConfigurationError: Ids that are not non-empty str, grades that are not int (bool is none)
            or beyond 10,000; names topic and document.

    Example:
        >>> qrels = Qrels({"1": {"cancel.md": 2, "refunds.md": 0}})
        >>> qrels["1"]["cancel.md"]
        2
    """

    __slots__ = ()

    def __init__(self, grades: Mapping[str, Mapping[str, int]]) -> None:
        entries: dict[str, Mapping[str, int]] = {}
        for topic, judged in check_mapping(grades, "grades").items():
            check_id(topic, "a topic id")
            for document, grade in check_mapping(judged, f"topic {topic!r}").items():
                check_id(document, f"topic {topic!r}: a document id")
                if type(grade) is not int or abs(grade) > HIGHEST:
                    raise ConfigurationError(
                        f"topic {topic!r}: the grade of {document!r} is {grade!r}, expected an int "
                        f"up to {HIGHEST:,}, such as 0 or 1"
                    )
            entries[topic] = FrozenMapping(judged)
        super().__init__(entries)

    def __repr__(self) -> str:
        return f"<Qrels of {len(self)}>"
