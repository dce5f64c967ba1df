"""Scoring: the measure of many candidates on the topics of a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.space import Candidate
from plait.fusion import Fusion
from plait.fusion.sweep import Aligned, align, sweep
from plait.types import Ranking

__all__ = ["Scorer"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Scorer:
    """The measure of candidates on those topics of a recording that have judgments.

    For one method and one window the legs' contributions are computed once, and all weightings are
    ordered together; see ``plait.fusion.sweep``. The figures are those of
    ``score_run(recording.fused(...), qrels, [measure])``.

    Args:
        recording: What the legs returned.
        qrels: The judgments.
        measure: What to look at.

    Attributes:
        topics: Ids of the topics that have judgments, in the order of the recording.

    Raises:
        ConfigurationError: No topic of the recording has judgments.
    """

    def __init__(self, recording: Recording, qrels: Qrels, measure: CutMeasure) -> None:
        self.topics = tuple([topic for topic in recording.rankings if topic in qrels])
        if not self.topics:
            raise ConfigurationError(
                f"none of the {len(recording.rankings)} topics has judgments; are the judgments "
                f"for these topics? They begin with {next(iter(qrels), 'nothing')!r}, the topics "
                f"with {next(iter(recording.rankings), 'nothing')!r}"
            )
        self._rankings = [recording.rankings[topic] for topic in self.topics]
        self._grades = [dict(qrels[topic]) for topic in self.topics]
        self._documents = dict(recording.documents)
        self._measure = measure

    def scores(self, candidates: Sequence[Candidate], topics: Sequence[int]) -> Floats:
        """The measure of every candidate on every topic.

        Args:
            candidates: Their windows at most what was recorded, their weights one per leg.
            topics: Places in ``self.topics``.

        Returns:
            Shape (candidates, topics).
        """
        scores = np.zeros((len(candidates), len(topics)))
        groups = _groups(candidates)
        for column, topic in enumerate(topics):
            rankings, grades = self._rankings[topic], self._grades[topic]
            for (window, legs), methods in groups.items():
                pool = _Pool.of([rankings[leg].cut(window) for leg in legs], self._documents)
                known = np.array([grades.get(name, 0) for name in pool.names], dtype=np.int64)
                for fusion, rows, weights in methods:
                    best = pool.documents(sweep(pool.aligned, fusion, weights))
                    seen = known[best[:, : self._measure.cutoff]]
                    scores[rows, column] = self._measure.of(seen, grades.values())
        return scores


_Methods: TypeAlias = list[tuple[Fusion, Ints, Floats]]


def _groups(candidates: Sequence[Candidate]) -> Mapping[tuple[int, tuple[int, ...]], _Methods]:
    """By window and legs that take part: each method, the rows of its candidates, their weights."""
    rows: dict[tuple[int, tuple[int, ...]], dict[Fusion, list[int]]] = {}
    for row, candidate in enumerate(candidates):
        legs = tuple([leg for leg, weight in enumerate(candidate.weights) if weight])
        rows.setdefault((candidate.window, legs), {}).setdefault(candidate.fusion, []).append(row)
    weights = [candidate.weights for candidate in candidates]
    return {
        (window, legs): [
            (fusion, np.array(of), np.array([[weights[row][leg] for leg in legs] for row in of]))
            for fusion, of in methods.items()
        ]
        for (window, legs), methods in rows.items()
    }


@dataclass(frozen=True, slots=True)
class _Pool:
    """The hits of one topic, and the documents that they are parts of.

    Attributes:
        aligned: The rankings.
        names: Ids of the documents.
        chunks: Hits, those of one document together; None where each hit is a document.
        starts: Where each document begins in ``chunks``.
    """

    aligned: Aligned
    names: Sequence[str]
    chunks: Ints | None
    starts: Ints | None

    @classmethod
    def of(cls, rankings: Sequence[Ranking], documents: Mapping[str, str]) -> Self:
        aligned = align(rankings)
        names = [documents.get(chunk, chunk) for chunk in aligned.ids] if documents else aligned.ids
        distinct = list(dict.fromkeys(names))
        if len(distinct) == len(names):
            return cls(aligned, names, None, None)
        places = dict(zip(distinct, range(len(distinct)), strict=True))
        document = np.array([places[name] for name in names])
        chunks = np.argsort(document, kind="stable")
        return cls(
            aligned, distinct, chunks, np.searchsorted(document[chunks], np.arange(len(distinct)))
        )

    def documents(self, orders: Ints) -> Ints:
        """Orders of documents, each where its best chunk stands, from orders of hits."""
        if self.chunks is None or self.starts is None:
            return orders
        positions = np.empty_like(orders)
        np.put_along_axis(positions, orders, np.arange(orders.shape[1])[None, :], axis=1)
        best = np.minimum.reduceat(positions[:, self.chunks], self.starts, axis=1)
        return np.argsort(best, axis=1)
