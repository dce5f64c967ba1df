"""LexicalView: the terms of one state, and the ranking that they give a query."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from plait.filters import Filter
from plait.lexical.bm25 import Bm25
from plait.lexical.part import Asked, LexicalPart
from plait.table import merge_rankings
from plait.text import Analyzer
from plait.types import Ranking

__all__ = ["LexicalView"]

_PLAIN = Bm25()


@dataclass(frozen=True, eq=False)
class LexicalView:
    """One state of a set of chunks with their terms.

    The arithmetic is defined to the last bit, so that neither the history of the index shows nor
    how it lies in parts: integer numbers of chunks, frequencies and lengths; a float64 weight of
    each term, (times in the query) * idf; each chunk's shares added in float64, in the order in
    which the query first has the terms; the sum rounded to float32.

    Attributes:
        parts: The rows; no id is alive in two parts.
        analyzer: What the parts were made with.
        bm25: How to score.

    Example:
        >>> from plait.lexical import LexicalIndex, MemoryTerms
        >>> from plait.table import ChunkTable
        >>> table, analyzer = ChunkTable(), Analyzer()
        >>> _ = table.add(["a", "b"], [{}, {}])
        >>> index = LexicalIndex().added(map(analyzer.analyze, ["error E1042", "cats purr"]))
        >>> view = LexicalView((MemoryTerms(table.view(), index),), analyzer, Bm25())
        >>> view.rank("E1042", top_k=5).ids
        ('a',)
    """

    parts: tuple[LexicalPart, ...]
    analyzer: Analyzer
    bm25: Bm25

    def rank(
        self, text: str, *, top_k: int, filter: Filter | None = None, name: str = "bm25"
    ) -> Ranking:
        """The best ``top_k`` of the chunks that share a term with the query, ties by id.

        Args:
            text: The query.
            top_k: >= 1; fewer come back if fewer share a term and pass.
            filter: Applied before ranking.
            name: Name of the leg.

        Returns:
            A ranking whose ``total`` is the number of all that share a term and pass, or None if
            not all of them were looked at.
        """
        repeats = self._repeats(text)
        found = self._frequencies(repeats)
        asked = self._asked(repeats, found)
        best = merge_rankings(
            [part.rank(asked, top_k=top_k, keep=filter) for part in self.parts], top_k
        )
        return Ranking(
            leg=name,
            ids=best.ids,
            scores=best.scores,
            chunks=best.chunks,
            score_range=self.bm25.score_range,
            total=best.total,
            coverage=self._coverage(repeats, found, best.scores[0] if best.scores else 0.0),
        )

    def score(
        self, text: str, ids: Iterable[str], *, filter: Filter | None = None
    ) -> dict[str, float]:
        """The scores that ``rank`` gives these chunks, however far down they stand.

        Those that share no term with the query, do not pass or are not there are left out.
        """
        repeats = self._repeats(text)
        asked = self._asked(repeats, self._frequencies(repeats))
        wanted = list(ids)
        found: dict[str, float] = {}
        for part in self.parts:
            found |= part.score(asked, wanted, filter)
        return found

    def weights(self, text: str) -> dict[str, float]:
        """How much each term of a query tells: the idf of ``Bm25()``, which is above 0.

        Terms that no chunk has are left out.
        """
        repeats = self._repeats(text)
        found = zip(repeats, self._frequencies(repeats), strict=True)
        return {term: self._telling(n) for term, n in found if n}

    @cached_property
    def count(self) -> int:
        """How many chunks there are."""
        return sum(part.count for part in self.parts)

    @cached_property
    def _mean(self) -> float:
        """The mean of their lengths; 1 if all are blank."""
        length = sum(part.length for part in self.parts)
        return length / self.count if length else 1.0

    @cached_property
    def _mean_idf(self) -> float:
        if not self.bm25.needs_mean_idf:
            return 0.0
        frequencies: Counter[str] = Counter()
        for part in self.parts:
            frequencies.update(part.frequencies())
        return self.bm25.mean_idf(Counter(frequencies.values()), self.count)

    def _repeats(self, text: str) -> Mapping[str, int]:
        """The distinct terms of a query, in order of first occurrence: how often it has each."""
        terms = self.analyzer.query_terms(text)
        repeats = dict.fromkeys(terms, 0)
        for term in terms:
            repeats[term] += 1
        return repeats

    def _frequencies(self, terms: Iterable[str]) -> Sequence[int]:
        """How many chunks have each of some distinct terms."""
        distinct = tuple(terms)
        counts = [part.counts(distinct) for part in self.parts]
        return counts[0] if len(counts) == 1 else [sum(each) for each in zip(*counts, strict=True)]

    def _asked(self, repeats: Mapping[str, int], found: Sequence[int]) -> Asked:
        idf, count, mean = self.bm25.idf, self.count, self._mean_idf
        weights = {
            term: times * idf(n, count, mean)
            for (term, times), n in zip(repeats.items(), found, strict=True)
            if n
        }
        return Asked(tuple(weights), tuple(weights.values()), self._mean, self.bm25)

    def _coverage(
        self, repeats: Mapping[str, int], found: Sequence[int], top: float
    ) -> float | None:
        """The top score as a part of the highest that any text could get, between 0 and 1.

        A term that no chunk has weighs as the rarest, so a query in another language than the
        chunks, of which names and numbers match, comes out low. None for no terms.
        """
        telling = map(self._telling, found)
        highest = math.fsum(map(operator.mul, repeats.values(), telling))
        return min(1.0, max(0.0, top / (highest * self.bm25.peak))) if highest else None

    def _telling(self, n: int) -> float:
        """How much a term tells that n chunks have: the idf of ``Bm25()``, which is above 0."""
        return _PLAIN.idf(n, self.count)
