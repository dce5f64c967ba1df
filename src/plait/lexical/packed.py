"""PackedTerms: the terms of one immutable part in arrays, by term and by row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.filters import Filter
from plait.kernels.postings import Postings
from plait.kernels.terms import score, search
from plait.lexical.merging import merged
from plait.lexical.packing import (
    DLS,
    DOCS,
    LENGTHS,
    NAMES,
    ROWS,
    SMALL,
    STARTS,
    TERMS,
    TFS,
    pack,
    postings_of,
)
from plait.lexical.part import Asked
from plait.storage import Arrays, Names, Storable
from plait.table import Ordinals, PartRanking, Rows
from plait.text import TermRows

__all__ = ["PackedTerms"]

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
        postings = postings_of(arrays)
        length = int(arrays.read(LENGTHS).sum(dtype=np.int64))
        return cls(arrays, rows, length, Names(arrays, NAMES), postings)

    @staticmethod
    def build(given: TermRows) -> dict[str, NDArray[Any]]:
        """The arrays for the terms of some rows, by ascending id."""
        return pack(given)

    @staticmethod
    def merge(
        parts: Sequence[PackedTerms],
        source: NDArray[np.int32],
        ordinal: NDArray[np.int64],
    ) -> dict[str, Storable]:
        """The arrays of rows of several parts.

        Args:
            parts: Where the rows are.
            source: For each new row the number of its part, shape (n,).
            ordinal: And its ordinal there, shape (n,); those of each part ascend.

        Returns:
            What ``build`` makes of these rows: terms that none of them has are gone. What is
            large is made from the parts when it is written.
        """
        return merged([part.arrays for part in parts], source, ordinal)

    @staticmethod
    def postings(arrays: Mapping[str, Storable]) -> int:
        """How many pairs of term and row these arrays hold."""
        return arrays[DOCS].shape[0]

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
        counts = np.diff(self.arrays.read(STARTS).astype(np.int64))
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

    def _look_up(self, terms: Sequence[str]) -> Iterable[tuple[int, int]]:
        """The same from the arrays; what a search of the terms reads is checked with it."""
        for name in SMALL:
            self.arrays.touch(name)
        places = self.names.locate(terms)
        here = places >= 0
        known, begins = places[here], self.inverted.starts
        starts, stops = begins[known].astype(np.int64), begins[known + 1].astype(np.int64)
        self.arrays.touch_spans((DOCS, TFS, DLS), starts, stops)
        counts = np.zeros_like(places)
        counts[here] = stops - starts
        return zip(places.tolist(), counts.tolist(), strict=True)

    def _terms_of(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        """The terms of rows, one after the other."""
        begins = self.arrays[ROWS]
        self.arrays.touch_rows(ROWS, ordinals)
        self.arrays.touch_rows(ROWS, ordinals + 1)
        starts = begins[ordinals].astype(np.int64)
        sizes = begins[ordinals + 1].astype(np.int64) - starts
        where = np.arange(int(sizes.sum())) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        self.arrays.touch_rows(TERMS, where)
        terms: NDArray[np.uint32] = self.arrays[TERMS][where]
        return terms
