"""VectorIndex: what proposes the rows among which the best are. FlatIndex: all of them, exactly.

An index proposes and hands out rows; it never scores. ``plait.dense.view`` scores what is
proposed, by one function for every index, so that an index of compact codes or an outside library
changes which rows are looked at, and nothing else.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Protocol, Self

import numpy as np

from plait.dense.metric import COSINE, Doubles, Metric
from plait.dense.nearest import nearest
from plait.dense.vectors import measure_rows
from plait.embedding import FloatMatrix
from plait.table import Mask, Ordinals

__all__ = ["FlatIndex", "VectorIndex"]


class VectorIndex(Protocol):
    """Vectors by ordinal, immutable: every change is a new value, the old one stays valid.

    ``str`` of it names what decides which rows are compared.
    """

    @property
    def metric(self) -> Metric:
        """How close two vectors are."""
        ...

    @property
    def dim(self) -> int | None:
        """Length of the vectors, None while there are none and nothing has fixed it."""
        ...

    @property
    def size(self) -> int:
        """Rows ever added, removed ones included."""
        ...

    def added(self, rows: FloatMatrix, /) -> Self:
        """With rows appended, float32 of shape (n, dim), at the next ordinals."""
        ...

    def removed(self, ordinals: Ordinals, /) -> Self:
        """Without these rows; the other rows keep their ordinals."""
        ...

    def compacted(self, ordinals: Ordinals, /) -> Self:
        """With these rows only, ascending, renumbered from 0."""
        ...

    def vectors(self, ordinals: Ordinals, /) -> FloatMatrix:
        """The rows at these ordinals, float32 of shape (n, dim)."""
        ...

    def propose(
        self, queries: FloatMatrix, allowed: Mask, *, top_k: int, exact: bool
    ) -> Iterator[Ordinals]:
        """For each query the ordinals of the rows among which the best are, ascending.

        Args:
            queries: Float32 of shape (m, dim), checked.
            allowed: The rows that may be answered, shape (size,); never a removed one.
            top_k: How many are wanted, >= 1. What is proposed may be more, and is fewer only if
                fewer are allowed.
            exact: The best ``top_k`` must all be proposed.
        """
        ...


class _Rows:
    """Rows that only grow, shared by the values of an index that grew from one another."""

    def __init__(self, capacity: int, dim: int) -> None:
        self.vectors: FloatMatrix = np.empty((capacity, dim), dtype=np.float32)
        self.lengths: Doubles = np.empty(capacity, dtype=np.float64)
        self.used = 0
        self._lock = threading.Lock()

    def append(self, size: int, rows: FloatMatrix, measured: Doubles) -> _Rows:
        """Rows written behind the first ``size``: in place where nothing else stands there."""
        with self._lock:
            free = self.used == size and size + len(rows) <= len(self.vectors)
            if free:
                self.used = size + len(rows)
        target = self
        if not free:
            grown = max(size + len(rows), size + size // 2)
            target = _Rows(grown, rows.shape[1])
            target.vectors[:size] = self.vectors[:size]
            target.lengths[:size] = self.lengths[:size]
            target.used = size + len(rows)
        target.vectors[size : target.used] = rows
        target.lengths[size : target.used] = measured
        return target


@dataclass(frozen=True, slots=True, eq=False)
class FlatIndex:
    """Every row is compared: exact, and the fastest way up to some hundred thousand rows.

    Args:
        metric: How close two vectors are.
        dim: Length of the vectors; None lets the first rows decide.

    Example:
        >>> index = FlatIndex().added([[1.0, 0.0], [0.0, 1.0]])
        >>> index.size, index.dim
        (2, 2)
    """

    metric: Metric = COSINE
    dim: int | None = None
    size: int = 0
    _rows: _Rows | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return "flat"

    def added(self, rows: FloatMatrix, /) -> FlatIndex:
        """With rows appended.

        Raises:
            ConfigurationError: Another dimension, NaN, or a vector that the metric cannot compare.
        """
        checked, measured = measure_rows(rows, metric=self.metric, dim=self.dim)
        if not len(checked):
            return self
        held = self._rows or _Rows(len(checked), checked.shape[1])
        held = held.append(self.size, checked, measured)
        return FlatIndex(self.metric, checked.shape[1], self.size + len(checked), held)

    def removed(self, ordinals: Ordinals, /) -> FlatIndex:  # noqa: ARG002 (nothing to forget)
        """The same index: ``allowed`` leaves removed rows out until they are compacted away."""
        return self

    def compacted(self, ordinals: Ordinals, /) -> FlatIndex:
        """With these rows only."""
        empty = FlatIndex(self.metric, self.dim)
        return empty if self._rows is None else empty.added(self.vectors(ordinals))

    def vectors(self, ordinals: Ordinals, /) -> FloatMatrix:
        """The rows at these ordinals, a copy."""
        if self._rows is None:
            return np.empty((0, self.dim or 0), dtype=np.float32)
        kept: FloatMatrix = self._rows.vectors[ordinals]
        return kept

    def propose(
        self,
        queries: FloatMatrix,
        allowed: Mask,
        *,
        top_k: int,
        exact: bool = True,  # noqa: ARG002 (a flat index is always exact)
    ) -> Iterator[Ordinals]:
        """For each query every allowed row that may be among the best ``top_k``, ascending."""
        ordinals = np.flatnonzero(allowed)
        if self._rows is None:
            return repeat(ordinals, len(queries))
        rows, measured = self._rows.vectors[: self.size], self._rows.lengths[: self.size]
        return nearest(self.metric, rows, measured, queries, ordinals, top_k)
