"""What the best answers are, worked out without any of the systems that are measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

K1, B = 1.5, 0.75
RRF = 60
EQUAL = 1e-9  # relative: sums in another order


def best_by_words(
    texts: Iterable[str], queries: Sequence[str], count: int
) -> tuple[list[Any], list[Any]]:
    """The best ``count`` documents of each query by BM25 (Lucene's, k1=1.5, b=0.75).

    A document's score is the sum over the query's words of idf * tf / (tf + k1 (1 - b + b dl/avg)),
    idf = ln(1 + (N - n + 0.5) / (n + 0.5)). Words are what stands between spaces.

    Returns:
        Numbers and scores (float64) per query, best first, at equal scores by number, with all
        that are as good as the last one. Documents without a word of the query are left out.
    """
    asked = [query.split() for query in queries]
    postings: dict[str, dict[int, int]] = {word: {} for words in asked for word in words}
    lengths = []
    for number, text in enumerate(texts):
        words = text.split()
        lengths.append(len(words))
        for word in words:
            found = postings.get(word)
            if found is not None:
                found[number] = found.get(number, 0) + 1
    sizes = np.array(lengths, dtype=np.float64)
    norms = K1 * (1 - B + B * sizes / sizes.mean())
    shares = {}
    for word, found in postings.items():
        at = np.fromiter(found, dtype=np.int64, count=len(found))
        tf = np.fromiter(found.values(), dtype=np.float64, count=len(found))
        idf = math.log1p((len(sizes) - len(found) + 0.5) / (len(found) + 0.5))
        shares[word] = (at, idf * tf / (tf + norms[at]))
    numbers, scores = [], []
    totals = np.zeros(len(sizes))
    for words in asked:
        for word in words:
            at, share = shares[word]
            totals[at] += share
        touched = np.unique(np.concatenate([shares[word][0] for word in words]))
        best = touched[np.argsort(-totals[touched], kind="stable")]
        if len(best) > count:
            best = best[totals[best] >= totals[best[count - 1]] * (1 - EQUAL)]
        numbers.append(best)
        scores.append(totals[best].copy())
        totals[touched] = 0
    return numbers, scores


def recall(found: Sequence[int], best: Sequence[int], scores: Sequence[float], count: int) -> float:
    """Share of the best ``count`` that was found; of several that are equal any will do.

    Args:
        found: What a system found, best first.
        best: The exact best, with all that are as good as the last of them.
        scores: Of these.
        count: How many are looked at, on both sides.
    """
    due = min(count, len(best))
    if not due:
        return 1.0
    least = scores[due - 1] - EQUAL * abs(scores[due - 1])
    deserving = {each for each, score in zip(best, scores, strict=True) if score >= least}
    return len(deserving & set(found[:due])) / due


class FusedTruth:
    """Reciprocal rank fusion (k=60) of the best ``window`` by words and by vectors, exact.

    Documents of equal score share the best rank of their group, so that no system is blamed for
    the order in which it breaks a tie.
    """

    def __init__(
        self, legs: Sequence[tuple[Sequence[int], Sequence[float]]], *, window: int
    ) -> None:
        plain: dict[int, float] = {}
        self._shared: dict[int, float] = {}
        for numbers, scores in legs:
            first, last = 0, None
            for place, (number, score) in enumerate(zip(numbers, scores, strict=True)):
                if last is None or not math.isclose(score, last, rel_tol=EQUAL):
                    first, last = place, score
                if place < window:
                    plain[number] = plain.get(number, 0.0) + 1 / (RRF + place + 1)
                if first < window:
                    share = 1 / (RRF + first + 1)
                    self._shared[number] = self._shared.get(number, 0.0) + share
        self._scores = sorted(plain.values(), reverse=True)

    def recall(self, found: Sequence[int], count: int) -> float:
        """Share of the first ``count`` found that deserve to be among the best ``count``."""
        due = min(count, len(self._scores))
        if not due:
            return 1.0
        least = self._scores[due - 1] * (1 - EQUAL)
        return sum(self._shared.get(number, 0.0) >= least for number in found[:due]) / due
