"""Vectors at the boundary of an index: checked once, before any work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.dense.metric import LENGTHS, Doubles, Metric
from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError, PlaitError, QueryError
from plait.kernels.vectors import lengths
from plait.types import FloatVector

__all__ = ["check_query", "check_rows", "measure_rows"]


def check_rows(
    rows: Any, *, metric: Metric, dim: int | None, names: Sequence[str] | None = None
) -> FloatMatrix:
    """Rows that an index of this metric can hold, float32 of shape (n, dim), C-contiguous.

    Args:
        rows: Numbers of shape (n, dim).
        metric: Cosine refuses zeros: they have no direction.
        dim: Length of the vectors that are there, None if there are none yet.
        names: What to call each row in a message; None calls them by position.

    Raises:
        ConfigurationError: Another dimension, NaN, infinite, zero where a direction is needed, or
            a length outside 1e-18 to 1e18; names the first such row.
    """
    return measure_rows(rows, metric=metric, dim=dim, names=names)[0]


def measure_rows(
    rows: Any,
    *,
    metric: Metric,
    dim: int | None,
    names: Sequence[str] | None = None,
    refuse: type[PlaitError] = ConfigurationError,
) -> tuple[FloatMatrix, Doubles]:
    """The rows that ``check_rows`` gives, and their lengths, float64 of shape (n,)."""

    def name(row: int) -> str:
        return f"vector {row}" if names is None else names[row]

    try:
        given = np.asarray(rows)
    except ValueError as error:
        raise refuse(f"vectors are not numbers of shape (n, dim): {error}") from error
    if given.dtype.kind not in "fiu" or given.ndim != 2 or given.shape[1] == 0:
        raise refuse(
            f"vectors are {given.dtype} of shape {given.shape}, expected real numbers of shape "
            "(n, dim)"
        )
    if dim is not None and given.shape[1] != dim:
        raise refuse(
            f"{name(0) if len(given) else 'vectors'}: {given.shape[1]} dimensions, but this index "
            f"holds vectors of {dim}; vectors of different embedders do not compare, so embed "
            "everything with one"
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite: refused below
        kept: FloatMatrix = np.ascontiguousarray(given, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(kept).all(axis=1))
    if len(bad):
        raise refuse(f"{name(bad[0])}: the vector holds NaN or infinite values")
    long = lengths(kept)
    if metric.needs_direction and not long.all():
        raise refuse(
            f"{name(int(np.argmin(long)))}: the vector is all zeros and has no direction, so "
            f"{metric} cannot compare it; leave the text out, or give it any vector of length 1"
        )
    bad = np.flatnonzero((long > LENGTHS[1]) | ((long < LENGTHS[0]) & (long > 0)))
    if len(bad):
        raise refuse(
            f"{name(bad[0])}: the vector has length {long[bad[0]]:.3g}, expected {LENGTHS[0]:g} "
            f"to {LENGTHS[1]:g}; scale it"
        )
    return kept, long


def check_query(vector: Any, *, metric: Metric, dim: int | None) -> FloatVector:
    """A query vector, float32 of shape (dim,).

    Raises:
        QueryError: As for ``check_rows``.
    """
    query = np.asarray(vector)
    if query.ndim != 1:
        raise QueryError(f"a query vector has shape {query.shape}, expected one of shape (dim,)")
    rows, _ = measure_rows(
        query[np.newaxis], metric=metric, dim=dim, names=["the query"], refuse=QueryError
    )
    checked: FloatVector = rows[0]
    return checked
