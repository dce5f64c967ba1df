"""HnswIndex: a graph of near vectors, by the library usearch."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from plait.dense.index import FlatIndex
from plait.dense.metric import COSINE, Metric
from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError, MissingDependencyError
from plait.table import Mask, Ordinals

__all__ = ["HnswIndex"]

_NAMES = {"cosine": "cos", "dot": "ip", "euclidean": "l2sq"}


class _Shape(NamedTuple):
    """What a graph is made with."""

    metric: Metric
    connectivity: int
    expansion: int


class _Graph:
    """A graph that only grows, shared by the values of an index that grew from one another."""

    def __init__(self, shape: _Shape, rows: FloatMatrix) -> None:
        index = _usearch()
        self._index = index(
            ndim=rows.shape[1],
            metric=_NAMES[shape.metric.name],
            dtype="f32",
            connectivity=shape.connectivity,
            expansion_add=shape.expansion,
        )
        self._shape = shape
        self._lock = threading.Lock()
        self._used = 0
        self._add(rows)

    def appended(self, flat: FlatIndex, rows: FloatMatrix) -> _Graph:
        """A graph of the rows of an index and of some more: this one, if it ends with those."""
        with self._lock:
            if self._used == flat.size:
                self._add(rows)
                return self
        return _Graph(self._shape, np.concatenate([flat.vectors(np.arange(flat.size)), rows]))

    def search(self, queries: FloatMatrix, count: int) -> list[Ordinals]:
        """About the nearest ``count`` rows of each query, in any order."""
        with self._lock:
            found = self._index.search(queries, count)
        keys = np.atleast_2d(found.keys).astype(np.int64)
        counts = getattr(found, "counts", [keys.shape[1]])
        return [row[:many] for row, many in zip(keys, counts, strict=True)]

    def _add(self, rows: FloatMatrix) -> None:
        keys = np.arange(self._used, self._used + len(rows), dtype=np.uint64)
        self._index.add(keys, rows)
        self._used += len(rows)


@dataclass(frozen=True, slots=True, eq=False)
class HnswIndex:
    """A hierarchical graph proposes which rows to compare (Malkov, Yashunin, TPAMI 2020).

    An alternative where the same vectors are asked very often: a query looks at few of them, and
    adding takes long. How many of the best it misses is not known beforehand; ``candidates`` and
    ``expansion`` trade time for that. A filter or deleted rows have more asked of the graph; where
    it gives fewer than wanted, and where few rows pass, all that pass are compared, so a
    filter never hides a hit. Scores are exact as everywhere. Rows are added on all cores, in no
    fixed order, so two builds may propose different rows. With dot, vectors of very different
    lengths make a poor graph.

    Args:
        metric: How close two vectors are.
        dim: Length of the vectors; None lets the first rows decide.
        connectivity: Neighbors of a row in the graph, >= 2.
        expansion: Rows that are looked at when one is added, >= 1.
        candidates: Rows whose scores are computed, whatever ``top_k``; more than these compares
            all. >= 1.

    Raises:
        ConfigurationError: A number below its range.
        MissingDependencyError: usearch is not installed; raised when the first rows are added.

    Example:
        >>> HnswIndex(candidates=400).size
        0
    """

    metric: Metric = COSINE
    dim: int | None = None
    connectivity: int = 16
    expansion: int = 128
    candidates: int = 400
    _flat: FlatIndex | None = field(default=None, repr=False)
    _graph: _Graph | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name, least in (("connectivity", 2), ("expansion", 1), ("candidates", 1)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                raise ConfigurationError(f"{name} is {value!r}, expected an int >= {least}")

    def __str__(self) -> str:
        return (
            f"hnsw(connectivity={self.connectivity}, expansion={self.expansion}, "
            f"candidates={self.candidates})"
        )

    @property
    def size(self) -> int:
        """Rows ever added, removed ones included."""
        return self._held.size

    def added(self, rows: FloatMatrix, /) -> HnswIndex:
        """With rows appended.

        Raises:
            ConfigurationError: As ``FlatIndex.added``.
            MissingDependencyError: usearch is not installed.
        """
        held = self._held
        grown = held.added(rows)
        if grown.size == held.size:
            return self
        new = grown.vectors(np.arange(held.size, grown.size))
        if self._graph is None:
            shape = _Shape(self.metric, self.connectivity, self.expansion)
            graph = _Graph(shape, new)
        else:
            graph = self._graph.appended(held, new)
        return replace(self, dim=grown.dim, _flat=grown, _graph=graph)

    def removed(self, ordinals: Ordinals, /) -> HnswIndex:  # noqa: ARG002 (nothing to forget)
        """The same index: ``allowed`` leaves removed rows out until they are compacted away."""
        return self

    def compacted(self, ordinals: Ordinals, /) -> HnswIndex:
        """With these rows only, in a new graph."""
        empty = replace(self, _flat=None, _graph=None)
        return empty.added(self.vectors(ordinals)) if len(ordinals) else empty

    def vectors(self, ordinals: Ordinals, /) -> FloatMatrix:
        """The rows at these ordinals, a copy."""
        return self._held.vectors(ordinals)

    def propose(
        self, queries: FloatMatrix, allowed: Mask, *, top_k: int, exact: bool
    ) -> Iterator[Ordinals]:
        """For each query rows that are likely among the best, ascending."""
        live = int(np.count_nonzero(allowed))
        count = self.candidates * self.size // max(1, live)  # so that enough of them are allowed
        if exact or self._graph is None or top_k > self.candidates or 4 * count > self.size:
            yield from self._held.propose(queries, allowed, top_k=top_k, exact=True)
            return
        for query, near in zip(queries, self._graph.search(queries, count), strict=True):
            inside = near[near < self.size]  # the graph may have grown since
            found = np.sort(inside[allowed[inside]])
            if len(found) < min(top_k, live):
                one = query[np.newaxis]
                yield from self._held.propose(one, allowed, top_k=top_k, exact=True)
            else:
                yield found

    @property
    def _held(self) -> FlatIndex:
        return FlatIndex(self.metric, self.dim) if self._flat is None else self._flat


def _usearch() -> Any:
    try:
        from usearch.index import Index
    except ImportError as error:
        raise MissingDependencyError("usearch", extra="hnsw", purpose="HnswIndex") from error
    return Index
