"""Inverting: from which terms a document has to which documents have a term.

Each 128 postings of a term, the last of it fewer, are a block. A block keeps the pairs (tf, length)
that no other pair of it beats with a higher tf or a shorter length. Whatever the parameters of
BM25, the number of documents and their mean length are, one of these gives the highest share of the
block (S. Ding and T. Suel, Faster Top-k Document Retrieval Using Block-Max Indexes, SIGIR 2011; the
pairs are Lucene's way to keep blocks valid when those numbers change).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.native import address as _at
from plait.kernels.postings import BLOCK, Blocks, Index, Postings, narrowest
from plait.kernels.reference import inverting as reference

__all__ = ["blocks", "invert", "kept", "merge", "renumber"]

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


def blocks(
    starts: NDArray[np.uint64],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.unsignedinteger],
    lengths: NDArray[np.uint32],
) -> Blocks:
    """The blocks of postings.

    Args:
        starts: Where each term's postings begin, and the end, shape (terms + 1,).
        docs: Shape (postings,).
        tfs: Likewise, contiguous.
        lengths: Length of each document, shape (documents,).
    """
    if (lib := native.library()) is None:
        return reference.blocks(starts, docs, tfs, lengths)
    sizes = (np.diff(starts.astype(np.int64)) + BLOCK - 1) // BLOCK
    firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    lasts = np.empty(int(firsts[-1]), dtype=np.uint32)
    bounds = np.zeros(len(lasts) + 1, dtype=np.uint64)
    pairs = np.empty((len(docs), 2), dtype=np.uint32)
    starts, docs, lengths = starts.astype(np.uint64), _u4(docs), _u4(lengths)
    _declared(lib).plait_terms_blocks(
        len(sizes), _at(starts), _at(docs), _at(tfs), tfs.itemsize, _at(lengths),
        _at(lasts), _at(bounds), _at(pairs),
    )  # fmt: skip
    return Blocks(firsts, lasts, bounds, pairs[: int(bounds[-1])].copy())


def kept(postings: Postings, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """How many documents of each term are not left out, shape (terms,).

    Args:
        postings: The index.
        numbers: ``GONE`` for documents that are, shape (documents,).
    """
    if (lib := native.library()) is None:
        return reference.kept(postings, numbers)
    count = len(postings.starts) - 1
    found = np.empty(count, dtype=np.uint32)
    _declared(lib).plait_terms_kept(postings.native, count, _at(numbers), _at(found))
    return found


def merge(
    parts: Sequence[Postings],
    numbers: Sequence[NDArray[np.uint32]],
    olds: Sequence[NDArray[np.int64]],
    size: int,
) -> tuple[NDArray[np.uint32], NDArray[np.unsignedinteger]]:
    """The postings of several indexes, or of some of their terms, as one.

    Args:
        parts: The indexes.
        numbers: The new number of each document of each, ascending with the old one, ``GONE`` for
            those that are left out.
        olds: The number in each of each new term, -1 where it is not; contiguous.
        size: How many postings there will be.

    Returns:
        ``docs`` and ``tfs``, shape (size,), the latter no wider than they need.
    """
    if (lib := native.library()) is None:
        docs, tfs = reference.merge(parts, numbers, olds)
    else:
        docs = np.empty(size, dtype=np.uint32)
        tfs = np.empty(size, max((part.tfs.dtype for part in parts), default=narrowest(0)))
        at, ends = np.empty(len(parts), np.uint64), np.empty(len(parts), np.uint64)
        nexts, queue = np.empty(len(parts), np.uint32), np.empty(len(parts), np.int64)
        indexes = np.array([ctypes.addressof(part.native) for part in parts], dtype=np.uintp)
        at_numbers = np.array([_at(each) for each in numbers], dtype=np.uintp)
        at_olds = np.array([_at(each) for each in olds], dtype=np.uintp)
        _declared(lib).plait_terms_merge(
            len(parts), _at(indexes), _at(at_numbers), _at(at_olds),
            len(olds[0]) if olds else 0, _at(at), _at(ends), _at(nexts), _at(queue),
            _at(docs), _at(tfs), tfs.itemsize,
        )  # fmt: skip
    return docs, tfs.astype(narrowest(int(tfs.max(initial=0))), copy=False)


def renumber(
    ordinals: Ordinals,
    begins: NDArray[np.uint64],
    terms: NDArray[np.uint32],
    numbers: NDArray[np.uint32],
    targets: NDArray[np.uint64],
    renumbered: NDArray[np.uint32],
) -> None:
    """Write the terms of some documents under new numbers.

    Args:
        ordinals: The documents, shape (n,).
        begins: Where the terms of each document begin, and the end, shape (documents + 1,).
        terms: Their numbers, document after document.
        numbers: The new number of each term.
        targets: Where to write those of each of these documents, shape (n,).
        renumbered: What is written to.
    """
    if (lib := native.library()) is None:
        reference.renumber(ordinals, begins, terms, numbers, targets, renumbered)
        return
    _declared(lib).plait_terms_renumber(
        len(ordinals), _at(ordinals), _at(begins), _at(terms), _at(numbers),
        _at(targets), _at(renumbered),
    )  # fmt: skip


def _u4(array: NDArray[np.unsignedinteger]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(array, dtype=np.uint32)


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    """The library with the types of its arguments told."""
    at, number, whole = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    for name, arguments in (
        ("invert", [number, at, at, at, number, at, at, at]),
        ("blocks", [number, at, at, at, whole, at, at, at, at]),
        ("kept", [ctypes.POINTER(Index), number, at, at]),
        ("merge", [number, at, at, at, number, at, at, at, at, at, at, whole]),
        ("renumber", [number, at, at, at, at, at, at]),
    ):
        run = getattr(lib, f"plait_terms_{name}")
        run.argtypes, run.restype = arguments, None
    return lib
