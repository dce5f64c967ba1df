"""Codes: a few bits for each dimension of a row, and how a query is asked of them.

The codes are those of ``plait.kernels.vectors``. What is told here is what they are codes of: where
only the angle counts (cosine), of rows of length 1; otherwise of the rows as they are.

The key of a row estimates its rank from center + v, the row, and q, the query:

- cosine and dot: <x, q> = pull <v, center> + <v, q - pull center> + what all rows share. Whatever
  pull is; pull = <q, center> / |center|^2 leaves the least to be estimated.
- euclidean: -|x - q|^2 / 2 = -|v|^2 / 2 + <v, q - center> + what all rows share.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.dense.metric import Doubles, Metric
from plait.embedding import FloatMatrix
from plait.kernels.vectors import LARGEST, dots, encode, lengths
from plait.types import FloatVector

__all__ = ["Asked", "ask", "encoded", "planes_for", "slices"]

_SAMPLE = 2**16  # rows of which the center is the mean
_SLICE = 2**22  # float32 values worked on at once: 16 MB

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


def slices(rows: int, dim: int) -> Iterator[slice]:
    """Places of rows that are worked on together, so that memory stays bounded."""
    step = max(1, _SLICE // max(1, dim))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def encoded(
    rows: FloatMatrix, row_lengths: Doubles, metric: Metric
) -> tuple[NDArray[np.uint8], FloatMatrix, FloatMatrix]:
    """The codes of rows, float32 of shape (n, dim).

    Returns:
        Codes and factors as ``plait.kernels.vectors.encode`` writes them, and the center.
    """
    count, dim = rows.shape
    planes, blocks = planes_for(dim), (count + 63) // 64
    codes = np.zeros((blocks, planes * ((dim + 7) // 8), 64), dtype=np.uint8)
    factors = np.zeros((blocks, 2, 64), dtype=np.float32)
    scales = 1.0 / row_lengths if metric.needs_direction else np.ones(count)
    center = _center(rows, scales)
    for place in slices(count, dim):
        encode(
            rows[place],
            scales[place],
            center.astype(np.float64),
            planes=planes,
            spread=_STEPS[planes],
            near=not metric.higher_is_better,
            first=place.start,
            codes=codes,
            factors=factors,
        )
    return codes, factors, center


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


def _center(rows: FloatMatrix, scales: Doubles) -> FloatMatrix:
    """The mean of the scaled rows, or of evenly spread ones of them; float32 of shape (dim,)."""
    some = slice(None, None, max(1, len(rows) // _SAMPLE))
    picked, measured = rows[some], scales[some]
    total = np.zeros(rows.shape[1])
    for place in slices(*picked.shape):
        total += (picked[place] * measured[place, np.newaxis]).sum(axis=0)
    center: FloatMatrix = (total / max(1, len(picked))).astype(np.float32)
    return center
