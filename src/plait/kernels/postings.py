"""Postings: the arrays that an inverted index is made of, and where compiled loops find them.

Term t is in the documents ``docs[starts[t]:starts[t + 1]]``, ascending, as often as ``tfs`` says at
the same places; ``dls`` has the documents' lengths there, so that a search reads them in a row and
does not jump about.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.kernels.native import address

__all__ = ["BLOCK", "GONE", "Blocks", "Formula", "Index", "Postings", "narrowest", "spread"]

BLOCK = 128
"""Postings of a block."""

GONE = 2**32 - 1
"""The new number of a document that is left out."""


def narrowest(highest: int) -> np.dtype[np.unsignedinteger]:
    """The type that takes the least bytes of those that hold frequencies up to this."""
    return np.dtype(np.uint8 if highest < 1 << 8 else np.uint16 if highest < 1 << 16 else np.uint32)


def spread(
    lengths: NDArray[np.unsignedinteger], docs: NDArray[np.uint32]
) -> NDArray[np.unsignedinteger]:
    """The length of each posting's document, no wider than the longest needs; shape of docs.

    Example:
        >>> spread(np.uint32([7, 200]), np.uint32([1, 0, 1]))
        array([200,   7, 200], dtype=uint8)
    """
    narrow = lengths.astype(narrowest(int(lengths.max(initial=0))))
    spread: NDArray[np.unsignedinteger] = narrow[docs]
    return spread


class Formula(NamedTuple):
    """How tf and length become the share of a term.

    Attributes:
        kind: Which of ``plait.kernels.terms.FORMULAS``.
        k1: See ``plait.lexical.Bm25``, as the others.
        b: Likewise.
        delta: Likewise, 0 where there is none.
    """

    kind: int
    k1: float
    b: float
    delta: float


class Blocks(NamedTuple):
    """The blocks of an inverted index, term after term.

    Attributes:
        starts: Which block is the first of each term, and the end, uint64 of shape (terms + 1,).
        lasts: The last document of each block, uint32 of shape (blocks,).
        bounds: Where each block's pairs begin, and the end, uint64 of shape (blocks + 1,).
        pairs: (tf, length), by falling tf in each block, uint32 of shape (pairs, 2).
    """

    starts: NDArray[np.uint64]
    lasts: NDArray[np.uint32]
    bounds: NDArray[np.uint64]
    pairs: NDArray[np.uint32]


class Index(ctypes.Structure):
    """Where the arrays of postings are, as kernels/c/terms.c reads it."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("starts", "docs", "tfs", "dls")),
        *((name, ctypes.c_void_p) for name in ("blocks", "lasts", "bounds", "pairs")),
        *((name, ctypes.c_int64) for name in ("documents", "longest", "tf_bytes", "dl_bytes")),
    )


@dataclass(frozen=True, eq=False)
class Postings:
    """An inverted index. All arrays are contiguous.

    Attributes:
        lengths: Length of each document, uint32 of shape (documents,).
        starts: Where each term's postings begin, and the end, uint64 of shape (terms + 1,).
        docs: uint32 of shape (postings,).
        tfs: uint8, uint16 or uint32, likewise.
        dls: What ``spread`` gives, likewise.
        blocks: Blocks of them.
    """

    lengths: NDArray[np.uint32]
    starts: NDArray[np.uint64]
    docs: NDArray[np.uint32]
    tfs: NDArray[np.unsignedinteger]
    dls: NDArray[np.unsignedinteger]
    blocks: Blocks

    @cached_property
    def native(self) -> Index:
        """The addresses for compiled loops; good as long as this is."""
        arrays = (self.starts, self.docs, self.tfs, self.dls, *self.blocks)
        return Index(
            *(address(array) for array in arrays),
            len(self.lengths),
            int(self.lengths.max(initial=0)),
            self.tfs.itemsize,
            self.dls.itemsize,
        )
