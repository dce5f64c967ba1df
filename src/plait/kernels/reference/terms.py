"""An inverted index searched in NumPy, by adding everything up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels.postings import Formula, Postings

__all__ = ["FORMULAS", "add", "score", "search"]

Doubles: TypeAlias = NDArray[np.float64]


def _saturated(tf: Doubles, norm: Doubles, k1: float, delta: float) -> Doubles:  # noqa: ARG001
    return tf / (tf + k1 * norm)


def _scaled(tf: Doubles, norm: Doubles, k1: float, delta: float) -> Doubles:  # noqa: ARG001
    return (k1 + 1.0) * tf / (tf + k1 * norm)


def _lifted(tf: Doubles, norm: Doubles, k1: float, delta: float) -> Doubles:
    return _scaled(tf, norm, k1, delta) + delta


def _shifted(tf: Doubles, norm: Doubles, k1: float, delta: float) -> Doubles:
    shifted = tf / norm + delta
    return (k1 + 1.0) * shifted / (k1 + shifted)


FORMULAS: tuple[Callable[[Doubles, Doubles, float, float], Doubles], ...] = (
    _saturated,
    _scaled,
    _lifted,
    _shifted,
)
"""From tf and norm, and k1 and delta, to the share, in this order of operations."""


def search(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    top_k: int,
    allowed: NDArray[np.uint64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """See ``plait.kernels.terms.search``."""
    size = len(postings.lengths)
    scores = np.zeros(size, dtype=np.float64)
    matched = np.zeros(size, dtype=np.bool_)
    add(postings, terms, weights, formula, mean, scores, matched)
    if allowed is not None:
        octets = allowed.astype("<u8", copy=False).view(np.uint8)
        matched &= np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)
    found = np.flatnonzero(matched)
    rounded = scores[found].astype(np.float32)
    inside = np.arange(len(found))
    if top_k < len(found):
        inside = np.flatnonzero(rounded >= -np.partition(-rounded, top_k - 1)[top_k - 1])
    best = inside[np.argsort(-rounded[inside], kind="stable")[:top_k]]
    return found[best], rounded[best]


def score(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    docs: NDArray[np.int64],
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """See ``plait.kernels.terms.score``."""
    scores = np.zeros(len(docs), dtype=np.float64)
    matched = np.zeros(len(docs), dtype=np.bool_)
    norm = _norm(postings.lengths[docs], formula, mean)
    for term, weight in zip(terms.tolist(), weights.tolist(), strict=True):
        start, stop = int(postings.starts[term]), int(postings.starts[term + 1])
        places = np.searchsorted(postings.docs[start:stop], docs)
        inside = np.flatnonzero(places < stop - start)
        inside = inside[postings.docs[start + places[inside]] == docs[inside]]
        tf = postings.tfs[start + places[inside]].astype(np.float64)
        share = FORMULAS[formula.kind](tf, norm[inside], formula.k1, formula.delta)
        scores[inside] += weight * share
        matched[inside] = True
    return scores.astype(np.float32), matched


def add(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    sums: Doubles,
    matched: NDArray[np.bool_],
) -> None:
    """See ``plait.kernels.terms.add``."""
    for term, weight in zip(terms.tolist(), weights.tolist(), strict=True):
        where = slice(int(postings.starts[term]), int(postings.starts[term + 1]))
        docs, tf = postings.docs[where], postings.tfs[where].astype(np.float64)
        norm = _norm(postings.lengths[docs], formula, mean)
        sums[docs] += weight * FORMULAS[formula.kind](tf, norm, formula.k1, formula.delta)
        matched[docs] = True


def _norm(lengths: NDArray[np.uint32], formula: Formula, mean: float) -> Doubles:
    return (1.0 - formula.b) + formula.b * (lengths / mean)
