"""Score many parameters of BM25 over one analyzed corpus, and measure the rankings.

The formulas are the product's, term by term; only the loop over parameters is this module's. The
order of a ranking is that of `LexicalView.rank`, a document standing where its best unit stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation.tuning.measure import CutMeasure
from plait.lexical.bm25 import Bm25
from plait.lexical.index import LexicalIndex, Postings

Floats: TypeAlias = NDArray[np.float64]
Ordinals: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Scorer:
    """The units of documents, analyzed once.

    Attributes:
        index: The terms of the units, each document's next to each other, documents by id.
        owners: The document of each unit, ascending, shape (units,).
        points: The parameters to score with.
    """

    index: LexicalIndex
    owners: Ordinals
    points: Sequence[Bm25]

    def rankings(self, terms: Sequence[str], depth: int) -> list[Ordinals]:
        """The best documents for the terms of a query, best first, for each of the points."""
        asked = list(self._asked(terms))
        if not asked:
            return [np.zeros(0, dtype=np.int64)] * len(self.points)
        rows = np.concatenate([postings.rows for _, postings in asked])
        units = np.flatnonzero(np.bincount(rows, minlength=self.index.size))
        place = np.zeros(self.index.size, dtype=np.int64)
        place[units] = np.arange(len(units))
        places = place[rows]
        tf = np.concatenate([postings.tf for _, postings in asked])
        relative = self._relative[rows]
        sizes = [len(postings.rows) for _, postings in asked]
        owners = self.owners[units]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        documents = owners[starts]
        found = []
        for point, mean in zip(self.points, self._mean_idfs, strict=True):
            weights = [
                repeats * point.idf(size, self.index.count, mean)
                for (repeats, _), size in zip(asked, sizes, strict=True)
            ]
            shares = np.repeat(weights, sizes) * point.frequency(tf, relative)
            # bincount adds in the order of the shares: that of the query's terms.
            sums = np.bincount(places, shares).astype(np.float32)
            found.append(documents[_first(np.maximum.reduceat(sums, starts), depth)])
        return found

    def _asked(self, terms: Sequence[str]) -> Iterator[tuple[int, Postings]]:
        """How often each term is asked for, and where it is; the index is in one piece."""
        for term, repeats in Counter(terms).items():
            for postings in self.index.postings(term):
                yield repeats, postings

    @cached_property
    def _relative(self) -> NDArray[np.float64]:
        """The length of each document over the mean length."""
        lengths = np.concatenate([segment.lengths for segment in self.index.segments])
        return lengths / ((self.index.length / self.index.count) or 1.0)

    @cached_property
    def _mean_idfs(self) -> list[float]:
        frequencies = self.index.frequencies(np.ones(self.index.size, dtype=np.bool_))
        sizes = Counter(frequencies.values())
        return [point.mean_idf(sizes, self.index.count) for point in self.points]

    def measure(
        self,
        terms: Sequence[Sequence[str]],
        judged: Sequence[Mapping[int, int]],
        measures: Sequence[CutMeasure],
    ) -> Floats:
        """The measures of all queries.

        Args:
            terms: What each query asks for.
            judged: Its grades by document.
            measures: What to measure.

        Returns:
            Shape (measures, points, queries).
        """
        depth = max(measure.cutoff for measure in measures)
        values = np.zeros((len(measures), len(self.points), len(terms)))
        grades = np.zeros(int(self.owners[-1]) + 1, dtype=np.int64)
        for query, (asked, known) in enumerate(zip(terms, judged, strict=True)):
            grades[list(known)] = list(known.values())
            table = np.zeros((len(self.points), depth), dtype=np.int64)
            for row, ranking in zip(table, self.rankings(asked, depth), strict=True):
                row[: len(ranking)] = grades[ranking]
            grades[list(known)] = 0
            for place, measure in enumerate(measures):
                values[place, :, query] = measure.of(table, known.values())
        # BLAS gives the same ranking other last digits beside other rankings.
        return np.round(values, 12)


def _first(scores: NDArray[np.float32], depth: int) -> Ordinals:
    """Positions of the highest scores, ties by position."""
    if len(scores) <= depth:
        return np.argsort(-scores, kind="stable")
    least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
    kept = np.flatnonzero(scores >= least)
    return kept[np.argsort(-scores[kept], kind="stable")[:depth]]
