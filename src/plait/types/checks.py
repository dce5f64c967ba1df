"""Checks that several values share: text that is text, vectors that are vectors."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError

FloatVector: TypeAlias = NDArray[np.float32]


def as_vector(values: Any, what: str) -> FloatVector:
    """One finite vector as read-only float32 of shape (dim,), or an error that names ``what``."""
    try:
        numbers = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"{what} is not a vector of numbers: {error}") from error
    # NumPy would read ["1", "2"] and [True, False] as numbers without a word.
    if numbers.dtype.kind not in "fiu":
        raise ConfigurationError(f"{what} is a vector of {numbers.dtype}, expected real numbers")
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite: refused below
        vector = np.array(numbers, dtype=np.float32)  # a copy: a value holds no alias
    if vector.ndim != 1 or vector.size == 0:
        raise ConfigurationError(
            f"{what} has shape {vector.shape}, expected one vector of shape (dim,)"
        )
    if not np.isfinite(vector).all():
        raise ConfigurationError(
            f"{what} holds NaN or infinite values; every value must be finite float32"
        )
    vector.setflags(write=False)
    return vector


def check_text(text: Any, what: str) -> None:
    """Refuse what is not text that UTF-8 can hold."""
    if not isinstance(text, str):
        raise ConfigurationError(f"{what} is {type(text).__name__}, expected str")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ConfigurationError(
                f"{what} holds a lone surrogate at position {error.start}, which is not text; "
                "decode the source with errors='replace' first"
            ) from error
