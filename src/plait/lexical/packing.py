"""Packing: the arrays of terms by term and by row, made of texts' terms or of other arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.kernels.inverting import blocks, invert, kept, merge, renumber
from plait.kernels.postings import GONE, Blocks, Postings, narrowest, spread
from plait.storage import Arrays, Names
from plait.table import Ordinals
from plait.text import TermRows

__all__ = [
    "DLS",
    "DOCS",
    "LENGTHS",
    "NAMES",
    "ROWS",
    "SMALL",
    "STARTS",
    "TERMS",
    "TFS",
    "merged",
    "pack",
    "postings_of",
]

NAMES = "terms.names"
LENGTHS = "terms.lengths"
ROWS, TERMS = "terms.rows", "terms.terms"  # where the terms of each row begin, and which they are
STARTS, DOCS, TFS, DLS = "terms.starts", "terms.docs", "terms.tfs", "terms.dls"
BLOCKS = ("terms.blocks", "terms.lasts", "terms.bounds", "terms.pairs")  # as Blocks has them
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
    names = [given.terms[number] for number in order]
    return _laid_out(names, lengths, (begins, terms), (starts, docs, narrow))


def merged(
    parts: Sequence[Arrays], source: NDArray[np.int32], ordinal: Ordinals
) -> dict[str, NDArray[Any]]:
    """The arrays of rows of several parts; arguments as ``PackedTerms.merge`` has them."""
    moves = [_Move.of(each, np.flatnonzero(source == n), ordinal) for n, each in enumerate(parts)]
    names = sorted(set().union(*(move.names for move in moves)))
    places = {name: place for place, name in enumerate(names)}
    lengths = np.empty(len(source), dtype=np.uint32)
    sizes = np.empty(len(source), dtype=np.int64)
    for move in moves:
        lengths[move.rows] = move.postings.lengths[move.ordinals]
        sizes[move.rows] = np.diff(move.begins.astype(np.int64))[move.ordinals]
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    terms = np.empty(int(begins[-1]), dtype=np.uint32)
    counts = np.zeros(len(names), dtype=np.int64)
    olds = []
    for move in moves:
        new = np.array([places[name] for name in move.names], dtype=np.int64)
        old = np.full(len(names), -1, dtype=np.int64)
        old[new] = move.used
        olds.append(old)
        counts[new] += move.counts[move.used]
        mapping = np.zeros(len(move.counts), dtype=np.uint32)
        mapping[move.used] = new
        renumber(move.ordinals, move.begins, move.terms, mapping, begins[move.rows], terms)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    postings = [move.postings for move in moves]
    docs, tfs = merge(postings, [move.numbers for move in moves], olds, len(terms))
    return _laid_out(names, lengths, (begins, terms), (starts, docs, tfs))


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """The rows of one part that come into a merged one.

    Attributes:
        postings: Of the part, checked.
        begins: Where the terms of each of its rows begin, and the end.
        terms: Which they are.
        rows: New ordinals of the rows that come, ascending.
        ordinals: Their ordinals in the part, ascending.
        numbers: The new ordinal of each row of the part, ``GONE`` for those that do not come.
        counts: How many rows that come have each term of the part.
        used: Numbers of the terms that some of them have.
        names: The names of these.
    """

    postings: Postings
    begins: NDArray[np.uint64]
    terms: NDArray[np.uint32]
    rows: Ordinals
    ordinals: Ordinals
    numbers: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    used: Ordinals
    names: list[str]

    @classmethod
    def of(cls, arrays: Arrays, rows: Ordinals, ordinal: Ordinals) -> _Move:
        """The move of a part's rows to new ordinals; ``ordinal`` has those of all new rows."""
        for name in (LENGTHS, STARTS, DOCS, TFS):
            arrays.touch(name)
        postings = postings_of(arrays)
        ordinals = ordinal[rows]
        numbers = np.full(len(postings.lengths), GONE, dtype=np.uint32)
        numbers[ordinals] = rows
        counts = kept(postings, numbers)
        used = np.flatnonzero(counts)
        begins, terms = arrays.read(ROWS), arrays.read(TERMS)
        names = Names(arrays, NAMES).at(used)
        return cls(postings, begins, terms, rows, ordinals, numbers, counts, used, names)


def _laid_out(
    names: Sequence[str],
    lengths: NDArray[np.uint32],
    by_row: tuple[NDArray[np.uint64], NDArray[np.uint32]],
    by_term: tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.unsignedinteger]],
) -> dict[str, NDArray[Any]]:
    return {
        **Names.build(names, NAMES),
        LENGTHS: lengths,
        **dict(zip((ROWS, TERMS), by_row, strict=True)),
        **dict(zip((STARTS, DOCS, TFS), by_term, strict=True)),
        DLS: spread(lengths, by_term[1]),
        **dict(zip(BLOCKS, blocks(*by_term, lengths), strict=True)),
    }
