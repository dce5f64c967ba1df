"""Codes: a few bits for each dimension of a row, and how a query is asked of them.

The codes are those of ``plait.kernels.vectors``. What is told here is what they are codes of: where
only the angle counts (cosine), of rows of length 1; otherwise of the rows as they are.

The key of a row estimates its rank from center + v, the row, and q, the query:

- cosine and dot: <x, q> = pull <v, center> + <v, q - pull center> + what all rows share. Whatever
  pull is; pull = <q, center> / |center|^2 leaves the least to be estimated.
- euclidean: -|x - q|^2 / 2 = -|v|^2 / 2 + <v, q - center> + what all rows share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.dense.metric import Doubles, Metric
from plait.embedding import FloatMatrix
from plait.kernels.vectors import LARGEST, dots, encode, lengths
from plait.storage import Streamed
from plait.types import FloatVector

__all__ = ["Asked", "Encoding", "ask", "encoded", "pieces", "planes_for"]

_SAMPLE = 2**16  # rows of which the center is the mean
_SLICE = 2**22  # values of it that are added up at once
_PIECE = 2**20  # float32 values that are read and encoded at once: 4 MB
_TOGETHER = 64  # rows whose codes lie together

# Steps of the grid that tell normally distributed values best (Max, "Quantizing for minimum
# distortion", 1960), in standard deviations. With one bit there is only the sign.
_STEPS = {1: 1.0, 2: 0.9957, 4: 0.3352}


def planes_for(dim: int) -> int:
    """Bits for each dimension: so many that the whole code tells rows apart.

    With twice the bits, three times fewer rows must be looked at to find 99 of the best 100, and
    twice the bytes scanned. Measured among a million real vectors of 384 dimensions, one bit and
    4,000 candidates take as long as two bits and 1,000, and find .995 against .998 of the best 200.

    Example:
        >>> [planes_for(dim) for dim in (64, 384, 1024)]
        [4, 2, 1]
    """
    return 4 if dim < 192 else 2 if dim < 640 else 1


def pieces(rows: int, dim: int) -> Iterator[slice]:
    """Places of rows that are read and written together: whole blocks of codes, some MB."""
    step = max(1, _PIECE // max(1, dim) // _TOGETHER) * _TOGETHER
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def encoded(
    rows: FloatMatrix, row_lengths: Doubles, metric: Metric
) -> tuple[NDArray[np.uint8], FloatMatrix, FloatMatrix]:
    """The codes of rows, float32 of shape (n, dim).

    Returns:
        Codes and factors as ``plait.kernels.vectors.encode`` writes them, and the center.
    """
    encoding = Encoding(rows.__getitem__, row_lengths, rows.shape[1], metric)
    return encoding.codes.whole(), encoding.factors.whole(), encoding.center


class Encoding:
    """The codes of rows that are read piece by piece, and not kept.

    Args:
        taken: Gives the rows at some places, float32 of shape (n, dim).
        row_lengths: The length of each row, shape (rows,).
        dim: Length of the vectors.
        metric: How close two vectors are.

    Attributes:
        center: What the codes tell the difference from, shape (dim,).
    """

    def __init__(
        self,
        taken: Callable[[slice], FloatMatrix],
        row_lengths: Doubles,
        dim: int,
        metric: Metric,
    ) -> None:
        self._taken = taken
        self._dim = dim
        self._near = not metric.higher_is_better
        self._scales = 1.0 / row_lengths if metric.needs_direction else np.ones(len(row_lengths))
        self._factors = np.zeros((self._blocks, 2, _TOGETHER), dtype=np.float32)
        self._are_made = False
        self.center = _center(taken, self._scales, dim)

    @property
    def codes(self) -> Streamed:
        """As ``plait.kernels.vectors.encode`` writes them."""
        width = planes_for(self._dim) * ((self._dim + 7) // 8)
        return Streamed("|u1", (self._blocks, width, _TOGETHER), self._encoded)

    @property
    def factors(self) -> Streamed:
        """Likewise; at hand once the codes were made."""
        return Streamed("<f4", self._factors.shape, self._remembered)

    @property
    def _blocks(self) -> int:
        return -(-len(self._scales) // _TOGETHER)

    def _encoded(self) -> Iterator[NDArray[np.uint8]]:
        planes, width = planes_for(self._dim), self.codes.shape[1]
        for place in pieces(len(self._scales), self._dim):
            first, last = place.start // _TOGETHER, -(-place.stop // _TOGETHER)
            codes = np.zeros((last - first, width, _TOGETHER), dtype=np.uint8)
            encode(
                self._taken(place),
                self._scales[place],
                self.center.astype(np.float64),
                planes=planes,
                spread=_STEPS[planes],
                near=self._near,
                first=0,
                codes=codes,
                factors=self._factors[first:last],
            )
            yield codes
        self._are_made = True

    def _remembered(self) -> Iterator[NDArray[np.float32]]:
        if not self._are_made:
            deque(self._encoded(), maxlen=0)
        yield self._factors


class Asked(NamedTuple):
    """A query as codes are asked about it.

    Attributes:
        table: Shape (2 * groups, 16), what each 4 bits add.
        line: Slope, shift and pull, shape (3,).
    """

    table: NDArray[np.uint8]
    line: NDArray[np.float32]


def ask(query: FloatVector, center: FloatVector, metric: Metric, planes: int) -> Asked:
    """A query as ``plait.kernels.vectors.propose`` takes it; a function of nothing else."""
    asked = query.astype(np.float64)
    middle = center.astype(np.float64)
    pull = 1.0
    if metric.higher_is_better:
        long = float(lengths(query[np.newaxis])[0]) or 1.0  # zeros stay zeros
        asked /= long  # the order does not depend on it
        across = float(dots(center[np.newaxis], center)[0])
        pull = float(dots(center[np.newaxis], query)[0]) / long / across if across else 0.0
    direction = asked - pull * middle
    groups = (len(query) + 7) // 8
    padded = np.zeros(groups * 8)
    padded[: len(query)] = direction
    sums = np.zeros((2 * groups, 1))
    for column in padded.reshape(2 * groups, 4).T:
        sums = np.concatenate([sums, sums + column[:, np.newaxis]], axis=1)
    lowest = sums.min(axis=1)
    span = float((sums.max(axis=1) - lowest).max())
    scale = min(LARGEST, (2**16 - 1) // (2 * groups)) / span if span else 0.0
    table = np.rint((sums - lowest[:, np.newaxis]) * scale).astype(np.uint8)
    top = (1 << planes) - 1
    slope = 2.0 / scale if scale else 0.0
    shift = top * (2.0 * lowest.sum() - padded.sum())
    return Asked(table, np.array([slope, shift, pull], dtype=np.float32))


def _center(taken: Callable[[slice], FloatMatrix], scales: Doubles, dim: int) -> FloatMatrix:
    """The mean of the scaled rows, or of evenly spread ones of them; float32 of shape (dim,)."""
    step = max(1, len(scales) // _SAMPLE)
    count, together = -(-len(scales) // step), max(1, _SLICE // max(1, dim))
    total = np.zeros(dim)
    for start in range(0, count, together):
        place = slice(start * step, (start + together) * step, step)
        total += (taken(place) * scales[place, np.newaxis]).sum(axis=0)
    center: FloatMatrix = (total / max(1, count)).astype(np.float32)
    return center
