"""Merging: the terms of rows of several parts as one, with little of them in memory at a time.

The postings are merged twice, some terms at a time: first for the frequencies, the lengths and the
blocks, whose sizes must be known before anything is written; then for the documents, which take
most room, while they are. What each row has is taken from the parts while it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.kernels.inverting import blocks, kept, merge, renumber
from plait.kernels.postings import GONE, Blocks, Postings, narrowest
from plait.lexical.packing import (
    ARRAYS,
    DOCS,
    LENGTHS,
    NAMES,
    ROWS,
    STARTS,
    TERMS,
    TFS,
    postings_of,
)
from plait.storage import Arrays, Names, Storable, Streamed, neighbors
from plait.table import Ordinals

__all__ = ["merged"]

_PIECE = 1 << 20  # postings that are worked on together


def merged(
    parts: Sequence[Arrays], source: NDArray[np.int32], ordinal: Ordinals
) -> dict[str, Storable]:
    """The arrays of rows of several parts; arguments as ``PackedTerms.merge`` has them."""
    moves = [_Move.of(each, np.flatnonzero(source == n), ordinal) for n, each in enumerate(parts)]
    tables = [move.names for move in moves]
    order = Names.order(tables, [move.used for move in moves])
    number = np.cumsum(order.fresh) - 1
    terms = [number[order.source == n] for n in range(len(moves))]
    names = Names.merge(tables, order.source[order.fresh], order.ordinal[order.fresh], NAMES)
    lengths = np.empty(len(source), dtype=np.uint32)
    sizes = np.empty(len(source), dtype=np.int64)
    counts = np.zeros(np.count_nonzero(order.fresh), dtype=np.int64)
    for move, new in zip(moves, terms, strict=True):
        lengths[move.rows] = move.postings.lengths[move.ordinals]
        sizes[move.rows] = np.diff(move.begins.astype(np.int64))[move.ordinals]
        counts[new] += move.counts
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
    by_row = _ByRow(moves, terms, begins)
    by_term = _ByTerm(moves, terms, starts)
    tfs, dls, made = by_term.surveyed(lengths)
    arrays = (lengths, begins, by_row.terms, starts, by_term.docs, tfs, dls, *made)
    return {**names, **dict(zip(ARRAYS, arrays, strict=True))}


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
        used: Numbers of the part's terms that some of them have.
        counts: How many have each of these.
        names: The names of all terms of the part.
    """

    postings: Postings
    begins: NDArray[np.uint64]
    terms: NDArray[np.uint32]
    rows: Ordinals
    ordinals: Ordinals
    numbers: NDArray[np.uint32]
    used: Ordinals
    counts: NDArray[np.uint32]
    names: Names

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
        names = Names(arrays, NAMES)
        return cls(postings, begins, terms, rows, ordinals, numbers, used, counts[used], names)


class _ByRow(NamedTuple):
    """Which terms each new row has.

    Attributes:
        moves: Where the rows come from.
        numbers: The new number of each term that is used, for each move.
        begins: Where the terms of each new row begin, and the end.
    """

    moves: Sequence[_Move]
    numbers: Sequence[Ordinals]
    begins: NDArray[np.uint64]

    @property
    def terms(self) -> Streamed:
        return Streamed("<u4", (int(self.begins[-1]),), self._pieces)

    def _pieces(self) -> Iterator[NDArray[np.uint32]]:
        mappings = []
        for move, numbers in zip(self.moves, self.numbers, strict=True):
            mapping = np.zeros(len(move.postings.starts) - 1, dtype=np.uint32)
            mapping[move.used] = numbers
            mappings.append(mapping)
        for rows in neighbors(self.begins, _PIECE):
            first = self.begins[rows.start]
            terms = np.empty(int(self.begins[rows.stop] - first), dtype=np.uint32)
            for move, mapping in zip(self.moves, mappings, strict=True):
                some = slice(*np.searchsorted(move.rows, [rows.start, rows.stop]).tolist())
                targets = self.begins[move.rows[some]] - first
                renumber(move.ordinals[some], move.begins, move.terms, mapping, targets, terms)
            yield terms


class _ByTerm(NamedTuple):
    """Which new rows have each term.

    Attributes:
        moves: Where the rows come from.
        numbers: The new number of each term that is used, for each move.
        starts: Where the postings of each new term begin, and the end.
    """

    moves: Sequence[_Move]
    numbers: Sequence[Ordinals]
    starts: NDArray[np.uint64]

    @property
    def docs(self) -> Streamed:
        return Streamed("<u4", (int(self.starts[-1]),), self._docs)

    def surveyed(
        self, lengths: NDArray[np.uint32]
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Blocks]:
        """The frequencies, the lengths and the blocks; ``lengths`` has those of the new rows."""
        widest = max((m.postings.tfs.dtype for m in self.moves), default=narrowest(0))
        tfs: NDArray[np.unsignedinteger] = np.empty(int(self.starts[-1]), dtype=widest)
        made = [blocks(np.zeros(1, np.uint64), np.zeros(0, np.uint32), tfs[:0], lengths)]
        enough = narrowest(int(lengths.max(initial=0)))
        narrow = lengths.astype(enough)
        dls: NDArray[np.unsignedinteger] = np.empty(len(tfs), dtype=enough)
        highest = 0
        for terms, docs, some in self._pieces():
            bounds = self.starts[terms.start : terms.stop + 1]
            place = slice(int(bounds[0]), int(bounds[-1]))
            tfs[place], dls[place] = some, narrow[docs]
            highest = max(highest, int(some.max(initial=0)))
            made.append(blocks(bounds - bounds[0], docs, some, lengths))
        return tfs.astype(narrowest(highest), copy=False), dls, _chained(made)

    def _docs(self) -> Iterator[NDArray[np.uint32]]:
        return (docs for _, docs, _ in self._pieces())

    def _pieces(
        self,
    ) -> Iterator[tuple[slice, NDArray[np.uint32], NDArray[np.unsignedinteger]]]:
        """Some terms, and their postings."""
        olds = []
        for move, terms in zip(self.moves, self.numbers, strict=True):
            old = np.full(len(self.starts) - 1, -1, dtype=np.int64)
            old[terms] = move.used
            olds.append(old)
        postings, numbers = [m.postings for m in self.moves], [m.numbers for m in self.moves]
        for some in neighbors(self.starts, _PIECE):
            size = int(self.starts[some.stop] - self.starts[some.start])
            yield some, *merge(postings, numbers, [old[some] for old in olds], size)


def _chained(parts: Sequence[Blocks]) -> Blocks:
    """The blocks of terms that follow each other."""
    return Blocks(
        _joined([part.starts for part in parts]),
        np.concatenate([part.lasts for part in parts]),
        _joined([part.bounds for part in parts]),
        np.concatenate([part.pairs for part in parts]),
    )


def _joined(bounds: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Places, each of which begin at 0, as places in what follows each other."""
    ends = np.cumsum([0, *(each[-1] for each in bounds[:-1])], dtype=np.uint64)
    inner = [each[1:] + end for each, end in zip(bounds, ends, strict=True)]
    return np.concatenate([np.zeros(1, dtype=np.uint64), *inner])
