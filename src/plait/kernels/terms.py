"""Terms: an inverted index of documents that ascend, and the best of them for a query.

**Postings.** Term t is in the documents ``docs[starts[t]:starts[t + 1]]``, ascending, as often as
``tfs`` says at the same places.

**Impacts.** Each 128 postings of a term, the last of it fewer, are a block. A block keeps the pairs
(tf, length) that no other pair of it beats with a higher tf or a shorter length; whatever the
parameters of BM25, the number of documents and their mean length are, one of these gives the
highest share of the block (S. Ding and T. Suel, Faster Top-k Document Retrieval Using Block-Max
Indexes, SIGIR 2011; the pairs are Lucene's way to keep blocks valid when those numbers change).

**Search.** Windows of documents are gone through in order. With the score of the k-th best so far,
terms whose bounds in a window add up to no more are looked up only for documents that others bring
near it (MaxScore: H. Turtle and J. Flood, Query Evaluation: Strategies and Optimizations, 1995).
What may be among the best is scored exactly: its shares added in float64 in the order of the terms.
"""

from __future__ import annotations

import ctypes
import functools
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.reference import terms as reference
from plait.kernels.reference.terms import BLOCK, FORMULAS, Formula, Postings

__all__ = ["BLOCK", "FORMULAS", "Formula", "Postings", "impacts", "invert", "score", "search"]

Bits: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float32]
Ordinals: TypeAlias = NDArray[np.int64]


def invert(
    sizes: NDArray[np.uint32], terms: NDArray[np.uint32], tfs: NDArray[np.uint32], count: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]:
    """From the terms of each document to the documents of each term.

    Args:
        sizes: How many distinct terms each document has, shape (documents,).
        terms: Their numbers, document after document, shape (postings,), below ``count``.
        tfs: How often each is there, likewise.
        count: How many terms there are.

    Returns:
        ``starts`` of shape (count + 1,), ``docs`` and ``tfs`` of shape (postings,).
    """
    if (lib := native.library()) is None:
        return reference.invert(sizes, terms, tfs, count)
    starts = np.zeros(count + 1, dtype=np.uint64)
    docs, sorted_tfs = np.empty(len(terms), np.uint32), np.empty(len(terms), np.uint32)
    sizes, terms, tfs = _u4(sizes), _u4(terms), _u4(tfs)
    _declared(lib).plait_terms_invert(
        len(sizes), _at(sizes), _at(terms), _at(tfs), count, _at(starts), _at(docs), _at(sorted_tfs)
    )
    return starts, docs, sorted_tfs


def impacts(
    starts: NDArray[np.uint64],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    """The pairs of each block.

    Returns:
        Where the pairs of each block begin, and the end of the last, shape (blocks + 1,), the
        blocks of the terms one after the other; and the pairs, by falling tf, shape (pairs, 2).
    """
    if (lib := native.library()) is None:
        return reference.impacts(starts, docs, tfs, lengths)
    counts = np.diff(starts.astype(np.int64))
    blocks = int(((counts + BLOCK - 1) // BLOCK).sum())
    bounds = np.zeros(blocks + 1, dtype=np.uint64)
    pairs = np.empty((len(docs), 2), dtype=np.uint32)
    starts, docs, tfs, lengths = starts.astype(np.uint64), _u4(docs), _u4(tfs), _u4(lengths)
    _declared(lib).plait_terms_impacts(
        len(counts), _at(starts), _at(docs), _at(tfs), _at(lengths), _at(bounds), _at(pairs)
    )
    return bounds, pairs[: int(bounds[-1])].copy()


class Found(NamedTuple):
    """The best documents.

    Attributes:
        docs: Best first, of equal scores the lower one first, shape (n,).
        scores: Their scores, likewise.
        total: How many there would be without a cut; None if that was not worked out.
    """

    docs: Ordinals
    scores: Floats
    total: int | None


def search(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    top_k: int,
    allowed: Bits | None,
) -> Found:
    """The best documents that have one of the terms.

    Args:
        postings: The index.
        terms: Distinct numbers of terms, in the order in which their shares are added.
        weights: What the share of each is taken times.
        formula: How tf and length become a share.
        mean: What lengths are relative to, > 0.
        top_k: How many, >= 1.
        allowed: Only these documents; None for all.
    """
    lib = native.library()
    if lib is None or not len(terms) or len(terms) > _MOST or not (weights > 0.0).all():
        return Found(*reference.search(postings, terms, weights, formula, mean, top_k, allowed))
    keep = min(top_k, len(postings.lengths))
    docs, scores = np.empty(keep, np.uint32), np.empty(keep, np.float32)
    asked = np.ascontiguousarray(terms, dtype=np.int64)
    run = _declared(lib).plait_terms_search
    found = run(
        _at(postings.lengths), len(postings.lengths), postings.longest,
        formula.kind, formula.k1, formula.b, formula.delta, mean,
        len(asked), _at(asked), _at(weights),
        _at(postings.starts), _at(postings.docs), _at(postings.tfs), postings.tfs.itemsize,
        _at(postings.blocks), _at(postings.bounds), _at(postings.pairs),
        None if allowed is None else _at(allowed), keep, _at(docs), _at(scores),
    )  # fmt: skip
    if found < 0:
        raise MemoryError("no memory for a search")
    return Found(docs[:found].astype(np.int64), scores[:found], None)


def score(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    docs: Ordinals,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The scores of some documents, and whether they have one of the terms; shape (n,) each."""
    return reference.score(postings, terms, weights, formula, mean, docs)


_MOST = 1024  # terms of a query that bounds are kept of


def _u4(array: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(array, dtype=np.uint32)


def _at(array: NDArray[np.generic]) -> int:
    """Where an array's data is."""
    address: int = array.__array_interface__["data"][0]
    return address


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    at, number, real, whole = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_int
    lib.plait_terms_invert.argtypes = [number, at, at, at, number, at, at, at]
    lib.plait_terms_invert.restype = None
    lib.plait_terms_impacts.argtypes = [number, at, at, at, at, at, at]
    lib.plait_terms_impacts.restype = None
    lib.plait_terms_search.argtypes = [
        at, number, number, whole, real, real, real, real, number, at, at, at, at, at, whole,
        at, at, at, at, number, at, at,
    ]  # fmt: skip
    lib.plait_terms_search.restype = number
    return lib
