"""Retriever: what answers a query with a ranking.

Every retriever has the same four: ``retrieve``, ``aretrieve``, ``retrieve_many``, ``describe``.
One's own writes ``retrieve`` or ``aretrieve`` and gets the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from plait.errors import ConfigurationError, QueryError
from plait.execution import run_coroutine, run_in_thread
from plait.filters import Filter, FilterLike
from plait.types import Chunk, Hit, Query, QueryLike, Ranking, SearchResult

__all__ = ["RankingRetriever", "Retriever", "RetrieverKind", "check_page", "check_queries"]

RetrieverKind: TypeAlias = Literal["dense", "lexical", "other"]


def check_page(top_k: Any, offset: Any = 0) -> None:
    """Refuse a page that cannot be: ``top_k`` is an int >= 1, ``offset`` an int >= 0, no bool."""
    if type(top_k) is not int or top_k < 1:
        raise QueryError(f"top_k is {top_k!r}, expected an int >= 1")
    if type(offset) is not int or offset < 0:
        raise QueryError(f"offset is {offset!r}, expected an int >= 0")


def check_queries(queries: Iterable[QueryLike]) -> list[QueryLike]:
    """The queries as they were given, if each of them asks something.

    Raises:
        QueryError: One query instead of several, or a blank one, named by its position.

    Example:
        >>> check_queries(query for query in ["one", "two"])
        ['one', 'two']
    """
    # A str is an iterable of str too, but nobody means to ask its letters.
    if isinstance(queries, str | Query) or not isinstance(queries, Iterable):
        raise QueryError(
            f"queries is {type(queries).__name__}, expected several queries: put one in a list"
        )
    given = list(queries)
    for position, query in enumerate(given):
        try:
            Query.of(query)
        except QueryError as error:
            raise QueryError(f"queries[{position}]: {error}") from error
    return given


class Retriever:
    """Base of retrievers. Subclass it and write ``retrieve`` or ``aretrieve``.

    Both take ``(query, *, top_k, filter)``. They return a ``SearchResult``, or, when the
    retriever only ever stands in a hybrid, what a callable leg may return: ids,
    ``(id, score)`` pairs, chunks or hits, best first.

    Attributes:
        name: Name of the leg in a hybrid, unless the hybrid gives another.
        higher_is_better: False if the scores are distances.
        score_range: Theoretical (lowest, highest) score, None where unbounded or unknown.
        order: ``"position"`` if the order of the hits does not follow their scores.
        filters: Whether the retriever honors ``filter``.
        kind: ``"dense"`` if it finds by closeness of meaning, ``"lexical"`` if by words; a text
            that is made for one of them is not given to the others.

    Example:
        >>> class Pinned(Retriever):
        ...     name = "pinned"
        ...     def retrieve(self, query, *, top_k=5, filter=None):
        ...         return SearchResult((Hit(Chunk("Status page: all well."), None, rank=1),))
        >>> Pinned().retrieve("is it down?")[0].chunk.content
        'Status page: all well.'
    """

    name: str = "retriever"
    higher_is_better: bool = True
    score_range: tuple[float | None, float | None] = (None, None)
    order: Literal["score", "position"] = "score"
    filters: bool = True
    kind: RetrieverKind = "other"

    def unanswerable(self, query: Query) -> str | None:  # noqa: ARG002 (for subclasses)
        """Why this retriever cannot use the form of the query, None if it can."""
        return None

    def score(
        self,
        query: Query,
        ids: Sequence[str],
        *,
        filter: Filter | None,
    ) -> Mapping[str, float]:
        """The scores of these chunks, as this retriever would give them to hits.

        Written by a retriever that can score any chunk; it lets a hybrid with ``fill=True`` ask for
        the scores of hits that only other legs returned.

        Args:
            query: The query.
            ids: Ids of chunks.
            filter: Only chunks whose metadata passes; None for all.

        Returns:
            Scores by id. Ids that it does not know, that do not pass, or that it would never
            return for the query are left out.
        """
        raise NotImplementedError(f"{type(self).__name__} does not score single chunks")

    def retrieve(
        self, query: QueryLike, *, top_k: int = 5, filter: FilterLike = None
    ) -> SearchResult:
        """Answer one query; works inside a running event loop too."""
        self._check_written()
        return run_coroutine(self.aretrieve(query, top_k=top_k, filter=filter))

    async def aretrieve(
        self, query: QueryLike, *, top_k: int = 5, filter: FilterLike = None
    ) -> SearchResult:
        """Answer one query without blocking the event loop."""
        self._check_written()
        return await run_in_thread(self.retrieve, query, top_k=top_k, filter=filter)

    def retrieve_many(
        self, queries: Iterable[QueryLike], *, top_k: int = 5, filter: FilterLike = None
    ) -> list[SearchResult]:
        """Answer several queries; the results are those of ``retrieve``, in the same order.

        The queries are checked before the first is run. A failure is raised and ends the call; for
        an outcome per query, call ``retrieve`` for each.
        """
        return [self.retrieve(each, top_k=top_k, filter=filter) for each in check_queries(queries)]

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        return {"type": type(self).__name__, "name": self.name}

    @classmethod
    def is_sync(cls) -> bool:
        """Whether the class writes ``retrieve`` itself."""
        return cls.retrieve is not Retriever.retrieve

    @classmethod
    def is_async(cls) -> bool:
        """Whether the class writes ``aretrieve`` itself."""
        return cls.aretrieve is not Retriever.aretrieve

    @classmethod
    def is_scoring(cls) -> bool:
        """Whether the class writes ``score``."""
        return cls.score is not Retriever.score

    def _check_written(self) -> None:
        if not (self.is_sync() or self.is_async()):
            raise ConfigurationError(
                f"{type(self).__name__} has neither retrieve nor aretrieve; "
                "a retriever writes one of them"
            )


class RankingRetriever(Retriever):
    """Base of plait's own retrievers: they write ``rank``, which is what a hybrid calls."""

    def rank(self, query: Query, *, top_k: int, filter: Filter | None) -> Ranking:
        """The best ``top_k`` as a ranking; arguments are already checked."""
        raise NotImplementedError

    def chunks(self, ranking: Ranking) -> Sequence[Chunk | None]:
        """The chunks of a ranking that does not carry them, None for those that are gone."""
        raise NotImplementedError

    def snippet(self, query: Query, chunk: Chunk) -> str | None:  # noqa: ARG002 (for subclasses)
        """The part of the chunk that answers the query, None if the retriever cannot tell."""
        return None

    def retrieve(
        self, query: QueryLike, *, top_k: int = 5, filter: FilterLike = None
    ) -> SearchResult:
        """Answer one query.

        Args:
            query: Text or a ``Query``.
            top_k: How many hits, >= 1; fewer come back if fewer match.
            filter: Only chunks whose metadata passes; see ``plait.filters``.

        Raises:
            QueryError: A blank query, a bad ``top_k`` or filter, a query form that this
                retriever cannot use.
        """
        asked = self.check(query)
        check_page(top_k)
        return self.result(asked, self.rank(asked, top_k=top_k, filter=Filter.parse(filter)))

    def check(self, query: QueryLike) -> Query:
        """The query, if this retriever can use its form.

        Raises:
            QueryError: A blank query, or a form that it cannot use.
        """
        asked = Query.of(query)
        reason = self.unanswerable(asked)
        if reason is not None:
            raise QueryError(f"retriever {self.name!r} {reason}")
        return asked

    def result(self, query: Query, ranking: Ranking) -> SearchResult:
        """A ranking of this retriever as the result of this retriever alone."""
        chunks = ranking.chunks or self.chunks(ranking)
        hits = tuple(
            Hit(
                chunk=chunk,
                score=score,
                rank=rank,
                source=self.name,
                legs=(self.name,),
                retrieval_score=score,
                snippet=self.snippet(query, chunk),
            )
            for rank, (chunk, score) in enumerate(zip(chunks, ranking.scores, strict=True), start=1)
            if chunk is not None
        )
        total = len(hits) if ranking.total is None else ranking.total
        return SearchResult(hits=hits, query=query, total=total, notes=ranking.notes)
