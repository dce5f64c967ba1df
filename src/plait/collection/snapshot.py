"""Snapshot: one state of a collection that keeps answering the same, whatever is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plait.collection.closing import Closing
from plait.collection.index import IndexState
from plait.collection.retriever import CollectionRetriever
from plait.collection.searching import Searching
from plait.collection.view import View
from plait.filters import Filter, FilterLike
from plait.retriever import check_page
from plait.text import Analyzer
from plait.types import Chunk, Query, QueryLike, Ranking, SearchResult, alone

__all__ = ["Snapshot"]


class Snapshot(Closing, Searching):
    """One state of a collection: pages taken from it agree, and later writes do not show.

    Close it when done, best with ``with`` or ``async with``: as long as it is open, the log of the
    file grows with every write, and ``compact`` cannot remove deleted text. It belongs to the
    process that took it.

    Attributes:
        generation: Counts the commits up to this state.
    """

    def __init__(self, view: View, retriever: CollectionRetriever) -> None:
        self._view = view
        self._retriever = retriever
        self.generation = view.generation

    def get(self, id: str) -> Chunk | None:
        """The chunk with this id, None if there is none; see ``Collection.get``."""
        return self._view.get(id)

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids, without vectors; ids that are not there are left out."""
        return self._view.find(ids)

    def ids(self) -> list[str]:
        """The ids of all chunks, in ascending order, whatever the order in which they came."""
        return self._view.ask(IndexState.live_ids)

    def document(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document in reading order; see ``Collection.document``."""
        return self._view.document(document_id)

    def count(self) -> int:
        """How many chunks there are."""
        return self._view.count()

    def term_weights(self, text: str) -> Mapping[str, float]:
        """How much each term of a query tells here, its idf; terms that no chunk has are left out.

        For ``plait.text.snippets.find_snippet``, which then shows the rare terms first.
        """
        return self._view.ask(lambda index: index.lexical.weights(text))

    @property
    def analyzer(self) -> Analyzer:
        """How texts and queries become terms."""
        return self._view.index.lexical.analyzer

    def ranking(
        self, leg: str, query: QueryLike, *, top_k: int = 10, filter: FilterLike = None
    ) -> Ranking:
        """What one leg says, ids and scores and nothing else: the shortest way to them.

        Args:
            leg: ``"dense"`` or ``"bm25"``.
            query: Text or a ``Query``, which the leg must be able to use.
            top_k: How many, >= 1; fewer come back if fewer match.
            filter: Only chunks whose metadata passes.

        Raises:
            ConfigurationError: Another leg.
            QueryError: A blank query, a bad ``top_k`` or filter, a form that the leg cannot use.
            EmbeddingError: What the embedder raises.
        """
        check_page(top_k)
        asked = Query.of(query)
        return self._retriever.rank_from(
            self._view, leg, asked, top_k=top_k, filter=Filter.parse(filter)
        )

    def retriever(self) -> CollectionRetriever:
        """The hybrid behind ``search``, as one that answers from this state as long as it is open.

        It is how a snapshot becomes a leg of another hybrid, and is evaluated.
        """
        return self._retriever.over(self._view)

    def exchanging(self, chunks: Sequence[Chunk]) -> CollectionRetriever:
        """What the collection would answer with other chunks in the place of those of their ids.

        For experiments: the indexes are made in memory, and nothing is written. The contents of
        hits are those of the snapshot.

        Args:
            chunks: With ids that are there, each once. Their vectors are made by the embedder.

        Returns:
            A hybrid, as ``retriever`` gives one.

        Raises:
            ConfigurationError: An id that is not there, or twice; a collection whose vectors were
                brought along, since no embedder can make others.
            EmbeddingError: What the embedder raises.
        """
        return self._retriever.exchanging(self._view, chunks)

    def close(self) -> None:
        """Let the state go; closing again does nothing."""
        self._view.close()

    def _search(self, query: QueryLike, **given: Any) -> SearchResult:
        return self._retriever.retrieve_from(self._view, alone(query), **given)

    async def _asearch(self, query: QueryLike, **given: Any) -> SearchResult:
        return await self._retriever.aretrieve_from(self._view, alone(query), **given)
