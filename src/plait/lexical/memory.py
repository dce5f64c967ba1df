"""MemoryTerms: the rows of a table in memory, and an inverted index over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.filters import Filter
from plait.kernels.terms import add
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
        counts = np.zeros(len(terms), dtype=np.int64)
        for segment, places in self.index.places(terms):
            here = np.flatnonzero(places >= 0)
            starts, stops = segment.offsets[places[here]], segment.offsets[places[here] + 1]
            if self.table.count == self.table.size:
                counts[here] += stops - starts
                continue
            alive = self.table.alive[segment.start : segment.stop]
            for term, start, stop in zip(here, starts, stops, strict=True):
                counts[term] += np.count_nonzero(alive[segment.rows[start:stop]])
        found: list[int] = counts.tolist()
        return found

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

    def _scores(self, asked: Asked) -> tuple[Doubles, Mask]:
        """The score of every row, and whether it has one of the terms; shape (size,)."""
        scores = np.zeros(self.table.size, dtype=np.float64)
        matched = np.zeros(self.table.size, dtype=np.bool_)
        weights = np.array(asked.weights, dtype=np.float64)
        for segment, places in self.index.places(asked.terms):
            here = places >= 0
            block = slice(segment.start, segment.stop)
            add(
                segment.packed, places[here], weights[here], asked.bm25.kernel, asked.mean,
                scores[block], matched[block],
            )  # fmt: skip
        return scores, matched
