"""What a model gave, checked: numbers, as many as texts, all of one length, with a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.embedding.identity import EmbedderIdentity
from plait.errors import EmbeddingError

__all__ = ["FloatMatrix", "as_numbers", "check_vectors"]

FloatMatrix: TypeAlias = NDArray[np.float32]


def as_numbers(raw: Any, model: str) -> NDArray[Any]:
    """What a model gave, as an array of whatever shape.

    Raises:
        EmbeddingError: Vectors of different lengths.
    """
    try:
        return np.asarray(raw)
    except ValueError as error:
        raise EmbeddingError(
            f"embedder {model!r} gave vectors of different lengths: {error}"
        ) from error


def check_vectors(raw: Any, sent: Sequence[str], identity: EmbedderIdentity) -> FloatMatrix:
    """What a model gave, as float32 of shape (len(sent), dim).

    Raises:
        EmbeddingError: Another shape, NaN or infinite values; names the first such text.
    """
    numbers = as_numbers(raw, identity.model)
    wanted = (len(sent), identity.dim)
    if numbers.dtype.kind not in "fiu" or numbers.shape != wanted:
        raise EmbeddingError(
            f"embedder {identity.model!r} gave {numbers.dtype} of shape {numbers.shape} for "
            f"{len(sent)} texts, expected real numbers of shape {wanted}"
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite: refused below
        vectors: FloatMatrix = np.asarray(numbers, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise EmbeddingError(
            f"embedder {identity.model!r} gave NaN or infinite values for the text "
            f"{sent[bad[0]]!r:.80}"
        )
    return vectors
