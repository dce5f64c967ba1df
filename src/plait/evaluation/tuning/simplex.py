"""The simplex grid: every way to share out weight in equal steps."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError

__all__ = ["count_points", "simplex"]

Points: TypeAlias = NDArray[np.int64]


def count_points(parts: int, steps: int) -> int:
    """How many points the grid has: C(steps + parts − 1, parts − 1).

    Example:
        >>> count_points(3, 10)
        66
    """
    for value, what in ((parts, "parts"), (steps, "steps")):
        if type(value) is not int or value < 1:
            raise ConfigurationError(f"{what} is {value!r}, expected an int >= 1")
    return comb(steps + parts - 1, parts - 1)


def simplex(parts: int, steps: int) -> Points:
    """Every split of the integer ``steps`` over ``parts``, 0 and ``steps`` included.

    Integers, because a walk over sums of 0.1 loses points to rounding. Between a row of
    ``steps`` stars, ``parts − 1`` bars are placed in every way (stars and bars).

    Args:
        parts: How many numbers a split has, such as legs; >= 1.
        steps: What they add up to, >= 1. A weight is a part divided by this.

    Returns:
        Shape (C(steps + parts − 1, parts − 1), parts), int64, each row once, in the order of
        its numbers.

    Raises:
        ConfigurationError: ``parts`` or ``steps`` is not an int >= 1.

    Example:
        >>> simplex(2, 2).tolist()
        [[0, 2], [1, 1], [2, 0]]
    """
    rows = count_points(parts, steps)
    end = steps + parts - 1
    splits = (
        [right - left - 1 for left, right in pairwise((-1, *bars, end))]
        for bars in combinations(range(end), parts - 1)
    )
    return np.array(list(splits), dtype=np.int64).reshape(rows, parts)
