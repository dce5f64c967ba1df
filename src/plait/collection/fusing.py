"""How the legs of a collection are fused where its fusion is ``auto``: as tuning stored it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plait.collection.settings import PRIOR
from plait.collection.tuning import Tuning
from plait.fusion import Auto
from plait.hybrid.plan import Fusing

__all__ = ["tuned"]

_UNFIT = "the stored tuning is not used: it was made with another embedder's vectors; tune again"


def tuned(asked: Fusing, stored: Tuning | None, vectors: str | None, *, weighted: bool) -> Fusing:
    """Method, weights and window of a query.

    Only ``auto`` is tuned, and what the user says goes before what is stored: weights as they are
    given, and of an ``auto`` with parameters of its own only the weights. Without a stored tuning,
    or with one that was made with another embedder's vectors, the weights are ``PRIOR``.

    Args:
        asked: What the query and the retriever say.
        stored: What tuning decided.
        vectors: Whose vectors the collection has.
        weighted: Whether the weights were given.
    """
    if not isinstance(asked.fusion, Auto):
        return asked
    if stored is not None and not stored.fits(vectors):
        return replace(_weighed(asked, PRIOR, weighted), notes=(_UNFIT,))
    if stored is None:
        return _weighed(asked, PRIOR, weighted)
    method = stored.fusion if asked.fusion == Auto() else asked.fusion
    settled = replace(asked, fusion=method, window=stored.window)
    return _weighed(settled, stored.weights, weighted)


def _weighed(asked: Fusing, weights: Mapping[str, float], weighted: bool) -> Fusing:
    """With these weights unless they were given. A single leg has nothing to be weighed against."""
    if weighted or len(asked.weights) == 1:
        return asked
    return replace(asked, weights={leg: weights.get(leg, 0.0) for leg in asked.weights})
