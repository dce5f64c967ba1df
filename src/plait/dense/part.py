"""DensePart: the vectors of some rows of a state, ranked by themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from plait.dense.metric import Metric
from plait.embedding import FloatMatrix
from plait.filters import Filter
from plait.table import PartRanking
from plait.types import FloatVector

__all__ = ["DensePart"]


class DensePart(Protocol):
    """Some rows of a state with their vectors; immutable.

    A row's score is a function of its vector and the query alone, so it does not matter which
    part it is in: the best of several parts, merged by (score, id), are the best of all.
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
    def count(self) -> int:
        """Rows that are alive."""
        ...

    def rank_many(
        self,
        queries: FloatMatrix,
        *,
        top_k: int,
        keep: Filter | None,
        exact: bool,
        candidates: int | None,
    ) -> list[PartRanking]:
        """The best rows of this part that are alive and pass, for each query.

        Args:
            queries: Float32 of shape (m, dim), checked; with ``dim`` None of any dimension.
            top_k: >= 1; fewer come back if fewer pass.
            keep: Applied before ranking.
            exact: Nothing may be missed.
            candidates: How many rows a part that does not compare all of them looks at in full,
                whatever ``top_k``; None compares all.
        """
        ...

    def score(
        self, query: FloatVector, ids: Iterable[str], keep: Filter | None, /
    ) -> dict[str, float]:
        """The scores that ``rank_many`` gives these ids; those that are not here are left out."""
        ...

    def vectors(self, ids: Iterable[str], /) -> dict[str, FloatVector]:
        """The vectors of these ids; those that are not here are left out."""
        ...
