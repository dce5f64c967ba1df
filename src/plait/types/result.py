"""SearchResult: the hits of a page and how they came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, overload

from plait.explain import explain, to_dict
from plait.types.hit import Hit
from plait.types.query import Query

LegStatus: TypeAlias = Literal["ok", "empty", "timeout", "error", "circuit_open", "skipped"]


@dataclass(frozen=True, slots=True)
class LegReport:
    """What became of one leg in one query.

    Attributes:
        name: Name of the leg.
        status: ``ok``, ``empty`` (ran, found nothing), ``timeout``, ``error``,
            ``circuit_open`` (not run, it kept failing) or ``skipped`` (could not use the query).
        elapsed_ms: Milliseconds from submission to the answer, the failure or the deadline.
        count: Hits in its ranking, after duplicates were removed.
        error: What went wrong, None if nothing did.
        notes: What a reader of the scores should know, such as "used by rank: no scores".
    """

    name: str
    status: LegStatus
    elapsed_ms: float = 0.0
    count: int = 0
    error: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """A sequence of hits, best first, and how they came about.

    Attributes:
        hits: The hits of this page.
        query: What was asked.
        legs: A report per leg; empty for a single retriever.
        degraded: True if a leg that was due failed.
        total: Hits in the pool before it was cut to ``top_k``.
        generation: State of the collection that was read, None outside a collection.
        fusion: The fusion in its text form, such as ``"rrf(k=60)"``; None without fusion.
        score_bound: Highest fused score that the method can give here, None without fusion;
            ``hit.score / result.score_bound`` is between 0 and 1 for nonnegative methods.
        fetch_k: Candidates asked of each leg, None without fusion.
        notes: What a reader should know about the whole result.
    """

    hits: tuple[Hit, ...] = ()
    query: Query | None = None
    legs: tuple[LegReport, ...] = ()
    degraded: bool = False
    total: int = 0
    generation: int | None = None
    fusion: str | None = None
    score_bound: float | None = None
    fetch_k: int | None = None
    notes: tuple[str, ...] = ()

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

    def explain(self) -> str:
        """A table: per hit and leg the rank, raw score, normalized, weight and contribution."""
        return explain(self)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values; embeddings are left out."""
        return to_dict(self)
