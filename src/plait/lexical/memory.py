"""MemoryTerms: the rows of a table in memory, and an inverted index over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.filters import Filter
from plait.lexical.bm25 import Doubles
from plait.lexical.index import LexicalIndex
from plait.lexical.part import Asked
from plait.table import Mask, PartRanking, TableView
from plait.types import Chunk

__all__ = ["MemoryTerms"]


@dataclass(frozen=True, slots=True, eq=False)
class MemoryTerms:
    """A part of a state whose rows are in memory.

    Attributes:
        table: Ids, metadata and which rows are alive.
        index: Terms at the same ordinals.
        chunks: Chunks at the same ordinals, for rankings that carry them; or empty.
    """

    table: TableView
    index: LexicalIndex
    chunks: Sequence[Chunk] = ()

    @property
    def count(self) -> int:
        """Rows that are alive."""
        return self.index.count

    @property
    def length(self) -> int:
        """The sum of their lengths."""
        return self.index.length

    def counts(self, terms: Sequence[str], /) -> Sequence[int]:
        """How many rows that are alive have each of these terms."""
        return [self._count(term) for term in terms]

    def frequencies(self) -> Mapping[str, int]:
        """The same for every term that some row has that is alive."""
        return self.index.frequencies(self.table.alive)

    def rank(self, asked: Asked, *, top_k: int, keep: Filter | None = None) -> PartRanking:
        """The best rows that share a term with the query, are alive and pass."""
        scores, matched = self._scores(asked)
        ordinals = np.flatnonzero(matched & self.table.allow(keep))
        rounded = scores[ordinals].astype(np.float32)
        best = self.table.first(ordinals, -rounded, top_k)
        rows = ordinals[best].tolist()
        return PartRanking(
            ids=tuple([self.table.ids[row] for row in rows]),
            scores=tuple(rounded[best].tolist()),
            total=len(ordinals),
            chunks=tuple([self.chunks[row] for row in rows]) if self.chunks else (),
        )

    def score(
        self, asked: Asked, ids: Iterable[str], keep: Filter | None = None, /
    ) -> dict[str, float]:
        """The scores of the ids that are here, pass and share a term with the query."""
        scores, matched = self._scores(asked)
        rows = self.table.rows(ids, keep)
        rows = rows[matched[rows]]
        return dict(
            zip(self.table.names(rows), scores[rows].astype(np.float32).tolist(), strict=True)
        )

    def _count(self, term: str) -> int:
        postings = self.index.postings(term)
        if self.table.count == self.table.size:
            return sum(len(each.rows) for each in postings)
        alive = self.table.alive
        return sum(int(np.count_nonzero(alive[each.block][each.rows])) for each in postings)

    def _scores(self, asked: Asked) -> tuple[Doubles, Mask]:
        """The score of every row, and whether it has one of the terms; shape (size,)."""
        scores = np.zeros(self.table.size, dtype=np.float64)
        matched = np.zeros(self.table.size, dtype=np.bool_)
        for term, weight in zip(asked.terms, asked.weights, strict=True):
            for each in self.index.postings(term, asked.mean):
                relative = each.relative[each.rows]
                scores[each.block][each.rows] += weight * asked.bm25.frequency(each.tf, relative)
                matched[each.block][each.rows] = True
        return scores, matched
