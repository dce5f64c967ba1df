"""DenseBatch: a view that is asked for queries that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from plait.dense.view import DenseView
from plait.filters import Filter
from plait.types import FloatVector, Ranking

__all__ = ["DenseBatch"]

_Asked: TypeAlias = tuple[int, Filter | None, str, bool]


@dataclass(frozen=True, slots=True, eq=False)
class DenseBatch(DenseView):
    """A view that ranks some vectors together when it is asked for the first of them.

    It says what the view says; together is faster than one by one.

    Attributes:
        queries: What it will be asked for, as ``DenseView.rank`` takes each.

    Example:
        >>> import numpy as np
        >>> from plait.dense import FlatIndex, MemoryVectors
        >>> from plait.table import ChunkTable
        >>> table = ChunkTable()
        >>> _ = table.add(["east", "north"], [{}, {}])
        >>> part = MemoryVectors(table.view(), FlatIndex().added([[1, 0], [0, 1]]))
        >>> view = DenseView((part,), part.metric, part.dim)
        >>> batch = DenseBatch.of(view, [np.array([3, 0]), np.array([0, 2])])
        >>> batch.rank(np.array([0, 2]), top_k=1).ids
        ('north',)
    """

    queries: tuple[FloatVector, ...] = ()
    _made: dict[_Asked, dict[bytes, Ranking]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, view: DenseView, vectors: Sequence[FloatVector]) -> DenseBatch:
        """The same view for these vectors."""
        return cls(view.parts, view.metric, view.dim, view.candidates, tuple(vectors))

    def rank(
        self,
        vector: FloatVector,
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "dense",
        exact: bool = False,
    ) -> Ranking:
        """As ``DenseView.rank``, also for other vectors."""
        made = self._made.get((top_k, filter, name, exact))
        if made is None:
            rankings = self.rank_many(
                self.queries, top_k=top_k, filter=filter, name=name, exact=exact
            )
            keys = [each.tobytes() for each in self.queries]
            made = dict(zip(keys, rankings, strict=True))
            self._made[top_k, filter, name, exact] = made
        found = made.get(vector.tobytes())
        if found is not None:
            return found
        return DenseView.rank(self, vector, top_k=top_k, filter=filter, name=name, exact=exact)
