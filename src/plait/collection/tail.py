"""Tail: chunks that are in no segment, indexed in memory by each process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from plait.collection.segments import Span
from plait.collection.stored import Space, StoredRow
from plait.dense import FlatIndex, MemoryVectors
from plait.dense.metric import Metric
from plait.filters import Filter
from plait.lexical import LexicalIndex, MemoryTerms
from plait.table import Ordinals, TableView
from plait.text import Analyzer

__all__ = ["Tail"]


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """Chunks of a span of rows, in the order of these, in one state of what is alive.

    Attributes:
        span: The rows of the collection's file that it covers; the last tail has no end.
        rows: Ids and metadata.
        numbers: Row number of each ordinal, ascending.
        terms: Terms.
        vectors: Vectors, None without a space.
    """

    span: Span
    rows: TableView
    numbers: NDArray[np.int64]
    terms: MemoryTerms
    vectors: MemoryVectors | None
    name: ClassVar[None] = None

    @classmethod
    def empty(cls, span: Span, space: Space | None, metric: Metric) -> Tail:
        """No chunk yet."""
        rows = TableView([], [], np.zeros(0, dtype=np.bool_), 0)
        vectors = None if space is None else MemoryVectors(rows, FlatIndex(metric, space.dim))
        numbers = np.zeros(0, dtype=np.int64)
        return cls(span, rows, numbers, MemoryTerms(rows, LexicalIndex()), vectors)

    def grown(self, given: Sequence[StoredRow], analyzer: Analyzer) -> Tail:
        """With chunks of higher row numbers."""
        if not given:
            return self
        metadata = [json.loads(row.metadata) for row in given]
        rows = self.rows.grown([row.id for row in given], metadata)
        numbers = np.array([row.row for row in given], dtype=np.int64)
        terms = self.terms.index.added(analyzer.count([row.text for row in given]))
        vectors = self.vectors
        if vectors is not None:
            joined = b"".join(row.vector for row in given if row.vector is not None)
            matrix = np.frombuffer(joined, dtype="<f4").reshape(len(given), -1)
            vectors = MemoryVectors(rows, vectors.index.added(matrix.astype(np.float32)))
        return Tail(
            self.span,
            rows,
            np.concatenate([self.numbers, numbers]),
            MemoryTerms(rows, terms),
            vectors,
        )

    def without(self, numbers: NDArray[np.int64]) -> Tail:
        """Without the rows with these numbers; others are passed over, and so are dead ones."""
        ordinals = np.searchsorted(self.numbers, numbers)
        inside = ordinals < len(self.numbers)
        found = ordinals[inside]
        found = found[self.numbers[found] == numbers[inside]]
        found = found[self.rows.alive[found]]
        return self.without_ordinals(found) if len(found) else self

    def without_ordinals(self, ordinals: Ordinals) -> Tail:
        """Without the rows at these ordinals, which are alive, each once."""
        rows = self.rows.without(ordinals)
        terms = MemoryTerms(rows, self.terms.index.removed(ordinals))
        vectors = self.vectors
        if vectors is not None:
            vectors = MemoryVectors(rows, vectors.index.removed(ordinals))
        return _renumbered(replace(self, rows=rows, terms=terms, vectors=vectors))

    def matching(self, keep: Filter | None) -> list[int]:
        """Numbers of the rows that are alive and pass."""
        numbers: list[int] = self.numbers[self.rows.live(keep)].tolist()
        return numbers


def _renumbered(tail: Tail) -> Tail:
    """The same, without dead rows once they outweigh the others: amortized, O(1) a write."""
    if tail.rows.size <= 2 * tail.rows.count:
        return tail
    alive = tail.rows.live()
    metadata = [tail.rows.metadata[ordinal] for ordinal in alive.tolist()]
    empty = TableView([], [], np.zeros(0, dtype=np.bool_), 0)
    rows = empty.grown(tail.rows.names(alive), metadata)
    terms = MemoryTerms(rows, tail.terms.index.compacted(alive))
    vectors = tail.vectors
    if vectors is not None:
        vectors = MemoryVectors(rows, vectors.index.compacted(alive))
    return Tail(tail.span, rows, tail.numbers[alive], terms, vectors)
