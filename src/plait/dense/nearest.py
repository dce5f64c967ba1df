"""nearest: the rows among which the best provably are, by float32 matrix products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from plait.dense.metric import Doubles, Metric
from plait.embedding import FloatMatrix
from plait.kernels.vectors import lengths
from plait.table import Ordinals

__all__ = ["nearest"]

_BLOCK = 2**24  # float32 values of one intermediate array: 64 MB


def nearest(
    metric: Metric,
    rows: FloatMatrix,
    row_lengths: Doubles,
    queries: FloatMatrix,
    ordinals: Ordinals,
    top_k: int,
) -> Iterator[Ordinals]:
    """For each query every row that may be among the best ``top_k``.

    One float32 matrix product gives each row an interval that provably holds its rank (see
    ``plait.dense.metric``); the rows whose interval reaches into the best ``top_k`` are taken.
    Where few are asked about, only these are multiplied.

    Args:
        metric: How close two vectors are.
        rows: Float32 of shape (n, dim).
        row_lengths: Their lengths, shape (n,).
        queries: Float32 of shape (m, dim).
        ordinals: The rows that are asked about, ascending, each once.
        top_k: >= 1.

    Returns:
        Ordinals, ascending.

    Example:
        >>> from plait.dense import COSINE
        >>> rows, ordinals = np.float32([[1, 0], [0, 1], [1, 1]]), np.arange(3)
        >>> queries = np.float32([[2, 0]])
        >>> [found.tolist() for found in nearest(COSINE, rows, lengths(rows), queries, ordinals, 2)]
        [[0, 2]]
    """
    if len(ordinals) <= top_k:
        for _ in queries:
            yield ordinals
        return
    long = lengths(queries)
    # A query of zeros stays as it is: its products are 0, which is right.
    units = (queries / np.where(long > 0, long, 1.0)[:, np.newaxis]).astype(np.float32)
    measured = row_lengths if len(ordinals) == len(rows) else row_lengths[ordinals]
    dim = rows.shape[1]
    for products, query_length in zip(_products(units, rows, ordinals), long, strict=True):
        low, high = metric.bounds(products, measured, float(query_length), dim)
        worst = len(low) - top_k
        yield ordinals[high >= np.partition(low, worst)[worst]]


def _products(
    units: FloatMatrix, rows: FloatMatrix, ordinals: Ordinals
) -> Iterator[NDArray[np.float32]]:
    """The products of each query with the rows at these ordinals, shape (n,) each."""
    if len(ordinals) * 4 <= len(rows) and len(ordinals) * units.shape[1] <= _BLOCK:
        rows = rows[ordinals]
    some = max(1, _BLOCK // len(rows))
    for start in range(0, len(units), some):
        for products in units[start : start + some] @ rows.T:
            yield products if len(products) == len(ordinals) else products[ordinals]
