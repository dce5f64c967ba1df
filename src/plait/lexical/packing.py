"""Packing: the arrays of terms by term and by row, made of texts' terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.kernels.inverting import blocks, invert
from plait.kernels.postings import Blocks, Postings, narrowest, spread
from plait.storage import Arrays, Names
from plait.text import TermRows

__all__ = [
    "ARRAYS",
    "DLS",
    "DOCS",
    "LENGTHS",
    "NAMES",
    "ROWS",
    "SMALL",
    "STARTS",
    "TERMS",
    "TFS",
    "pack",
    "postings_of",
]

NAMES = "terms.names"
LENGTHS = "terms.lengths"
ROWS, TERMS = "terms.rows", "terms.terms"  # where the terms of each row begin, and which they are
STARTS, DOCS, TFS, DLS = "terms.starts", "terms.docs", "terms.tfs", "terms.dls"
BLOCKS = ("terms.blocks", "terms.lasts", "terms.bounds", "terms.pairs")  # as Blocks has them
ARRAYS = (LENGTHS, ROWS, TERMS, STARTS, DOCS, TFS, DLS, *BLOCKS)
"""All but the names, in the order in which they are written."""

SMALL = (LENGTHS, STARTS, *BLOCKS)
"""What a search reads anywhere in it."""


def postings_of(arrays: Arrays) -> Postings:
    """The postings as they lie there, not yet checked."""
    return Postings(
        arrays[LENGTHS],
        arrays[STARTS],
        arrays[DOCS],
        arrays[TFS],
        arrays[DLS],
        Blocks(*(arrays[name] for name in BLOCKS)),
    )


def pack(given: TermRows) -> dict[str, NDArray[Any]]:
    """The arrays for the terms of some rows."""
    order = sorted(range(len(given.terms)), key=given.terms.__getitem__)
    place = np.empty(len(order), dtype=np.uint32)
    place[order] = np.arange(len(order), dtype=np.uint32)
    lengths, sizes = given.lengths.astype(np.uint32), given.sizes.astype(np.uint32)
    starts, docs, tfs = invert(sizes, place[given.term], given.tf.astype(np.uint32), len(order))
    # A row's terms in order: what comes out when the postings are turned around again.
    counts = np.diff(starts.astype(np.int64)).astype(np.uint32)
    begins, terms, _ = invert(counts, docs, tfs, len(lengths))
    narrow = tfs.astype(narrowest(int(tfs.max(initial=0))))
    made = (lengths, begins, terms, starts, docs, narrow, spread(lengths, docs))
    names = Names.build([given.terms[number] for number in order], NAMES)
    made_blocks = blocks(starts, docs, narrow, lengths)
    return {**names, **dict(zip(ARRAYS, (*made, *made_blocks), strict=True))}
