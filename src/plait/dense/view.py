"""DenseView: the vectors and the rows of one state, and the ranking that they give a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from plait.dense.index import VectorIndex
from plait.dense.metric import BLOCK
from plait.dense.vectors import check_query
from plait.embedding import FloatMatrix
from plait.filters import Filter
from plait.table import Ordinals, TableView
from plait.types import Chunk, FloatVector, Ranking

__all__ = ["DenseView"]


@dataclass(frozen=True, slots=True, eq=False)
class DenseView:
    """One state of a set of chunks with vectors.

    Attributes:
        table: Ids, metadata and which rows are alive.
        index: Vectors at the same ordinals.

    Example:
        >>> from plait.dense import FlatIndex
        >>> from plait.table import ChunkTable
        >>> table = ChunkTable()
        >>> _ = table.add(["east", "north"], [{}, {}])
        >>> view = DenseView(table.view(), FlatIndex().added([[1, 0], [0, 1]]))
        >>> view.rank(np.array([3, 0]), top_k=1)
        Ranking(leg='dense', ids=('east',), scores=(1.0,), ...
    """

    table: TableView
    index: VectorIndex

    def rank(
        self,
        vector: FloatVector,
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "dense",
        exact: bool = False,
        chunks: Sequence[Chunk] = (),
    ) -> Ranking:
        """The best ``top_k`` of the rows that are alive and pass the filter, ties by id.

        Args:
            vector: Shape (dim,).
            top_k: >= 1; fewer come back if fewer pass.
            filter: Applied before ranking.
            name: Name of the leg.
            exact: Compare every row, whatever the index would propose.
            chunks: Chunks by ordinal, for a ranking that carries them.

        Raises:
            QueryError: Another dimension, NaN, or a vector that the metric cannot compare.
        """
        return self.rank_many(
            [vector], top_k=top_k, filter=filter, name=name, exact=exact, chunks=chunks
        )[0]

    def rank_many(
        self,
        vectors: Sequence[FloatVector],
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "dense",
        exact: bool = False,
        chunks: Sequence[Chunk] = (),
    ) -> list[Ranking]:
        """The ranking that ``rank`` gives each vector; one matrix product proposes for all."""
        index = self.index
        checked = [check_query(each, metric=index.metric, dim=index.dim) for each in vectors]
        if not checked:
            return []
        allowed = self.table.allow(filter)
        total = int(np.count_nonzero(allowed))
        rankings = []
        proposed: Iterable[Ordinals] = repeat(np.zeros(0, dtype=np.int64), len(checked))
        if total:  # an index that never held a row takes queries of any dimension
            proposed = index.propose(np.stack(checked), allowed, top_k=top_k, exact=exact)
        for query, ordinals in zip(checked, proposed, strict=True):
            scores = self._scores(ordinals, query)
            keys = -scores if index.metric.higher_is_better else scores
            best = self.table.first(ordinals, keys, top_k)
            rows = ordinals[best].tolist()
            rankings.append(
                Ranking(
                    leg=name,
                    ids=tuple(self.table.ids[row] for row in rows),
                    scores=tuple(scores[best].tolist()),
                    chunks=tuple(chunks[row] for row in rows) if chunks else (),
                    higher_is_better=index.metric.higher_is_better,
                    score_range=index.metric.score_range,
                    total=total,
                )
            )
        return rankings

    def score(
        self, vector: FloatVector, ids: Iterable[str], *, filter: Filter | None = None
    ) -> dict[str, float]:
        """The scores that ``rank`` gives these chunks, however far down they stand.

        Those that do not pass or are not there are left out.

        Raises:
            QueryError: As ``rank``.
        """
        query = check_query(vector, metric=self.index.metric, dim=self.index.dim)
        rows = self.table.rows(ids, filter)
        names = (self.table.ids[row] for row in rows.tolist())
        return dict(zip(names, self._scores(rows, query).tolist(), strict=True))

    def vectors(self, ids: Iterable[str]) -> dict[str, FloatVector]:
        """The vectors of these chunks, by id; those that are not there are left out."""
        rows = self.table.rows(ids)
        names = (self.table.ids[row] for row in rows.tolist())
        return dict(zip(names, self.index.vectors(rows), strict=True))

    def _scores(self, ordinals: Ordinals, query: FloatVector) -> NDArray[np.float32]:
        """The scores that are returned: float64, rounded to float32."""
        scores = np.empty(len(ordinals), dtype=np.float32)
        some = max(1, BLOCK // len(query))
        for start in range(0, len(ordinals), some):
            rows: FloatMatrix = self.index.vectors(ordinals[start : start + some])
            scores[start : start + some] = self.index.metric.scores(rows, query)
        return scores + np.float32(0.0)  # -0.0 is 0.0
