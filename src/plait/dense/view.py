"""DenseView: the vectors of one state, and the ranking that they give a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from plait.dense.metric import Metric
from plait.dense.part import DensePart
from plait.dense.vectors import check_query
from plait.filters import Filter
from plait.table import PartRanking, merge_rankings
from plait.types import FloatVector, Ranking

__all__ = ["DenseView"]


@dataclass(frozen=True, slots=True, eq=False)
class DenseView:
    """One state of a set of chunks with vectors.

    Attributes:
        parts: The rows; no id is alive in two parts.
        metric: How close two vectors are.
        dim: Length of the vectors, None while there are none and nothing has fixed it.
        candidates: How many rows a part that does not compare all looks at in full, whatever is
            asked for; None compares all.

    Example:
        >>> from plait.dense import FlatIndex, MemoryVectors
        >>> from plait.table import ChunkTable
        >>> table = ChunkTable()
        >>> _ = table.add(["east", "north"], [{}, {}])
        >>> part = MemoryVectors(table.view(), FlatIndex().added([[1, 0], [0, 1]]))
        >>> DenseView((part,), part.metric, part.dim).rank(np.array([3, 0]), top_k=1)
        Ranking(leg='dense', ids=('east',), scores=(1.0,), ...
    """

    parts: tuple[DensePart, ...]
    metric: Metric
    dim: int | None = None
    candidates: int | None = None

    @property
    def count(self) -> int:
        """Rows that are alive."""
        return sum(part.count for part in self.parts)

    def rank(
        self,
        vector: FloatVector,
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "dense",
        exact: bool = False,
    ) -> Ranking:
        """The best ``top_k`` of the rows that are alive and pass the filter, ties by id.

        Args:
            vector: Shape (dim,).
            top_k: >= 1; fewer come back if fewer pass.
            filter: Applied before ranking.
            name: Name of the leg.
            exact: Compare every row, whatever ``candidates`` says.

        Raises:
            QueryError: Another dimension, NaN, or a vector that the metric cannot compare.
        """
        return self.rank_many([vector], top_k=top_k, filter=filter, name=name, exact=exact)[0]

    def rank_many(
        self,
        vectors: Sequence[FloatVector],
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "dense",
        exact: bool = False,
    ) -> list[Ranking]:
        """The ranking that ``rank`` gives each vector; faster than one by one."""
        checked = [self.check(each) for each in vectors]
        if not checked:
            return []
        if self.dim is None:  # nothing is there, so the queries may be of different dimensions
            return [self._ranking([], top_k, name) for _ in checked]
        queries = np.stack(checked)
        found = [
            part.rank_many(
                queries, top_k=top_k, keep=filter, exact=exact, candidates=self.candidates
            )
            for part in self.parts
        ]
        return [
            self._ranking([each[place] for each in found], top_k, name)
            for place in range(len(queries))
        ]

    def check(self, vector: FloatVector) -> FloatVector:
        """The vector as it is compared, float32.

        Raises:
            QueryError: As ``rank``.
        """
        return check_query(vector, metric=self.metric, dim=self.dim)

    def score(
        self, vector: FloatVector, ids: Iterable[str], *, filter: Filter | None = None
    ) -> dict[str, float]:
        """The scores that ``rank`` gives these chunks, however far down they stand.

        Those that do not pass or are not there are left out.

        Raises:
            QueryError: As ``rank``.
        """
        query = self.check(vector)
        wanted = list(ids)
        found: dict[str, float] = {}
        for part in self.parts:
            found |= part.score(query, wanted, filter)
        return found

    def vectors(self, ids: Iterable[str]) -> dict[str, FloatVector]:
        """The vectors of these chunks, by id; those that are not there are left out."""
        wanted = list(ids)
        found: dict[str, FloatVector] = {}
        for part in self.parts:
            found |= part.vectors(wanted)
        return found

    def _ranking(self, parts: Sequence[PartRanking], top_k: int, name: str) -> Ranking:
        higher_is_better = self.metric.higher_is_better
        best = merge_rankings(parts, top_k, higher_is_better=higher_is_better)
        return Ranking(
            leg=name,
            ids=best.ids,
            scores=best.scores,
            chunks=best.chunks,
            higher_is_better=higher_is_better,
            score_range=self.metric.score_range,
            total=best.total,
        )
