"""RagResult: hits, context and citations, and how they came about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from plait.context import Citation, Context
from plait.explain import hit_dict
from plait.pipeline.trace import Trace
from plait.refining import Group
from plait.types import Hit, Query, SearchResult

__all__ = ["SCHEMA", "RagResult"]

SCHEMA = "plait.rag/1"
"""Names the shape of ``RagResult.to_dict``; the number goes up when a field changes its meaning."""


@dataclass(frozen=True, slots=True)
class RagResult(Sequence[Hit]):
    """A sequence of hits, best first, the context made of them, and how both came about.

    Attributes:
        ranking: The hits, or the best hit of each group, as the result of a retriever.
        context: The text for a language model, with its citations.
        groups: The groups, if hits were grouped.
        trace: What every stage did; None if the request did not want it.
    """

    ranking: SearchResult
    context: Context
    groups: tuple[Group, ...] = ()
    trace: Trace | None = None

    @property
    def query(self) -> Query | None:
        """What was asked."""
        return self.ranking.query

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits, or the best hit of each group."""
        return self.ranking.hits

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The numbered sources of the context."""
        return self.context.citations

    @property
    def degraded(self) -> bool:
        """True if a leg, a variant, the planner, the reranker or the expansion failed.

        The result is then not what it would have been; the notes say why.
        """
        return self.ranking.degraded

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, with the name of the stage that says it."""
        return self.ranking.notes

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values, in the shape that ``schema`` names; see docs/rag.md.

        Fields may be added without another number. Absent ones are None, embeddings are left out.
        """
        return {
            "schema": SCHEMA,
            "query": None if self.query is None else self.query.text,
            "hits": [hit_dict(hit) for hit in self.hits],
            "groups": [group.to_dict() for group in self.groups],
            "context": self.context.to_dict(),
            "degraded": self.degraded,
            "notes": list(self.notes),
            "trace": None if self.trace is None else self.trace.to_dict(),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def explain(self) -> str:
        """In text: what every stage did, then why each hit stands where it stands."""
        table = self.ranking.explain()
        return table if self.trace is None else f"{self.trace.explain()}\n\n{table}"
