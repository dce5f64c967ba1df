"""Hit: a chunk that was found, with each leg's contribution to its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from plait.metadata import EMPTY
from plait.types.chunk import Chunk

ScoreKind: TypeAlias = Literal["retrieval", "fusion", "rerank"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """One leg's share of a fused score; the values of a hit add up to its fused score.

    Attributes:
        leg: Name of the leg.
        rank: 1-based position in the leg's list, None if the leg did not return the hit.
        raw_score: The leg's own score, None if it gave none or did not return the hit.
        normalized: What the fusion method made of it, before the weight.
        weight: Weight of the leg.
        value: The share itself.
        parts: Contributions inside the leg, when the leg is itself a hybrid.
        filled: The leg did not return the hit; it was asked for its score, since another leg did.
    """

    leg: str
    rank: int | None
    raw_score: float | None
    normalized: float
    weight: float
    value: float
    parts: tuple[Contribution, ...] = ()
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found, with where it stands and why.

    Attributes:
        chunk: What was found.
        score: The score of the last stage, which ``score_kind`` names. None if the leg gives none.
        rank: 1-based position in the result.
        score_kind: ``"retrieval"``, ``"fusion"`` or ``"rerank"``.
        source: Name of the retriever, ``"hybrid"`` after fusion.
        legs: Names of the legs that returned it, best rank first.
        retrieval_score: The raw score when exactly one leg returned the hit, else None.
        fusion_score: The fused score, None before fusion.
        rerank_score: The reranker's score, None if not scored.
        contributions: One per leg, also for legs that did not return the hit.
        sources: Every leg's copy of the chunk's metadata, by leg name.
        snippet: The part of the content that answers the query, matched terms marked.
    """

    chunk: Chunk
    score: float | None
    rank: int
    score_kind: ScoreKind = "retrieval"
    source: str = ""
    legs: tuple[str, ...] = ()
    retrieval_score: float | None = None
    fusion_score: float | None = None
    rerank_score: float | None = None
    contributions: tuple[Contribution, ...] = ()
    sources: Mapping[str, Mapping[str, Any]] = field(default=EMPTY, hash=False)
    snippet: str | None = None

    @property
    def id(self) -> str | None:
        """The chunk's id."""
        return self.chunk.id
