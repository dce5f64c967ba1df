"""Metrics: how close two vectors are, computed the same way wherever it is asked.

The score of a row is a float64 computation on that row and the query alone, rounded to float32
by whoever returns it. No BLAS takes part: BLAS gives identical rows different scores, depending
on how many rows stand around them. Sums are taken by halving (``plait.kernels.vectors``), an order
that is the same on every machine.

BLAS may only *propose*. ``Metric.bounds`` says what its float32 products prove: an interval for
each row that holds the row's rank value, wide enough that rows which tie after rounding overlap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError
from plait.kernels.vectors import distances, dots, lengths
from plait.table import Ordinals
from plait.types import FloatVector

__all__ = ["COSINE", "DOT", "EUCLIDEAN", "LENGTHS", "Metric", "parse_metric"]

Doubles: TypeAlias = NDArray[np.float64]

# Lengths whose products float32 can hold, far from overflow and from subnormal numbers. What lies
# outside has no use as an embedding, and inside the bounds below need no special cases.
LENGTHS = (1e-18, 1e18)

_UNIT = 2.0**-24  # relative error of one float32 operation
_TIE = 2.0**-22  # more than two float32 roundings: what may tie after rounding must overlap


def _blas_error(dim: int) -> float:
    """Bound on |float32 product - true product| for rows and queries of length 1.

    In whatever order it adds, a product of ``dim`` terms errs by at most gamma(dim) times the
    lengths, gamma(n) = n u / (1 - n u), u = 2^-24 (Higham, Accuracy and Stability of Numerical
    Algorithms, 2nd ed., section 3.1). The query's scaling to length 1 adds one rounding more; the
    rest of the 8 is room for the float64 steps around it.
    """
    steps = (dim + 8) * _UNIT
    return steps / (1.0 - steps)


@dataclass(frozen=True)
class Metric(ABC):
    """How close a row is to a query.

    Attributes:
        name: Its text form.
        higher_is_better: False for a distance.
        score_range: Theoretical (lowest, highest) score, None where unbounded.
        needs_direction: Whether a vector of zeros has no score.
    """

    name: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    score_range: ClassVar[tuple[float | None, float | None]] = (None, None)
    needs_direction: ClassVar[bool] = False

    @abstractmethod
    def scores(
        self,
        rows: FloatMatrix,
        query: FloatVector,
        ordinals: Ordinals | None = None,
        row_lengths: Doubles | None = None,
    ) -> Doubles:
        """Exact scores, float64, each from its own row alone.

        Args:
            rows: Float32 of shape (n, dim).
            query: Float32 of shape (dim,).
            ordinals: Which rows, int64 of shape (m,); None for all.
            row_lengths: Lengths of all rows, shape (n,), where they are known.
        """

    @abstractmethod
    def bounds(
        self, products: NDArray[np.float32], row_lengths: Doubles, query_length: float, dim: int
    ) -> tuple[Doubles, Doubles]:
        """Lowest and highest rank value (higher is better) that each row can have.

        Args:
            products: Float32 products of rows with the query scaled to length 1, shape (n,).
            row_lengths: Lengths of the rows, shape (n,).
            query_length: Length of the query before scaling.
            dim: Length of the vectors.
        """

    def __str__(self) -> str:
        return self.name


class _Cosine(Metric):
    """Cosine of the angle, -1 to 1; vectors of any length but zero."""

    name = "cosine"
    score_range = (-1.0, 1.0)
    needs_direction = True

    def scores(
        self,
        rows: FloatMatrix,
        query: FloatVector,
        ordinals: Ordinals | None = None,
        row_lengths: Doubles | None = None,
    ) -> Doubles:
        if row_lengths is not None:
            long = row_lengths if ordinals is None else row_lengths[ordinals]
        else:
            long = lengths(rows if ordinals is None else rows[ordinals])
        return dots(rows, query, ordinals) / (long * lengths(query[np.newaxis]))

    def bounds(
        self,
        products: NDArray[np.float32],
        row_lengths: Doubles,
        query_length: float,  # noqa: ARG002 (the angle does not depend on it)
        dim: int,
    ) -> tuple[Doubles, Doubles]:
        angles = products / row_lengths
        slack = _blas_error(dim) + _TIE
        return angles - slack, angles + slack


class _Dot(Metric):
    """Dot product, unbounded; a longer row counts for more."""

    name = "dot"

    def scores(
        self,
        rows: FloatMatrix,
        query: FloatVector,
        ordinals: Ordinals | None = None,
        row_lengths: Doubles | None = None,  # noqa: ARG002 (a longer row counts for more)
    ) -> Doubles:
        return dots(rows, query, ordinals)

    def bounds(
        self,
        products: NDArray[np.float32],
        row_lengths: Doubles,
        query_length: float,  # noqa: ARG002 (the order does not depend on it)
        dim: int,
    ) -> tuple[Doubles, Doubles]:
        slack = (_blas_error(dim) + _TIE) * row_lengths
        return products - slack, products + slack


class _Euclidean(Metric):
    """Euclidean distance, 0 or more; lower is better."""

    name = "euclidean"
    higher_is_better = False
    score_range = (0.0, None)

    def scores(
        self,
        rows: FloatMatrix,
        query: FloatVector,
        ordinals: Ordinals | None = None,
        row_lengths: Doubles | None = None,  # noqa: ARG002 (their differences are what counts)
    ) -> Doubles:
        return distances(rows, query, ordinals)

    def bounds(
        self,
        products: NDArray[np.float32],
        row_lengths: Doubles,
        query_length: float,
        dim: int,
    ) -> tuple[Doubles, Doubles]:
        # |x - q|^2 = |x|^2 - 2 x.q + |q|^2, of which |q|^2 is the same for all rows
        nearness = 2.0 * query_length * products.astype(np.float64) - row_lengths**2
        slack = 2.0 * query_length * _blas_error(dim) * row_lengths
        slack += _TIE * (row_lengths + query_length) ** 2
        return nearness - slack, nearness + slack


COSINE: Metric = _Cosine()
DOT: Metric = _Dot()
EUCLIDEAN: Metric = _Euclidean()

_METRICS = {metric.name: metric for metric in (COSINE, DOT, EUCLIDEAN)}


def parse_metric(name: str | Metric) -> Metric:
    """The metric of this name.

    Raises:
        ConfigurationError: An unknown name.

    Example:
        >>> parse_metric("euclidean").higher_is_better
        False
    """
    if isinstance(name, Metric):
        return name
    found = _METRICS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ConfigurationError(f"metric is {name!r}, expected one of {', '.join(_METRICS)}")
    return found
