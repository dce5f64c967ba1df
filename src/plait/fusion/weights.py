"""Weights of legs: by position or by name, checked, used as given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from plait.errors import ConfigurationError

__all__ = ["Weights", "check_weight", "resolve_weights"]

Weights: TypeAlias = Sequence[float] | Mapping[str, float]

# Outside these a weighted contribution could leave the range of a double.
_SMALLEST, _LARGEST = 1e-100, 1e100


def resolve_weights(weights: Weights | None, legs: Sequence[str]) -> tuple[float, ...]:
    """One checked weight per leg.

    Args:
        weights: By position, one per leg; or by leg name, 1.0 for legs that are not named; or
            None, 1.0 for all. 0 puts a leg out of use.
        legs: Names of the legs, all different.

    Returns:
        The weights as given, float, in the order of the legs.

    Raises:
        ConfigurationError: Wrong count, unknown leg, all zero, or a weight that is negative, NaN,
            infinite, not a number, or neither 0 nor between 1e-100 and 1e100.

    Example:
        >>> resolve_weights({"bm25": 2}, ["dense", "bm25"])
        (1.0, 2.0)
    """
    if weights is None:
        return (1.0,) * len(legs)
    entries: Any = weights
    if isinstance(entries, Mapping):
        unknown = [name for name in entries if name not in legs]
        if unknown:
            raise ConfigurationError(
                f"weights name unknown legs {unknown!r}; the legs are {list(legs)!r}"
            )
        entries = [entries.get(name, 1.0) for name in legs]
    if isinstance(entries, str) or not isinstance(entries, Sequence) or len(entries) != len(legs):
        raise ConfigurationError(
            f"weights is {entries!r} for the legs {list(legs)!r}; "
            "give a list with one number per leg, or a mapping from leg name to number"
        )
    checked = tuple(check_weight(name, weight) for name, weight in zip(legs, entries, strict=True))
    if not any(checked):
        raise ConfigurationError(
            f"all weights are 0 for the legs {list(legs)!r}; give one of them a weight above 0"
        )
    return checked


def check_weight(leg: str | None, weight: Any) -> float:
    """One weight as a float, or the error that names the leg."""
    if not isinstance(weight, bool):
        try:
            value = float(weight)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if not isinstance(weight, str) and (value == 0 or _SMALLEST <= value <= _LARGEST):
            return value + 0.0  # -0.0 becomes 0.0
    raise ConfigurationError(
        f"weight of leg {leg!r} is {weight!r}, expected a finite number, 0 or more "
        f"(between {_SMALLEST:g} and {_LARGEST:g} unless 0)"
    )
