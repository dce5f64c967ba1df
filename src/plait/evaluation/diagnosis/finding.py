"""Finding: one thing that a diagnosis has to say, with its figures and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from plait.metadata import EMPTY, FrozenDict

__all__ = ["Example", "Finding", "Severity", "out_of"]

Severity: TypeAlias = Literal["problem", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Example:
    """A query at which a finding can be seen.

    Attributes:
        topic: Id of the topic.
        query: Its text, None for a query that is an embedding only.
        detail: What is to be seen there.
    """

    topic: str
    query: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a diagnosis has to say.

    Attributes:
        kind: Name of the kind, such as ``"identity"``; stable, for programs.
        severity: ``"problem"``: something is broken or answers are lost. ``"warning"``: it probably
            costs quality. ``"info"``: worth knowing.
        legs: Names of the legs concerned; empty if it concerns all of them together.
        summary: What was found, in one sentence with its figures.
        advice: What to do about it.
        figures: The figures, as JSON values by name.
        examples: Up to three queries at which it can be seen.

    Example:
        >>> finding = Finding("flat", "warning", ("bm25",), "bm25 scores do not vary", "look there")
        >>> finding.to_dict()["legs"]
        ['bm25']
    """

    kind: str
    severity: Severity
    legs: tuple[str, ...]
    summary: str
    advice: str
    figures: Mapping[str, Any] = field(default=EMPTY, hash=False)
    examples: tuple[Example, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "figures", FrozenDict(self.figures))

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "legs": list(self.legs),
            "summary": self.summary,
            "advice": self.advice,
            "figures": dict(self.figures),
            "examples": [
                {"topic": example.topic, "query": example.query, "detail": example.detail}
                for example in self.examples
            ],
        }


def out_of(count: int, total: int, what: str = "queries") -> str:
    """A count with its share.

    Example:
        >>> out_of(3, 400)
        '3 of 400 queries (0.8 %)'
    """
    percent = 100 * count / total if total else 0.0
    digits = 1 if 0 < percent < 10 and count < total else 0
    return f"{count:,} of {total:,} {what} ({percent:.{digits}f} %)"
