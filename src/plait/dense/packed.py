"""PackedVectors: the vectors of one immutable part in arrays, with codes that propose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.bits import count as count_bits
from plait.bits import ordinals as ordinals_of
from plait.dense.codes import Encoding, ask, encoded, pieces
from plait.dense.metric import Metric
from plait.dense.nearest import nearest
from plait.embedding import FloatMatrix
from plait.filters import Filter
from plait.inference import cores, side_by_side
from plait.kernels.vectors import lengths, propose
from plait.storage import Arrays, Storable, Streamed
from plait.table import Bits, Ordinals, PartRanking, Rows
from plait.types import FloatVector

__all__ = ["PackedVectors"]

_ROWS, _LENGTHS = "vectors.rows", "vectors.lengths"
_CODES, _FACTORS, _CENTER = "vectors.codes", "vectors.factors", "vectors.center"

_EACH = 4  # queries from which on it pays to start another thread
_FEW = 6144  # so many rows are compared as fast as codes propose,
_SHARE = 4  # and so many times the candidates


@dataclass(frozen=True, slots=True, eq=False)
class PackedVectors:
    """Vectors in the order of their ids.

    Compact codes propose ``candidates`` rows, whose scores are computed in full; any ``top_k`` is a
    cut of that one list. Everything is compared where that is as fast, where more than
    ``candidates`` are wanted, and where it is asked for.

    Attributes:
        arrays: What ``build`` made.
        rows: Ids, and which rows are alive and pass.
        metric: How close two vectors are, the same as when it was built.
    """

    arrays: Arrays
    rows: Rows
    metric: Metric

    @staticmethod
    def build(vectors: FloatMatrix, metric: Metric) -> dict[str, NDArray[Any]]:
        """The arrays for some vectors; beside them and what is returned it needs little memory.

        Args:
            vectors: Float32 of shape (n, dim), as ``check_rows`` accepts them, by ascending id.
            metric: How close two vectors are.

        Example:
            >>> from plait.dense import COSINE
            >>> arrays = PackedVectors.build(np.float32([[1, 0], [0, 2]]), COSINE)
            >>> arrays["vectors.lengths"].tolist()
            [1.0, 2.0]
        """
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        measured = lengths(rows)
        codes, factors, center = encoded(rows, measured, metric)
        return {
            _ROWS: rows,
            _LENGTHS: measured,
            _CODES: codes,
            _FACTORS: factors,
            _CENTER: center,
        }

    @classmethod
    def merge(
        cls,
        parts: Sequence[PackedVectors],
        source: NDArray[np.int32],
        ordinal: NDArray[np.int64],
    ) -> dict[str, Storable]:
        """The arrays of rows of several parts of one metric and dimension, at least one part.

        Args:
            parts: Where the rows are.
            source: For each new row the number of its part, shape (n,).
            ordinal: And its ordinal there, shape (n,).

        Returns:
            What ``build`` makes of these rows. What is large is read from the parts when it is
            written, so the parts must not be closed before.
        """
        dim = parts[0].dim

        def taken(place: slice) -> FloatMatrix:
            numbers, ordinals = source[place], ordinal[place]
            rows: FloatMatrix = np.empty((len(numbers), dim), dtype="<f4")
            for number, part in enumerate(parts):
                here = np.flatnonzero(numbers == number)
                if len(here):
                    rows[here] = part.taken(ordinals[here])
            return rows

        measured = np.empty(len(source))
        for number, part in enumerate(parts):
            here = np.flatnonzero(source == number)
            measured[here] = part.arrays.read(_LENGTHS)[ordinal[here]]
        encoding = Encoding(taken, measured, dim, parts[0].metric)
        return {
            _ROWS: Streamed(
                "<f4", (len(source), dim), lambda: map(taken, pieces(len(source), dim))
            ),
            _LENGTHS: measured,
            _CODES: encoding.codes,
            _FACTORS: encoding.factors,
            _CENTER: encoding.center,
        }

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.arrays[_ROWS].shape[1])

    @property
    def planes(self) -> int:
        """Bits of a code for each dimension."""
        return int(self.arrays[_CODES].shape[1] // ((self.dim + 7) // 8))

    @property
    def count(self) -> int:
        """Rows that are alive."""
        return self.rows.count

    def alive(self) -> Ordinals:
        """The ordinals of the rows that are alive, ascending."""
        return self._passing(self.rows.allowed(None))

    def over(self, rows: Rows) -> PackedVectors:
        """The same vectors with other rows alive."""
        return replace(self, rows=rows)

    def rank_many(
        self,
        queries: FloatMatrix,
        *,
        top_k: int,
        keep: Filter | None = None,
        exact: bool = False,
        candidates: int | None = None,
    ) -> list[PartRanking]:
        """The best rows that are alive and pass, as ``DensePart.rank_many``."""
        allowed = self.rows.allowed(keep)
        total = self.rows.count if keep is None or allowed is None else count_bits(allowed)
        if (
            candidates is None
            or exact
            or top_k > candidates
            or total <= max(_FEW, _SHARE * candidates)
        ):
            found = self._nearest(queries, allowed, top_k)
            return [
                self._ranking(query, ordinals, total, top_k)
                for query, ordinals in zip(queries, found, strict=True)
            ]

        def rank_some(some: FloatMatrix) -> list[PartRanking]:
            proposed = self._proposed(some, allowed, candidates)
            return [
                self._ranking(query, np.sort(ordinals), total, top_k)
                for query, ordinals in zip(some, proposed, strict=True)
            ]

        heaps = np.array_split(queries, max(1, min(cores(), len(queries) // _EACH)))
        return list(chain.from_iterable(side_by_side(rank_some, heaps)))

    def score(
        self, query: FloatVector, ids: Iterable[str], keep: Filter | None = None, /
    ) -> dict[str, float]:
        """The scores of the ids that are here, alive, and pass."""
        ordinals = self.rows.rows(ids, keep)
        names = self.rows.names(ordinals)
        return dict(zip(names, self._scores(query, ordinals).tolist(), strict=True))

    def vectors(self, ids: Iterable[str], /) -> dict[str, FloatVector]:
        """The vectors of the ids that are here and alive."""
        ordinals = self.rows.rows(ids)
        return dict(zip(self.rows.names(ordinals), self.taken(ordinals), strict=True))

    def proposed(self, queries: FloatMatrix, candidates: int) -> list[Ordinals]:
        """For each query the rows that are alive and whose codes are the best, best first."""
        return self._proposed(queries, self.rows.allowed(None), candidates)

    def taken(self, ordinals: Ordinals) -> FloatMatrix:
        """The rows at these ordinals, a copy, float32 of shape (n, dim)."""
        self.arrays.touch_rows(_ROWS, ordinals)
        taken: FloatMatrix = self.arrays[_ROWS][ordinals]
        return taken

    def _proposed(
        self, queries: FloatMatrix, allowed: Bits | None, candidates: int
    ) -> list[Ordinals]:
        for name in (_CODES, _FACTORS, _CENTER):
            self.arrays.touch(name)
        center = self.arrays[_CENTER]
        asked = [ask(query, center, self.metric, self.planes) for query in queries]
        return propose(
            self.arrays[_CODES],
            self.arrays[_FACTORS],
            self.rows.size,
            allowed,
            np.stack([each.table for each in asked]),
            np.stack([each.line for each in asked]),
            candidates,
        )

    def _nearest(
        self, queries: FloatMatrix, allowed: Bits | None, top_k: int
    ) -> Iterator[Ordinals]:
        ordinals = self._passing(allowed)
        self._touch(ordinals)
        return nearest(
            self.metric, self.arrays[_ROWS], self.arrays[_LENGTHS], queries, ordinals, top_k
        )

    def _passing(self, allowed: Bits | None) -> Ordinals:
        return np.arange(self.rows.size) if allowed is None else ordinals_of(allowed)

    def _ranking(
        self, query: FloatVector, ordinals: Ordinals, total: int, top_k: int
    ) -> PartRanking:
        scores = self._scores(query, ordinals)
        keys = -scores if self.metric.higher_is_better else scores
        inside = np.arange(len(keys))
        if top_k < len(keys):
            inside = np.flatnonzero(keys <= np.partition(keys, top_k - 1)[top_k - 1])
        # stable, and ordinals ascend: among equal scores the lower ordinal, so the lower id
        best = inside[np.argsort(keys[inside], kind="stable")[:top_k]]
        return PartRanking(
            ids=tuple(self.rows.names(ordinals[best])),
            scores=tuple(scores[best].tolist()),
            total=total,
        )

    def _scores(self, query: FloatVector, ordinals: Ordinals) -> NDArray[np.float32]:
        """The scores that are returned: float64, rounded to float32."""
        self._touch(ordinals)
        rows, measured = self.arrays[_ROWS], self.arrays[_LENGTHS]
        scores = self.metric.scores(rows, query, ordinals, measured).astype(np.float32)
        return scores + np.float32(0.0)  # -0.0 is 0.0

    def _touch(self, ordinals: Ordinals) -> None:
        """Check the rows at these ordinals before they are used."""
        if len(ordinals) == self.rows.size:
            self.arrays.touch(_ROWS)
        else:
            self.arrays.touch_rows(_ROWS, ordinals)
        self.arrays.touch(_LENGTHS)
