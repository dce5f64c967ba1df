"""What a difference between means is worth: intervals, paired tests, corrected p-values.

Everything is seeded: the same values and the same seed give the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plait.errors import ConfigurationError

__all__ = ["bootstrap_interval", "holm", "randomization_test"]

Floats: TypeAlias = NDArray[np.float64]

# Values of a block that is held in memory at once.
_BLOCK = 2_000_000
# What rounding may take from a sum that equals the one observed, in parts of the sum of its terms.
_ROUNDING = 1e-12
# Values that differ by no more than this part of themselves are equal but for rounding.
_EQUAL = 1e-12


def bootstrap_interval(
    values: ArrayLike, *, level: float = 0.95, rounds: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Where the mean of values like these lies: the percentile bootstrap.

    The values are drawn again with replacement, as many as there are, ``rounds`` times; the
    interval holds the middle ``level`` of the means of these draws (Efron 1979, "Bootstrap
    methods: another look at the jackknife").

    Args:
        values: One per query, shape (n,), finite, n >= 1.
        level: Share of the means that the interval holds, above 0 and below 1.
        rounds: How many draws, >= 1.
        seed: Of the draws.

    Returns:
        (low, high); both are the value itself for one value or equal ones.

    Raises:
        ConfigurationError: No values, values that are not one finite row, a bad level or rounds.

    Example:
        >>> low, high = bootstrap_interval([0.0, 1.0, 0.5, 0.5])
        >>> 0.0 <= low < 0.5 < high <= 1.0
        True
        >>> bootstrap_interval([0.25, 0.25])
        (0.25, 0.25)
    """
    row = _row(values, "values")
    _check_rounds(rounds)
    if not (isinstance(level, float) and 0 < level < 1):
        raise ConfigurationError(f"level is {level!r}, expected a number above 0 and below 1")
    lowest, highest = float(row.min()), float(row.max())
    if lowest == highest:
        return lowest, highest
    random = np.random.default_rng(seed)
    count = len(row)
    means = np.concatenate(
        [
            row[random.integers(count, size=(n, count), dtype=np.int32)].mean(axis=1)
            for n in _blocks(rounds, count)
        ]
    )
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return max(float(low), lowest), min(float(high), highest)  # rounding must not leave the range


def randomization_test(a: ArrayLike, b: ArrayLike, *, rounds: int = 10_000, seed: int = 0) -> float:
    """How often chance alone makes a difference of means as large as this one, two-sided.

    Under the null hypothesis the two systems are exchangeable on every query, so the sign of each
    query's difference is a coin's (Fisher's randomization test; Smucker, Allan, Carterette 2007,
    "A comparison of statistical significance tests for information retrieval evaluation"). If all
    2^m sign patterns of the m differences that are not 0 are no more than ``rounds``, they are all
    looked at and the p-value is exact. Else ``rounds`` random ones are, and p is
    (1 + as large) / (1 + rounds), which is never 0 and never too small on average.

    Args:
        a: One value per query, shape (n,), finite, n >= 1.
        b: The other system's values of the same queries in the same order.
        rounds: How many sign patterns at most, >= 1.
        seed: Of the random ones.

    Returns:
        The p-value, above 0, at most 1; 1 when no query differs.

    Raises:
        ConfigurationError: Rows of different length, empty or not finite; bad rounds.

    Example:
        >>> randomization_test([0.5, 0.6, 0.9], [0.4, 0.4, 0.6])  # +++ and --- of 8 patterns
        0.25
    """
    first, second = _row(a, "a"), _row(b, "b")
    if len(first) != len(second):
        raise ConfigurationError(
            f"a has {len(first)} values and b has {len(second)}; a paired test needs one of each "
            "per query, in the same order"
        )
    _check_rounds(rounds)
    differences = first - second
    differences = differences[np.abs(differences) > _EQUAL * np.maximum(abs(first), abs(second))]
    count = len(differences)
    if count == 0:
        return 1.0
    rounding = _ROUNDING * float(np.abs(differences).sum())
    least = abs(float(differences.sum())) - rounding
    if 2**count <= rounds:
        patterns = np.arange(2**count)[:, None] >> np.arange(count) & 1
        return _as_large(patterns, differences, least) / (1 << count)
    random = np.random.default_rng(seed)
    extreme: int = sum(
        _as_large(random.integers(0, 2, size=(n, count), dtype=np.int8), differences, least)
        for n in _blocks(rounds, count)
    )
    return (1 + extreme) / (1 + rounds)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """p-values of a family of tests, corrected so that one error in all is as unlikely as in one.

    With the m values in ascending order, p(i) becomes the largest of (m − j + 1) · p(j) over
    j <= i, at most 1 (Holm 1979, "A simple sequentially rejective multiple test procedure").

    Args:
        p_values: From 0 to 1; may be empty.

    Returns:
        The corrected values, in the order given.

    Raises:
        ConfigurationError: A value that is not from 0 to 1.

    Example:
        >>> holm([0.04, 0.01, 0.03])
        (0.06, 0.03, 0.06)
    """
    row = np.asarray(p_values, dtype=np.float64)
    if row.ndim != 1 or not ((row >= 0) & (row <= 1)).all():
        raise ConfigurationError(f"p_values is {p_values!r:.80}, expected numbers from 0 to 1")
    order = np.argsort(row, kind="stable")
    stepped = np.maximum.accumulate(row[order] * np.arange(len(row), 0, -1))
    adjusted = np.empty_like(row)
    adjusted[order] = np.minimum(stepped, 1.0)
    return tuple(adjusted.tolist())


def _as_large(signs: NDArray[np.integer[Any]], differences: Floats, least: float) -> int:
    """How many sign patterns, rows of 0 and 1, give a sum at least this far from 0."""
    sums = (2.0 * signs - 1.0) @ differences
    return int(np.count_nonzero(np.abs(sums) >= least))


def _blocks(rounds: int, width: int) -> Iterator[int]:
    """Rounds in portions that fit into memory."""
    portion = max(1, _BLOCK // width)
    for start in range(0, rounds, portion):
        yield min(portion, rounds - start)


def _row(values: ArrayLike, what: str) -> Floats:
    try:
        row = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{what} is not a row of numbers: {error}") from error
    if row.ndim != 1 or not len(row) or not np.isfinite(row).all():
        raise ConfigurationError(
            f"{what} is {values!r:.80}, expected at least one finite number per query, shape (n,)"
        )
    return row


def _check_rounds(rounds: Any) -> None:
    if type(rounds) is not int or rounds < 1:
        raise ConfigurationError(f"rounds is {rounds!r}, expected an int >= 1")
