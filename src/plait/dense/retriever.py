"""DenseRetriever: chunks in memory, found by closeness of their vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from plait.dense.index import FlatIndex, VectorIndex
from plait.dense.memory import MemoryVectors
from plait.dense.metric import Metric, parse_metric
from plait.dense.vectors import check_rows
from plait.dense.view import DenseView
from plait.embedding import CachedEmbedder, Embedder, FloatMatrix, check_embedder
from plait.errors import ConfigurationError, QueryError
from plait.filters import Filter, FilterLike
from plait.memory import MemoryRetriever, refuse_positional
from plait.retriever import check_page, check_queries
from plait.types import Chunk, FloatVector, Query, QueryLike, Ranking, SearchResult

__all__ = ["DenseRetriever"]


class DenseRetriever(MemoryRetriever[FloatMatrix, VectorIndex]):
    """Chunks in memory, ranked by how close their vectors are to the query's.

    A chunk that brings an embedding is not embedded again; the text of the others
    (``Chunk.index_text``) is embedded when they are added. A query's embedding is used when it is
    given, its text is embedded otherwise, and recent query vectors are kept. Every chunk that
    passes the filter is ranked: ``total`` is their number, whatever ``top_k``.

    Args:
        chunks: What to start with.
        embedder: Turns text into vectors; None if chunks and queries bring their own.
        metric: ``"cosine"``, ``"dot"`` or ``"euclidean"`` (a distance: lower is better); None is
            that of the index, cosine without one.
        index: An empty index that proposes what to compare, such as ``HnswIndex()``; None compares
            every vector, which is exact.
        name: Name of the leg in a hybrid.

    Raises:
        ConfigurationError: An index that is not empty, or of another metric or dimension.
        ConfigurationError: A chunk without embedding and no embedder to make one, a vector of
            another dimension, NaN, or zeros where the metric is cosine; nothing is written then.

    Example:
        >>> from plait.embedders import HashEmbedder
        >>> chunks = [Chunk("error E1042 socket closed", id="a"), Chunk("cats purr", id="b")]
        >>> dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=128))
        >>> [hit.id for hit in dense.retrieve("why does my cat purr", top_k=1)]
        ['b']
    """

    kind = "dense"

    def __init__(
        self,
        chunks: Iterable[Chunk] = (),
        *misplaced: Any,
        embedder: Embedder | None = None,
        metric: str | Metric | None = None,
        index: VectorIndex | None = None,
        name: str = "dense",
    ) -> None:
        refuse_positional(self, misplaced)
        self.metric = _metric(metric, index)
        self.higher_is_better = self.metric.higher_is_better
        self.score_range = self.metric.score_range
        self.embedder = None if embedder is None else CachedEmbedder(check_embedder(embedder))
        dim = None if self.embedder is None else self.embedder.dim
        super().__init__(_empty(index, self.metric, dim), name=name)
        self.add(chunks)

    def rows(self, chunks: Sequence[Chunk]) -> FloatMatrix:
        """The vectors of these chunks, float32 of shape (n, dim); embeds those that bring none.

        Raises:
            ConfigurationError: A chunk without vector, or with one that does not fit; names it.
            EmbeddingError: What the embedder raises.
        """
        others = [chunk for chunk in chunks if chunk.embedding is None]
        if others and self.embedder is None:
            raise ConfigurationError(
                f"chunk {others[0].id!r} brings no embedding and retriever {self.name!r} has no "
                "embedder; give it one, or add chunks with Chunk(..., embedding=...)"
            )
        given = {chunk.id: chunk.embedding for chunk in chunks if chunk.embedding is not None}
        dim = self._state.index.dim or len(next(iter(given.values())))
        brought = [chunk for chunk in chunks if chunk.id in given]
        odd = [chunk for chunk in brought if len(given[chunk.id]) != dim]
        some = odd[:1] or brought  # vectors of different length make no matrix
        if some:  # checked before the others are embedded, which may take long
            self._check([given[chunk.id] for chunk in some], dim, some)
        if others and self.embedder is not None:
            made = self.embedder.embed_passages([chunk.index_text for chunk in others])
            self._check(made, dim, others)
            given |= zip((chunk.id for chunk in others), made, strict=True)
        return np.stack([given[chunk.id] for chunk in chunks])

    def _check(self, vectors: Any, dim: int, chunks: Sequence[Chunk]) -> None:
        names = [f"chunk {chunk.id!r}" for chunk in chunks]
        check_rows(vectors, metric=self.metric, dim=dim, names=names)

    def unanswerable(self, query: Query) -> str | None:
        """Why the query cannot be used: it has only text, and there is no embedder."""
        if query.embedding is None and self.embedder is None:
            return "has no embedder, so it needs a query with an embedding: Query(embedding=...)"
        return None

    def rank(self, query: Query, *, top_k: int, filter: Filter | None) -> Ranking:
        """The best ``top_k`` as a ranking that carries its chunks.

        Raises:
            QueryError: A vector of another dimension, or one that the metric cannot compare.
        """
        vector = self._vector(query)
        return self._view().rank(vector, top_k=top_k, filter=filter, name=self.name)

    def score(
        self, query: Query, ids: Sequence[str], *, filter: Filter | None
    ) -> Mapping[str, float]:
        """The scores of these chunks.

        Raises:
            QueryError: As ``rank``.
        """
        return self._view().score(self._vector(query), ids, filter=filter)

    def vectors(self, ids: Iterable[str]) -> Mapping[str, FloatVector]:
        """The vectors of these chunks, by id; those that are not there are left out."""
        return self._view().vectors(ids)

    def retrieve_many(
        self, queries: Iterable[QueryLike], *, top_k: int = 5, filter: FilterLike = None
    ) -> list[SearchResult]:
        """Answer several queries; one matrix product proposes for all, the results are the same."""
        asked = [self.check(query) for query in check_queries(queries)]
        check_page(top_k)
        keep = Filter.parse(filter)
        vectors = [self._vector(query) for query in asked]
        rankings = self._view().rank_many(vectors, top_k=top_k, filter=keep, name=self.name)
        return [self.result(*each) for each in zip(asked, rankings, strict=True)]

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        return {
            **super().describe(),
            "metric": str(self.metric),
            "dim": self._state.index.dim,
            "index": str(self._state.index),
            "embedder": None if self.embedder is None else self.embedder.identity.to_dict(),
        }

    def _view(self) -> DenseView:
        state = self._state
        part = MemoryVectors(state.table, state.index, state.chunks)
        return DenseView((part,), part.metric, part.dim)

    def _vector(self, query: Query) -> FloatVector:
        if query.embedding is not None:
            return query.embedding
        if query.text is None or self.embedder is None:
            raise QueryError(f"retriever {self.name!r} {self.unanswerable(query)}")
        return self.embedder.embed_query(query.text)


def _metric(metric: str | Metric | None, index: VectorIndex | None) -> Metric:
    if index is None:
        return parse_metric("cosine" if metric is None else metric)
    if metric is not None and parse_metric(metric) != index.metric:
        raise ConfigurationError(
            f"metric is {metric}, but the index compares by {index.metric}; give the metric to the "
            "index alone"
        )
    return index.metric


def _empty(index: VectorIndex | None, metric: Metric, dim: int | None) -> VectorIndex:
    if index is None:
        return FlatIndex(metric, dim)
    if index.size:
        raise ConfigurationError(
            f"the index holds {index.size} vectors, expected an empty one; give chunks to the "
            "retriever instead"
        )
    if None not in (dim, index.dim) and dim != index.dim:
        raise ConfigurationError(
            f"the index is for vectors of {index.dim} dimensions, but the embedder makes {dim}"
        )
    return index
