"""PackedTerms: the terms of one immutable part in arrays, by term and by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.filters import Filter
from plait.kernels.terms import (
    GONE,
    Blocks,
    Postings,
    blocks,
    invert,
    kept,
    merge,
    narrowest,
    renumber,
    score,
    search,
)
from plait.lexical.part import Asked
from plait.storage import Arrays, Names
from plait.table import Ordinals, PartRanking, Rows
from plait.text import TermRows

__all__ = ["PackedTerms"]

_NAMES = "terms.names"
_LENGTHS, _ROWS, _TERMS = "terms.lengths", "terms.rows", "terms.terms"
_STARTS, _DOCS, _TFS = "terms.starts", "terms.docs", "terms.tfs"
_BLOCKS = ("terms.blocks", "terms.lasts", "terms.bounds", "terms.pairs")  # as Blocks has them
_SMALL = (_LENGTHS, _STARTS, *_BLOCKS)  # what a search reads anywhere in it
_KEPT = 4096  # terms whose places are remembered


@dataclass(frozen=True, slots=True, eq=False)
class PackedTerms:
    """Terms in the order of the rows' ids.

    By term: which rows have it, and how often. By row: which terms it has, so that a row which
    is left out is taken off the frequencies of its own terms.

    Attributes:
        arrays: What ``build`` made.
        rows: Ids, and which rows are alive and pass.
        length: The sum of the lengths of the rows that are alive.
        names: The terms.
        inverted: Who has which, dead rows included.
    """

    arrays: Arrays
    rows: Rows
    length: int
    names: Names = field(repr=False)
    inverted: Postings = field(repr=False)
    _dead: NDArray[np.uint32] | None = field(default=None, repr=False)  # rows by term
    _places: dict[str, tuple[int, int]] = field(default_factory=dict, repr=False)

    @classmethod
    def over_arrays(cls, arrays: Arrays, rows: Rows) -> PackedTerms:
        """The terms in some arrays, of rows that are all alive."""
        arrays.touch(_LENGTHS)
        lengths = arrays[_LENGTHS]
        blocks = Blocks(*(arrays[name] for name in _BLOCKS))
        postings = Postings(lengths, arrays[_STARTS], arrays[_DOCS], arrays[_TFS], blocks)
        return cls(arrays, rows, int(lengths.sum(dtype=np.int64)), Names(arrays, _NAMES), postings)

    @staticmethod
    def build(given: TermRows) -> dict[str, NDArray[Any]]:
        """The arrays for the terms of some rows, by ascending id."""
        order = sorted(range(len(given.terms)), key=given.terms.__getitem__)
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        lengths, sizes = given.lengths.astype(np.uint32), given.sizes.astype(np.uint32)
        starts, docs, tfs = invert(sizes, place[given.term], given.tf.astype(np.uint32), len(order))
        # A row's terms in order: what comes out when the postings are turned around again.
        counts = np.diff(starts.astype(np.int64)).astype(np.uint32)
        begins, terms, _ = invert(counts, docs, tfs, len(lengths))
        return _packed(
            [given.terms[number] for number in order],
            lengths,
            begins,
            terms,
            starts,
            docs,
            tfs.astype(narrowest(int(tfs.max(initial=0)))),
        )

    @classmethod
    def merge(
        cls,
        parts: Sequence[PackedTerms],
        source: NDArray[np.int32],
        ordinal: NDArray[np.int64],
    ) -> dict[str, NDArray[Any]]:
        """The arrays of rows of several parts.

        Args:
            parts: Where the rows are.
            source: For each new row the number of its part, shape (n,).
            ordinal: And its ordinal there, shape (n,); those of each part ascend.

        Returns:
            What ``build`` makes of these rows: terms that none of them has are gone.
        """
        rows = [np.flatnonzero(source == number) for number in range(len(parts))]
        lengths = np.empty(len(source), dtype=np.uint32)
        sizes = np.empty(len(source), dtype=np.int64)
        numbers, counts = [], []
        for part, here in zip(parts, rows, strict=True):
            lengths[here] = part.arrays.read(_LENGTHS)[ordinal[here]]
            sizes[here] = np.diff(part.arrays.read(_ROWS).astype(np.int64))[ordinal[here]]
            number = np.full(part.rows.size, GONE, dtype=np.uint32)
            number[ordinal[here]] = here
            for name in (_STARTS, _DOCS, _TFS, _TERMS):
                part.arrays.touch(name)
            numbers.append(number)
            counts.append(kept(part.inverted, number))
        used = [np.flatnonzero(count) for count in counts]
        names = [part.names.at(terms) for part, terms in zip(parts, used, strict=True)]
        united = sorted(set().union(*names))
        places = {name: place for place, name in enumerate(united)}
        begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        terms = np.empty(int(begins[-1]), dtype=np.uint32)
        frequencies = np.zeros(len(united), dtype=np.int64)
        olds = []
        for part, here, mine, named, count in zip(parts, rows, used, names, counts, strict=True):
            place = np.array([places[name] for name in named], dtype=np.int64)
            old = np.full(len(united), -1)
            old[place] = mine
            olds.append(old)
            frequencies[place] += count[mine]
            mapping = np.zeros(len(count), dtype=np.uint32)
            mapping[mine] = place
            given = part.arrays[_ROWS], part.arrays[_TERMS]
            renumber(ordinal[here], *given, mapping, begins[here], terms)
        docs, tfs = merge([part.inverted for part in parts], numbers, olds, len(terms))
        starts = np.concatenate([[0], np.cumsum(frequencies)]).astype(np.uint64)
        return _packed(united, lengths, begins, terms, starts, docs, tfs)

    @staticmethod
    def postings(arrays: Mapping[str, NDArray[Any]]) -> int:
        """How many pairs of term and row these arrays hold."""
        return len(arrays[_DOCS])

    @property
    def count(self) -> int:
        """Rows that are alive."""
        return self.rows.count

    def over(self, rows: Rows) -> PackedTerms:
        """The same terms with other rows; those that died must have been left out."""
        return replace(self, rows=rows)

    def without(self, ordinals: Ordinals) -> PackedTerms:
        """Without these rows, each once and alive; costs as much as they have terms."""
        size = len(self.names)
        dead = np.zeros(size, dtype=np.uint32) if self._dead is None else self._dead.copy()
        np.add.at(dead, self._terms_of(ordinals), 1)
        lost = int(self.inverted.lengths[ordinals].sum(dtype=np.int64))
        return replace(self, length=self.length - lost, _dead=dead)

    def counts(self, terms: Sequence[str], /) -> Sequence[int]:
        """How many rows that are alive have each of these terms."""
        places = self._located(terms)
        if self._dead is None:
            return [count for _, count in places]
        return [count - int(self._dead[place]) if count else 0 for place, count in places]

    def frequencies(self) -> Mapping[str, int]:
        """The same for every term that some row has that is alive."""
        counts = np.diff(self.arrays.read(_STARTS).astype(np.int64))
        if self._dead is not None:
            counts = counts - self._dead
        found = np.flatnonzero(counts)
        return dict(zip(self.names.at(found), counts[found].tolist(), strict=True))

    def rank(self, asked: Asked, *, top_k: int, keep: Filter | None = None) -> PartRanking:
        """The best rows that share a term with the query, are alive and pass."""
        terms, weights = self._weighted(asked)
        allowed = self.rows.allowed(keep)
        found = search(self.inverted, terms, weights, asked.bm25.kernel, asked.mean, top_k, allowed)
        ids, scores = self.rows.names(found.docs), found.scores.tolist()
        # A search that leaves out what cannot be among the best knows only a short list whole.
        return PartRanking(tuple(ids), tuple(scores), len(ids) if len(ids) < top_k else None)

    def score(
        self, asked: Asked, ids: Iterable[str], keep: Filter | None = None, /
    ) -> dict[str, float]:
        """The scores of the ids that are here, pass and share a term with the query."""
        rows = self.rows.rows(ids, keep)
        terms, weights = self._weighted(asked)
        scores, matched = score(self.inverted, terms, weights, asked.bm25.kernel, asked.mean, rows)
        names = self.rows.names(rows[matched])
        return dict(zip(names, scores[matched].tolist(), strict=True))

    def _weighted(self, asked: Asked) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The numbers of the terms that are here, with their weights."""
        places = self._located(asked.terms)
        here = [
            (place, weight)
            for (place, count), weight in zip(places, asked.weights, strict=True)
            if count
        ]
        return (
            np.array([place for place, _ in here], dtype=np.int64),
            np.array([weight for _, weight in here], dtype=np.float64),
        )

    def _located(self, terms: Sequence[str]) -> list[tuple[int, int]]:
        """The number of each distinct term, and of the postings it has, 0 if it is not here."""
        known = self._places
        found = {term: known.get(term) for term in terms}
        if missing := [term for term, place in found.items() if place is None]:
            located = dict(zip(missing, self._look_up(missing), strict=True))
            found |= located
            if len(known) > _KEPT:
                known.clear()
            known |= located
        return [place for place in found.values() if place is not None]

    def _look_up(self, terms: Sequence[str]) -> Iterator[tuple[int, int]]:
        """The same from the arrays; what a search of the terms reads is checked with it."""
        for name in _SMALL:
            self.arrays.touch(name)
        starts = self.inverted.starts
        for place in self.names.locate(terms).tolist():
            start, stop = (int(starts[place]), int(starts[place + 1])) if place >= 0 else (0, 0)
            self.arrays.touch(_DOCS, start, stop)
            self.arrays.touch(_TFS, start, stop)
            yield place, stop - start

    def _terms_of(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        """The terms of rows, one after the other."""
        begins = self.arrays[_ROWS]
        self.arrays.touch_rows(_ROWS, ordinals)
        self.arrays.touch_rows(_ROWS, ordinals + 1)
        starts = begins[ordinals].astype(np.int64)
        sizes = begins[ordinals + 1].astype(np.int64) - starts
        where = np.arange(int(sizes.sum())) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        self.arrays.touch_rows(_TERMS, where)
        terms: NDArray[np.uint32] = self.arrays[_TERMS][where]
        return terms


def _packed(
    names: Sequence[str],
    lengths: NDArray[np.uint32],
    begins: NDArray[np.uint64],
    terms: NDArray[np.uint32],
    starts: NDArray[np.uint64],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.unsignedinteger],
) -> dict[str, NDArray[Any]]:
    return {
        **Names.build(names, _NAMES),
        _LENGTHS: lengths,
        _ROWS: begins,
        _TERMS: terms,
        _STARTS: starts,
        _DOCS: docs,
        _TFS: tfs,
        **dict(zip(_BLOCKS, blocks(starts, docs, tfs, lengths), strict=True)),
    }
