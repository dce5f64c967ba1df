"""PackedTerms: the terms of one immutable part in arrays, by term and by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.filters import Filter
from plait.kernels.terms import Blocks, Postings, blocks, invert, score, search
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
    """

    arrays: Arrays
    rows: Rows
    length: int
    names: Names = field(repr=False)
    _postings: Postings = field(repr=False)
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
        return _packed(
            [given.terms[number] for number in order],
            given.lengths,
            given.sizes,
            place[given.term],
            given.tf,
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
            ordinal: And its ordinal there, shape (n,).

        Returns:
            What ``build`` makes of these rows: terms that none of them has are gone.
        """
        lengths = np.zeros(len(source), dtype=np.int64)
        sizes = np.zeros(len(source), dtype=np.int64)
        for number, part in enumerate(parts):
            here = np.flatnonzero(source == number)
            lengths[here] = part.arrays.read(_LENGTHS)[ordinal[here]]
            sizes[here] = np.diff(part.arrays.read(_ROWS).astype(np.int64))[ordinal[here]]
        starts = np.cumsum(sizes) - sizes
        used = [part.used(ordinal[source == number]) for number, part in enumerate(parts)]
        names = [part.names.at(terms) for part, terms in zip(parts, used, strict=True)]
        united = sorted(set().union(*names))
        places = {name: place for place, name in enumerate(united)}
        term = np.empty(int(sizes.sum()), dtype=np.uint32)
        tf = np.empty(len(term), dtype=np.uint32)
        for number, part in enumerate(parts):
            here = np.flatnonzero(source == number)
            mapping = np.zeros(len(part.names), dtype=np.uint32)
            mapping[used[number]] = [places[name] for name in names[number]]
            terms, tfs = part.forward(ordinal[here])
            target = _spread(starts[here], sizes[here])
            term[target] = mapping[terms]
            tf[target] = tfs
        return _packed(united, lengths, sizes, term, tf)

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
        terms, _ = self.forward(ordinals, with_tf=False)
        np.add.at(dead, terms, 1)
        lost = int(self._postings.lengths[ordinals].sum(dtype=np.int64))
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
        found = search(
            self._postings, terms, weights, asked.bm25.kernel, asked.mean, top_k, allowed
        )
        ids, scores = self.rows.names(found.docs), found.scores.tolist()
        # A search that leaves out what cannot be among the best knows only a short list whole.
        return PartRanking(tuple(ids), tuple(scores), len(ids) if len(ids) < top_k else None)

    def score(
        self, asked: Asked, ids: Iterable[str], keep: Filter | None = None, /
    ) -> dict[str, float]:
        """The scores of the ids that are here, pass and share a term with the query."""
        rows = self.rows.rows(ids, keep)
        terms, weights = self._weighted(asked)
        scores, matched = score(self._postings, terms, weights, asked.bm25.kernel, asked.mean, rows)
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
        starts = self._postings.starts
        for place in self.names.locate(terms).tolist():
            start, stop = (int(starts[place]), int(starts[place + 1])) if place >= 0 else (0, 0)
            self.arrays.touch(_DOCS, start, stop)
            self.arrays.touch(_TFS, start, stop)
            yield place, stop - start

    def forward(
        self, ordinals: Ordinals, *, with_tf: bool = True
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The terms of rows, one after the other, and how often each is there."""
        begins = self.arrays[_ROWS]
        self.arrays.touch_rows(_ROWS, ordinals)
        self.arrays.touch_rows(_ROWS, ordinals + 1)
        starts, stops = begins[ordinals].astype(np.int64), begins[ordinals + 1].astype(np.int64)
        where = _spread(starts, stops - starts)
        if len(ordinals) * 8 > len(begins):
            self.arrays.touch(_TERMS)
        else:
            self.arrays.touch_rows(_TERMS, where)
        terms: NDArray[np.uint32] = self.arrays[_TERMS][where]
        if not with_tf:
            return terms, terms
        return terms, self._by_row()[where]

    def _by_row(self) -> NDArray[np.uint32]:
        """How often each term of each row is there, in the order of the rows."""
        starts, docs, tfs = (self.arrays.read(name) for name in (_STARTS, _DOCS, _TFS))
        sizes = np.diff(starts.astype(np.int64)).astype(np.uint32)
        _, _, by_row = invert(sizes, docs, tfs.astype(np.uint32), len(self._postings.lengths))
        return by_row

    def used(self, ordinals: Ordinals) -> NDArray[np.int64]:
        """The numbers of the terms that some of these rows have, ascending."""
        terms, _ = self.forward(ordinals, with_tf=False)
        return np.flatnonzero(np.bincount(terms, minlength=len(self.names)))


def _packed(
    names: Sequence[str],
    lengths: NDArray[np.integer],
    sizes: NDArray[np.integer],
    term: NDArray[np.uint32],
    tf: NDArray[np.integer],
) -> dict[str, NDArray[Any]]:
    """The arrays, from the sorted terms and the numbers of each row's."""
    measured = lengths.astype(np.uint32)
    starts, docs, tfs = invert(
        sizes.astype(np.uint32), term.astype(np.uint32), tf.astype(np.uint32), len(names)
    )
    highest = int(tfs.max(initial=0))
    width = np.uint8 if highest < 1 << 8 else np.uint16 if highest < 1 << 16 else np.uint32
    # In the order in which a row's terms come out when the postings are turned around again.
    counts = np.diff(starts.astype(np.int64)).astype(np.uint32)
    rows, by_row, _ = invert(counts, docs, np.zeros(len(docs), np.uint32), len(measured))
    return {
        **Names.build(names, _NAMES),
        _LENGTHS: measured,
        _ROWS: rows,
        _TERMS: by_row,
        _STARTS: starts,
        _DOCS: docs,
        _TFS: tfs.astype(width),
        **dict(zip(_BLOCKS, blocks(starts, docs, tfs, measured), strict=True)),
    }


def _spread(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of several stretches, one after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    places: NDArray[np.int64] = np.arange(total) + np.repeat(starts - (ends - sizes), sizes)
    return places
