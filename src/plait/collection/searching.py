"""Searching: how a collection, and a snapshot of one, are asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from plait.filters import FilterLike
from plait.fusion import Fusion, Weights
from plait.hybrid import Asked
from plait.retriever import check_page
from plait.types import QueryLike, SearchResult

__all__ = ["Searching"]


class Searching(ABC):
    """The asking half of a collection. A subclass says from which state it answers."""

    def search(
        self,
        query: QueryLike,
        *,
        top_k: int = 5,
        offset: int = 0,
        filter: FilterLike = None,
        fetch_k: int | None = None,
        fusion: Fusion | str | None = None,
        weights: Weights | None = None,
        legs: Sequence[str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        deadline: float | None = None,
        fill: bool | None = None,
    ) -> SearchResult:
        """Answer one query: both legs and the hits' contents are of one state.

        Args:
            query: Text or a ``Query``. A query without text skips the lexical leg; one without an
                embedding skips the dense leg where there is no embedder.
            top_k: Hits to return, >= 1; fewer come back if fewer are found.
            offset: Hits to pass over first, >= 0. Pages agree with each other on one snapshot.
            filter: Only chunks whose metadata passes; see ``plait.filters``.
            fetch_k: Candidates asked of each leg, at least ``top_k + offset``; unset it is the
                window of the tuning, or the collection's (200), doubled until it is enough, which
                the result notes.
            fusion: A fusion or its text form, instead of the collection's.
            weights: By position (dense, bm25) or by leg name, where one that is not named is 1.0.
                When unset, ``auto`` has those that tuning stored, see ``Collection.apply``, or
                0.3 and 0.7; another fusion has 1.0 for each leg.
            legs: Names of the legs to run, out of ``"dense"`` and ``"bm25"``.
            options: Options for single legs by name, such as ``{"dense": {"exact": True}}``.
            deadline: Seconds for both legs together, None for no limit.
            fill: Whether each leg is asked for the scores of the hits that only the other returned.

        Returns:
            The hits with content, snippet and contributions; ``generation`` says which state was
            read. Their chunks carry no embedding.

        Raises:
            QueryError, ConfigurationError: A mistake in the arguments.
            AllLegsFailedError: Every leg that was due failed.
            IndexFormatError: A row is damaged; names the file and the chunk.
        """
        check_page(top_k, offset)
        return self._search(
            query,
            top_k=top_k,
            offset=offset,
            filter=filter,
            fetch_k=fetch_k,
            fusion=fusion,
            weights=weights,
            legs=legs,
            options=options,
            deadline=deadline,
            fill=fill,
        )

    async def asearch(self, query: QueryLike, **given: Unpack[Asked]) -> SearchResult:
        """``search`` without blocking the event loop; it takes the same."""
        return await self._asearch(query, **given)

    @abstractmethod
    def _search(self, query: QueryLike, **given: Any) -> SearchResult:
        """Answer from a state."""

    @abstractmethod
    async def _asearch(self, query: QueryLike, **given: Any) -> SearchResult:
        """Answer from a state without blocking the event loop."""
