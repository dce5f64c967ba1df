"""LexicalView: the postings and the rows of one state, and the ranking that they give a query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from plait.filters import Filter
from plait.lexical.bm25 import Bm25, Doubles
from plait.lexical.index import LexicalIndex, Postings
from plait.table import Mask, TableView
from plait.text import Analyzer
from plait.types import Chunk, Ranking

__all__ = ["LexicalView"]

_PLAIN = Bm25()

_Found: TypeAlias = Mapping[str, tuple[tuple[Postings, ...], int]]


@dataclass(frozen=True, eq=False)
class LexicalView:
    """One state of a set of chunks with their terms.

    The arithmetic is defined to the last bit, so that the history of the index does not show:
    integer numbers of chunks, frequencies and lengths; a float64 weight of each term, (times in
    the query) * idf; each chunk's shares added in float64, in the order in which the query first
    has the terms; the sum rounded to float32.

    Attributes:
        table: Ids, metadata and which rows are alive.
        index: Terms at the same ordinals.
        analyzer: What the index was made with.
        bm25: How to score.

    Example:
        >>> from plait.table import ChunkTable
        >>> table, analyzer = ChunkTable(), Analyzer()
        >>> _ = table.add(["a", "b"], [{}, {}])
        >>> index = LexicalIndex().added(map(analyzer.analyze, ["error E1042", "cats purr"]))
        >>> LexicalView(table.view(), index, analyzer, Bm25()).rank("E1042", top_k=5).ids
        ('a',)
    """

    table: TableView
    index: LexicalIndex
    analyzer: Analyzer
    bm25: Bm25

    def rank(
        self,
        text: str,
        *,
        top_k: int,
        filter: Filter | None = None,
        name: str = "bm25",
        chunks: Sequence[Chunk] = (),
    ) -> Ranking:
        """The best ``top_k`` of the chunks that share a term with the query, ties by id.

        Args:
            text: The query.
            top_k: >= 1; fewer come back if fewer share a term and pass.
            filter: Applied before ranking.
            name: Name of the leg.
            chunks: Chunks by ordinal, for a ranking that carries them.

        Returns:
            A ranking whose ``total`` is the number of all that share a term and pass.
        """
        terms = self.analyzer.query_terms(text)
        found = self._find(terms)
        scores, matched = self._scores(terms, found)
        ordinals = np.flatnonzero(matched & self.table.allow(filter))
        rounded = scores[ordinals].astype(np.float32)
        best = self.table.first(ordinals, -rounded, top_k)
        rows, given = ordinals[best].tolist(), rounded[best].tolist()
        return Ranking(
            leg=name,
            ids=tuple(self.table.ids[row] for row in rows),
            scores=tuple(given),
            chunks=tuple(chunks[row] for row in rows) if chunks else (),
            score_range=self.bm25.score_range,
            total=len(ordinals),
            coverage=self._coverage(terms, found, given[0] if given else 0.0),
        )

    def score(
        self, text: str, ids: Iterable[str], *, filter: Filter | None = None
    ) -> dict[str, float]:
        """The scores that ``rank`` gives these chunks, however far down they stand.

        Those that share no term with the query, do not pass or are not there are left out.
        """
        terms = self.analyzer.query_terms(text)
        scores, matched = self._scores(terms, self._find(terms))
        rows = self.table.rows(ids, filter)
        rows = rows[matched[rows]]
        names = (self.table.ids[row] for row in rows.tolist())
        return dict(zip(names, scores[rows].astype(np.float32).tolist(), strict=True))

    def weights(self, text: str) -> dict[str, float]:
        """How much each term of a query tells: the idf of ``Bm25()``, which is above 0.

        Terms that no chunk has are left out.
        """
        found = self._find(self.analyzer.query_terms(text))
        return {term: self._telling(n) for term, (_, n) in found.items() if n}

    def _coverage(self, terms: Sequence[str], found: _Found, top: float) -> float | None:
        """The top score as a part of the highest that any text could get, between 0 and 1.

        A term that no chunk has weighs as the rarest, so a query in another language than the
        chunks, of which names and numbers match, comes out low. None for no terms.
        """
        repeats = Counter(terms)
        highest = math.fsum([repeats[term] * self._telling(n) for term, (_, n) in found.items()])
        return min(1.0, max(0.0, top / (highest * self.bm25.peak))) if highest else None

    def _find(self, terms: Sequence[str]) -> _Found:
        """The postings of each term, and how many chunks have it, in order of first occurrence."""
        found: dict[str, tuple[tuple[Postings, ...], int]] = {}
        for term in dict.fromkeys(terms):
            postings = tuple(self.index.postings(term))
            found[term] = postings, self._frequency(postings)
        return found

    def _telling(self, n: int) -> float:
        """How much a term tells that n chunks have: the idf of ``Bm25()``, which is above 0."""
        return _PLAIN.idf(n, self.index.count)

    def _scores(self, terms: Sequence[str], found: _Found) -> tuple[Doubles, Mask]:
        """The score of every row, and whether it has one of the terms; shape (size,)."""
        scores = np.zeros(self.table.size, dtype=np.float64)
        matched = np.zeros(self.table.size, dtype=np.bool_)
        repeats = Counter(terms)
        for term, (postings, n) in found.items():
            if not n:
                continue
            weight = repeats[term] * self.bm25.idf(n, self.index.count, self._mean_idf)
            for each in postings:
                relative = each.relative[each.rows]
                scores[each.block][each.rows] += weight * self.bm25.frequency(each.tf, relative)
                matched[each.block][each.rows] = True
        return scores, matched

    def _frequency(self, postings: Sequence[Postings]) -> int:
        """How many rows that are alive have the term."""
        if self.table.count == self.table.size:
            return sum(len(each.rows) for each in postings)
        alive = self.table.alive
        return sum(int(np.count_nonzero(alive[each.block][each.rows])) for each in postings)

    @cached_property
    def _mean_idf(self) -> float:
        if not self.bm25.needs_mean_idf:
            return 0.0
        return self.bm25.mean_idf(self.index.frequencies(self.table.alive), self.index.count)
