"""MemoryVectors: the rows of a table in memory, and a vector index over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from plait.dense.index import VectorIndex
from plait.dense.metric import Metric
from plait.embedding import FloatMatrix
from plait.filters import Filter
from plait.table import Ordinals, PartRanking, TableView
from plait.types import Chunk, FloatVector

__all__ = ["MemoryVectors"]

_BLOCK = 2**21  # values that are copied out of an index at once


@dataclass(frozen=True, slots=True, eq=False)
class MemoryVectors:
    """A part of a state whose rows are in memory.

    Attributes:
        table: Ids, metadata and which rows are alive.
        index: Vectors at the same ordinals.
        chunks: Chunks at the same ordinals, for rankings that carry them; or empty.
    """

    table: TableView
    index: VectorIndex
    chunks: Sequence[Chunk] = ()

    @property
    def metric(self) -> Metric:
        """How close two vectors are."""
        return self.index.metric

    @property
    def dim(self) -> int | None:
        """Length of the vectors, None while nothing has fixed it."""
        return self.index.dim

    @property
    def count(self) -> int:
        """Rows that are alive."""
        return self.table.count

    def rank_many(
        self,
        queries: FloatMatrix,
        *,
        top_k: int,
        keep: Filter | None = None,
        exact: bool = False,
        candidates: int | None = None,  # noqa: ARG002 (the index knows how many to propose)
    ) -> list[PartRanking]:
        """The best rows that are alive and pass; the index proposes for all queries at once."""
        allowed = self.table.allow(keep)
        total = int(np.count_nonzero(allowed))
        proposed: Iterable[Ordinals] = repeat(np.zeros(0, dtype=np.int64), len(queries))
        if total:  # an index that never held a row takes queries of any dimension
            proposed = self.index.propose(queries, allowed, top_k=top_k, exact=exact)
        rankings = []
        for query, ordinals in zip(queries, proposed, strict=True):
            scores = self._scores(ordinals, query)
            keys = -scores if self.metric.higher_is_better else scores
            best = self.table.first(ordinals, keys, top_k)
            rows = ordinals[best].tolist()
            rankings.append(
                PartRanking(
                    ids=tuple([self.table.ids[row] for row in rows]),
                    scores=tuple(scores[best].tolist()),
                    total=total,
                    chunks=tuple([self.chunks[row] for row in rows]) if self.chunks else (),
                )
            )
        return rankings

    def score(
        self, query: FloatVector, ids: Iterable[str], keep: Filter | None = None, /
    ) -> dict[str, float]:
        """The scores of the ids that are here and pass."""
        rows = self.table.rows(ids, keep)
        return dict(zip(self._names(rows), self._scores(rows, query).tolist(), strict=True))

    def vectors(self, ids: Iterable[str], /) -> dict[str, FloatVector]:
        """The vectors of the ids that are here."""
        rows = self.table.rows(ids)
        return dict(zip(self._names(rows), self.index.vectors(rows), strict=True))

    def _names(self, rows: Ordinals) -> list[str]:
        return [self.table.ids[row] for row in rows.tolist()]

    def _scores(self, ordinals: Ordinals, query: FloatVector) -> NDArray[np.float32]:
        """The scores that are returned: float64, rounded to float32."""
        scores = np.empty(len(ordinals), dtype=np.float32)
        some = max(1, _BLOCK // len(query))
        for start in range(0, len(ordinals), some):
            rows = self.index.vectors(ordinals[start : start + some])
            scores[start : start + some] = self.metric.scores(rows, query)
        return scores + np.float32(0.0)  # -0.0 is 0.0
