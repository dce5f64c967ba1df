"""Background: what a collection knows beside what its legs returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from plait.collection import Snapshot
from plait.evaluation.diagnosis.terms import QueryTerms
from plait.evaluation.recording import Recording
from plait.metadata import EMPTY
from plait.text import Analyzer
from plait.types import Chunk

__all__ = ["Background"]

_DEPTH = 50
"""Hits of each leg whose chunks are read: what reaches the fused top ten is seldom deeper."""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known beside the rankings; any of it may be missing.

    Attributes:
        chunks: Chunks by id, to see texts that repeat and hits that are the same under two ids.
        terms: What the collection has of each topic's words, by topic, to see queries that speak
            another language.
    """

    chunks: Mapping[str, Chunk] = field(default=EMPTY, repr=False)
    terms: Mapping[str, QueryTerms] = field(default=EMPTY, repr=False)

    @classmethod
    def of(cls, view: Snapshot, analyzer: Analyzer, recording: Recording) -> Background:
        """Read it from the state of the collection that was recorded.

        Args:
            view: That state.
            analyzer: Of the collection.
            recording: Whose topics it is about.
        """
        ids = dict.fromkeys(
            name
            for rankings in recording.rankings.values()
            for ranking in rankings
            for name in ranking.ids[:_DEPTH]
            if name is not None
        )
        return cls(
            chunks=view.chunks(list(ids)),
            terms={
                topic: QueryTerms.of(
                    analyzer.query_terms(query.text), view.term_weights(query.text)
                )
                for topic, query in recording.topics.items()
                if query.text is not None
            },
        )
