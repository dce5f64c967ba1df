"""The legs of a collection: words and vectors, each over the view of the query that is running."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from plait.collection.embedding import Embedders
from plait.collection.index import IndexState
from plait.collection.settings import Settings
from plait.collection.stored import Space
from plait.collection.tuning import Tuning
from plait.collection.view import View
from plait.dense import DenseView
from plait.embedding import CachedEmbedder
from plait.filters import Filter
from plait.retriever import RankingRetriever
from plait.types import Chunk, FloatVector, Query, QueryLike, Ranking

__all__ = ["DenseLeg", "LexicalLeg", "lookup", "running", "running_view"]

# The view of the query that is running. A context variable travels with the legs into their
# threads, so one long-lived hybrid serves every query, each on its own state.
_running: ContextVar[View] = ContextVar("plait_collection_view")


class LexicalLeg(RankingRetriever):
    """BM25 over the view of the running query."""

    name = "bm25"
    kind = "lexical"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.score_range = settings.bm25.score_range

    def unanswerable(self, query: Query) -> str | None:
        """Why the leg cannot use a form of query, None if it can."""
        return "needs a query with text" if query.text is None else None

    def rank(self, query: Query, *, top_k: int, filter: Filter | None) -> Ranking:
        """What the view says; arguments are checked."""
        text = query.text or ""
        return _running.get().ask(
            lambda index: index.lexical.rank(text, top_k=top_k, filter=filter, name=self.name)
        )

    def score(
        self, query: Query, ids: Sequence[str], *, filter: Filter | None
    ) -> Mapping[str, float]:
        """The scores of these chunks, those left out that do not match."""
        text = query.text or ""
        return _running.get().ask(lambda index: index.lexical.score(text, ids, filter=filter))

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        return {
            **super().describe(),
            **self._settings.bm25.parameters,
            "analyzer": str(self._settings.analyzer),
        }


class DenseLeg(RankingRetriever):
    """Closeness of vectors over the view of the running query."""

    name = "dense"
    kind = "dense"

    def __init__(
        self,
        settings: Settings,
        embedders: Embedders,
        stored: Callable[[], tuple[Space | None, Tuning | None]],
    ) -> None:
        self._embedders = embedders
        self._stored = stored
        self._metric = settings.metric
        self.higher_is_better = self._metric.higher_is_better
        self.score_range = self._metric.score_range

    def unanswerable(self, query: Query) -> str | None:
        """Why the leg cannot use a form of query, None if it can."""
        space = _running.get().index.space
        if space is None:
            return "has no vectors: the collection has no embedder, and its chunks brought none"
        if query.embedding is None and space.identity is None:
            return "has no embedder, so it needs a query with an embedding: Query(embedding=...)"
        return None

    def rank(
        self, query: Query, *, top_k: int, filter: Filter | None, exact: bool = False
    ) -> Ranking:
        """What the view says; arguments are checked, ``exact`` compares every vector."""
        view = _running.get()
        vector = self._vector(query, view)
        if vector is None:
            return Ranking(self.name, (), ())
        return view.ask(
            lambda index: _dense(index).rank(
                vector, top_k=top_k, filter=filter, name=self.name, exact=exact
            )
        )

    def score(
        self, query: Query, ids: Sequence[str], *, filter: Filter | None
    ) -> Mapping[str, float]:
        """The scores of these chunks, those left out that do not match."""
        view = _running.get()
        vector = self._vector(query, view)
        if vector is None:
            return {}
        return view.ask(lambda index: _dense(index).score(vector, ids, filter=filter))

    @property
    def embedder(self) -> CachedEmbedder | None:
        """What embeds the queries, None if the chunks brought their vectors; loads no model."""
        space = self._space
        return None if space is None or space.identity is None else self._embedders.of(space)

    @property
    def _space(self) -> Space | None:
        view = _running.get(None)
        return self._stored()[0] if view is None else view.index.space

    def vector_of(self, query: QueryLike, view: View) -> FloatVector | None:
        """The vector that it will rank, None if there is none: what is wrong it says when asked."""
        asked, dense, space = Query.of(query), view.index.dense, view.index.space
        if dense is None or space is None or (asked.embedding is None and space.identity is None):
            return None
        try:
            vector = self._vector(asked, view)
            return None if vector is None else dense.check(vector)
        except Exception:  # noqa: BLE001 (whatever it is, the leg meets it again)
            return None

    def _vector(self, query: Query, view: View) -> FloatVector | None:
        """The query's vector, None where there is nothing to load a model for."""
        space = view.index.space
        if space is None or not view.index.count:
            return None
        if query.embedding is not None:
            return query.embedding
        return self._embedders.of(space).embed_query(query.text or "")

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        space = self._space
        made_by = None if space is None else space.identity
        return {
            **super().describe(),
            "metric": str(self._metric),
            "dim": None if space is None else space.dim,
            "embedder": None if made_by is None else made_by.to_dict(),
        }


def _dense(index: IndexState) -> DenseView:
    if index.dense is None:
        raise AssertionError("the leg is not asked without a space")
    return index.dense


def lookup(ids: Sequence[str]) -> Mapping[str, Chunk]:
    """The chunks with these ids in the view of the running query."""
    return _running.get().chunks(ids)


@contextmanager
def running(view: View) -> Iterator[None]:
    """Let the legs answer from this view inside the block."""
    token = _running.set(view)
    try:
        yield
    finally:
        _running.reset(token)


def running_view() -> View | None:
    """The view of the running query, None outside of one."""
    return _running.get(None)
