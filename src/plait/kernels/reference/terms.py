"""An inverted index in NumPy: made by sorting, and searched by adding everything up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels.postings import BLOCK, GONE, Blocks, Formula, Postings

__all__ = ["FORMULAS", "add", "blocks", "invert", "kept", "merge", "renumber", "score", "search"]

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


def invert(
    sizes: NDArray[np.uint32], terms: NDArray[np.uint32], tfs: NDArray[np.uint32], count: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """See ``plait.kernels.terms.invert``."""
    docs = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    order = np.argsort(terms, kind="stable")
    counts = np.bincount(terms, minlength=count)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    return starts, docs[order], tfs[order].astype(np.uint32)


def blocks(
    starts: NDArray[np.uint64],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.unsignedinteger],
    lengths: NDArray[np.uint32],
) -> Blocks:
    """See ``plait.kernels.terms.blocks``."""
    ends = starts.astype(np.int64)
    counts = ends[1:] - ends[:-1]
    sizes = (counts + BLOCK - 1) // BLOCK
    firsts = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(firsts[-1]) - np.repeat(firsts[:-1], sizes)
    after = np.minimum(
        np.repeat(ends[:-1], sizes) + (within + 1) * BLOCK, np.repeat(ends[1:], sizes)
    )
    block = np.repeat(np.arange(len(after)), np.diff(after, prepend=0))
    length, tf = lengths[docs].astype(np.int64), tfs.astype(np.int64)
    order = np.lexsort((length, -tf, block))
    block, length, tf = block[order], length[order], tf[order]
    # Less and less from block to block, so that one running minimum serves all of them.
    falling = length - block * (int(lengths.max(initial=0)) + 1)
    shortest = np.minimum.accumulate(falling)
    kept = np.ones(len(order), dtype=np.bool_)
    kept[1:] = falling[1:] < shortest[:-1]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(block[kept], minlength=len(after)))])
    return Blocks(
        starts=firsts.astype(np.uint64),
        lasts=docs[after - 1],
        bounds=bounds.astype(np.uint64),
        pairs=np.stack([tf[kept], length[kept]], axis=1).astype(np.uint32),
    )


def kept(postings: Postings, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """See ``plait.kernels.terms.kept``."""
    alive = np.concatenate([[0], np.cumsum(numbers[postings.docs] != GONE)])
    return np.diff(alive[postings.starts.astype(np.int64)]).astype(np.uint32)


def merge(
    parts: Sequence[Postings],
    numbers: Sequence[NDArray[np.uint32]],
    olds: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """See ``plait.kernels.terms.merge``; the frequencies as wide as any."""
    none = np.zeros(0, dtype=np.uint32)
    terms, docs, tfs = [none], [none], [none]
    for part, given, places in zip(parts, numbers, olds, strict=True):
        term = np.zeros(len(part.starts) - 1, dtype=np.uint32)
        there = np.flatnonzero(places >= 0)
        term[places[there]] = there
        doc = given[part.docs]
        alive = doc != GONE
        starts = part.starts.astype(np.int64)
        terms.append(np.repeat(term, starts[1:] - starts[:-1])[alive])
        docs.append(doc[alive])
        tfs.append(part.tfs[alive].astype(np.uint32))
    order = np.lexsort((np.concatenate(docs), np.concatenate(terms)))
    return np.concatenate(docs)[order], np.concatenate(tfs)[order]


def renumber(
    ordinals: NDArray[np.int64],
    begins: NDArray[np.uint64],
    terms: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
    targets: NDArray[np.uint64],
    renumbered: NDArray[np.uint32],
) -> None:
    """See ``plait.kernels.terms.renumber``."""
    starts = begins.astype(np.int64)
    sizes = np.diff(starts)[ordinals]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    read = np.repeat(starts[ordinals], sizes) + within
    renumbered[np.repeat(targets.astype(np.int64), sizes) + within] = numbers[terms[read]]


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
