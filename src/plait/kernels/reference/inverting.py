"""An inverted index made in NumPy, by sorting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plait.kernels.postings import BLOCK, GONE, Blocks, Postings

__all__ = ["blocks", "invert", "kept", "merge", "renumber"]


def invert(
    sizes: NDArray[np.uint32], terms: NDArray[np.uint32], tfs: NDArray[np.uint32], count: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """See ``plait.kernels.inverting.invert``."""
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
    """See ``plait.kernels.inverting.blocks``."""
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
    """See ``plait.kernels.inverting.kept``."""
    alive = np.concatenate([[0], np.cumsum(numbers[postings.docs] != GONE)])
    return np.diff(alive[postings.starts.astype(np.int64)]).astype(np.uint32)


def merge(
    parts: Sequence[Postings],
    numbers: Sequence[NDArray[np.uint32]],
    olds: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """See ``plait.kernels.inverting.merge``; the frequencies as wide as any."""
    none = np.zeros(0, dtype=np.uint32)
    terms, docs, tfs = [none], [none], [none]
    for part, given, places in zip(parts, numbers, olds, strict=True):
        there = np.flatnonzero(places >= 0)
        starts = part.starts.astype(np.int64)
        firsts = starts[places[there]]
        sizes = starts[places[there] + 1] - firsts
        where = np.arange(int(sizes.sum())) + np.repeat(firsts - (np.cumsum(sizes) - sizes), sizes)
        doc = given[part.docs[where]]
        alive = doc != GONE
        terms.append(np.repeat(there.astype(np.uint32), sizes)[alive])
        docs.append(doc[alive])
        tfs.append(part.tfs[where[alive]].astype(np.uint32))
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
    """See ``plait.kernels.inverting.renumber``."""
    starts = begins.astype(np.int64)
    sizes = np.diff(starts)[ordinals]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    read = np.repeat(starts[ordinals], sizes) + within
    renumbered[np.repeat(targets.astype(np.int64), sizes) + within] = numbers[terms[read]]
