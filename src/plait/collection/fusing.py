"""How the legs of a collection are fused where its fusion is ``auto``: as tuning stored it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from plait.collection.settings import PRIOR
from plait.collection.tuning import Tuning
from plait.errors import ConfigurationError
from plait.fusion import Auto, parse_fusion
from plait.hybrid.plan import Fusing

__all__ = ["check_storable", "tuned"]

_UNFIT = "the stored tuning is not used: it was made with another embedder's vectors; tune again"


def tuned(
    asked: Fusing,
    stored: Tuning | None,
    vectors: str | None,
    *,
    weighted: bool = False,
    windowed: bool = False,
) -> Fusing:
    """Method, weights and window of a query.

    Only ``auto`` is tuned, and what the user says goes before what is stored: weights and window
    that were given, and the method where it is an ``auto`` with parameters of its own. Without a
    stored tuning, or with one that was made with another embedder's vectors, the weights are
    ``PRIOR``.

    Args:
        asked: What the query and the retriever say.
        stored: What tuning decided.
        vectors: Whose vectors the collection has.
        weighted: Whether the weights were given.
        windowed: Whether the window was.
    """
    if not isinstance(asked.fusion, Auto):
        return asked
    if stored is not None and not stored.fits(vectors):
        return replace(_weighed(asked, PRIOR, weighted), notes=(_UNFIT,))
    if stored is None:
        return _weighed(asked, PRIOR, weighted)
    method = stored.fusion if asked.fusion == Auto() else asked.fusion
    settled = replace(asked, fusion=method, window=asked.window if windowed else stored.window)
    return _weighed(settled, stored.weights, weighted)


def _weighed(asked: Fusing, weights: Mapping[str, float], weighted: bool) -> Fusing:
    """With these weights unless they were given. A single leg has nothing to be weighed against."""
    if weighted or len(asked.weights) == 1:
        return asked
    return replace(asked, weights={leg: weights.get(leg, 0.0) for leg in asked.weights})


def check_storable(tuning: Any, legs: Sequence[str]) -> None:
    """Refuse what a collection with these legs cannot keep.

    Raises:
        ConfigurationError: Not a ``Tuning``; weights for other legs; a fusion whose text form does
            not lead back to it.
    """
    if not isinstance(tuning, Tuning):
        raise ConfigurationError(f"tuning is {tuning!r:.80}, expected a Tuning or None")
    unknown = sorted(tuning.weights.keys() - set(legs))
    if unknown:
        raise ConfigurationError(
            f"the tuning has a weight for {unknown[0]!r}; a collection has {' and '.join(legs)}"
        )
    try:
        again = parse_fusion(str(tuning.fusion))
    except ConfigurationError as error:
        raise ConfigurationError(f"the fusion cannot be stored: {error}") from error
    if again != tuning.fusion:
        raise ConfigurationError(
            f"the fusion {tuning.fusion} cannot be stored: its text form gives another one"
        )
