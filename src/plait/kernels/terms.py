"""Terms: the best documents for a query, by an inverted index that ``inverting`` made.

Windows of documents are gone through in order, and each term's shares are added up in an array. A
window is passed over if the bounds of its blocks come to no more than the score of the k-th best so
far, and so is a block in it. Terms whose bounds together come to no more are looked up
only for documents that the others bring near (MaxScore: H. Turtle and J. Flood, Query Evaluation:
Strategies and Optimizations, 1995), if they have so many more postings that this is faster. What
may be among the best is scored exactly: its shares added in float64 in the order of the terms.
Bounds are raised by 1e-6, more than float32 and the order of a sum can take from a score.
"""

from __future__ import annotations

import ctypes
import functools
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.native import address as _at
from plait.kernels.postings import Formula, Index, Postings
from plait.kernels.reference import terms as reference
from plait.kernels.reference.terms import FORMULAS

__all__ = ["FORMULAS", "Found", "add", "score", "search"]

Bits: TypeAlias = NDArray[np.uint64]
Floats: TypeAlias = NDArray[np.float32]
Ordinals: TypeAlias = NDArray[np.int64]


class Found(NamedTuple):
    """The best documents.

    Attributes:
        docs: Best first, of equal scores the lower one first, shape (n,).
        scores: Their scores, likewise.
    """

    docs: Ordinals
    scores: Floats


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
        weights: What the share of each is taken times, of any sign.
        formula: How tf and length become a share.
        mean: What lengths are relative to, > 0.
        top_k: How many, >= 1.
        allowed: Only these documents; None for all.
    """
    if (lib := native.library()) is None:
        return Found(*reference.search(postings, terms, weights, formula, mean, top_k, allowed))
    keep = min(top_k, len(postings.lengths))
    docs, scores = np.empty(keep, np.uint32), np.empty(keep, np.float32)
    found = _declared(lib).plait_terms_search(
        postings.native, *formula, mean, len(terms), _at(terms), _at(weights),
        None if allowed is None else _at(allowed), keep, _at(docs), _at(scores),
    )  # fmt: skip
    if found < 0:
        raise MemoryError(f"no memory for a search of the best {keep}")
    return Found(docs[:found].astype(np.int64), scores[:found])


def score(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    docs: Ordinals,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The scores of some documents, and whether they have one of the terms; shape (n,) each."""
    if (lib := native.library()) is None:
        return reference.score(postings, terms, weights, formula, mean, docs)
    docs = np.ascontiguousarray(docs)
    sums, matched = np.zeros(len(docs)), np.zeros(len(docs), dtype=np.bool_)
    _declared(lib).plait_terms_score(
        postings.native, *formula, mean, len(terms), _at(terms), _at(weights),
        len(docs), _at(docs), _at(sums), _at(matched),
    )  # fmt: skip
    return sums.astype(np.float32), matched


def add(
    postings: Postings,
    terms: NDArray[np.int64],
    weights: NDArray[np.float64],
    formula: Formula,
    mean: float,
    sums: NDArray[np.float64],
    matched: NDArray[np.bool_],
) -> None:
    """Add the shares of some terms to the sums of all documents.

    Args:
        postings: The index; its blocks are not read.
        terms: As ``search`` has them, as the next three.
        weights: Likewise.
        formula: Likewise.
        mean: Likewise.
        sums: What is added to, contiguous, shape (documents,).
        matched: Set where a document has one of the terms, likewise.
    """
    if (lib := native.library()) is None:
        reference.add(postings, terms, weights, formula, mean, sums, matched)
        return
    _declared(lib).plait_terms_add(
        postings.native, *formula, mean, len(terms), _at(terms), _at(weights),
        _at(sums), _at(matched),
    )  # fmt: skip


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of its arguments told."""
    at, number, real, whole = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_int
    asked = [ctypes.POINTER(Index), whole, real, real, real, real, number, at, at]
    for name, arguments, result in (
        ("search", [*asked, at, number, at, at], number),
        ("add", [*asked, at, at], None),
        ("score", [*asked, number, at, at, at], None),
    ):
        run = getattr(lib, f"plait_terms_{name}")
        run.argtypes, run.restype = arguments, result
    return lib
