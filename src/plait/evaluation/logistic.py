"""Logistic regression, also with coefficients that are not negative."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_logistic"]

Floats: TypeAlias = NDArray[np.float64]

_ROUNDS = 100
_SWEEPS = 1000
_SMALL = 1e-12
_SUFFICIENT = 1e-4


def fit_logistic(
    features: Floats,
    labels: Floats,
    counts: Floats,
    penalty: float,
    *,
    nonnegative: bool = False,
) -> Floats:
    """The coefficients w and the constant b that make the labels most likely.

    Minimizes Σ cᵢ·(log(1 + exp(zᵢ)) − yᵢ·zᵢ) + ½·penalty·|w|² with z = features·w + b; the
    constant is free in sign and not penalized. Newton's method: each step solves its quadratic
    model within the bounds, by coordinate descent, and is halved until it descends (Lee, Sun,
    Saunders: Proximal Newton-type Methods for Minimizing Composite Functions, SIAM J. Optim. 24,
    2014). The problem is convex, so what it ends at is the minimum.

    Args:
        features: Shape (rows, features), finite.
        labels: Shape (rows,), 0 or 1, both of them present.
        counts: Shape (rows,), how much each row counts, above 0.
        penalty: Of the ridge, above 0.
        nonnegative: Whether every w is kept >= 0.

    Returns:
        w, shape (features,), then b: shape (features + 1,).

    Example:
        >>> x, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0.0, 1.0, 0.0, 1.0])
        >>> w, b = fit_logistic(x, y, np.ones(4), penalty=1.0)
        >>> bool(w > 0 and b < 0)
        True
        >>> fit_logistic(-x, y, np.ones(4), penalty=1.0, nonnegative=True).tolist()
        [0.0, 0.0]
    """
    rows, size = features.shape
    matrix = np.hstack([features, np.ones((rows, 1))])
    ridge = np.append(np.full(size, penalty), 0.0)
    lowest = np.append(np.full(size, 0.0 if nonnegative else -np.inf), -np.inf)
    point = np.zeros(size + 1)
    for _ in range(_ROUNDS):
        value, gradient, curvature = _expand(matrix, labels, counts, ridge, point)
        step = _bounded_step(gradient, curvature, lowest - point)
        slope = float(gradient @ step)
        if -slope <= _SMALL * (1 + abs(value)):
            return np.asarray(point + step)  # the last one: the error is that of this one, squared
        length = 1.0
        while (
            _loss(matrix, labels, counts, ridge, point + length * step)
            > value + _SUFFICIENT * length * slope
        ):
            length /= 2
        point = point + length * step
    return point


def _loss(matrix: Floats, labels: Floats, counts: Floats, ridge: Floats, point: Floats) -> float:
    z = matrix @ point
    return float(counts @ (np.logaddexp(0.0, z) - labels * z) + ridge @ point**2 / 2)


def _expand(
    matrix: Floats, labels: Floats, counts: Floats, ridge: Floats, point: Floats
) -> tuple[float, Floats, Floats]:
    """Value, gradient and second derivatives at a point."""
    chances = np.exp(-np.logaddexp(0.0, -(matrix @ point)))
    gradient = matrix.T @ (counts * (chances - labels)) + ridge * point
    spread = counts * chances * (1 - chances)
    curvature = (matrix * spread[:, None]).T @ matrix + np.diag(ridge + _SMALL)
    return _loss(matrix, labels, counts, ridge, point), gradient, curvature


def _bounded_step(gradient: Floats, curvature: Floats, lowest: Floats) -> Floats:
    """The step to the minimum of the quadratic model, no coordinate of it below ``lowest``."""
    step = np.zeros_like(lowest)
    for _ in range(_SWEEPS):
        largest = 0.0
        for place in range(len(step)):
            slope = gradient[place] + curvature[place] @ step
            to = max(lowest[place], step[place] - slope / curvature[place, place])
            largest = max(largest, abs(to - step[place]))
            step[place] = to
        if largest <= _SMALL * (1 + abs(step).max()):
            break
    return step
