"""What is measured of one collection with one embedder; everything later works on its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from fusion_study.families import Values
from fusion_study.methods import BY_WEIGHT, BY_WINDOW, FILL, GRID, METHODS, candidate
from plait.collection.settings import PRIOR
from plait.evaluation import Candidate, Qrels, Recording
from plait.evaluation.self_supervised import SelfTuning, features, likeness, weigh
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.scoring import Scorer
from plait.fusion import Auto
from plait.types import Ranking

MEASURE = "nDCG@10"
EXPONENTS = (0.0, 0.25, 0.5, 1.0)
TRUSTS = tuple(product(EXPONENTS, EXPONENTS))  # of auto's coverage and lead; first comes rsf


@dataclass(frozen=True)
class Measured:
    """Values of the measure, one per question.

    Attributes:
        methods: By method.
        windows: By method and window; empty where they were not varied.
        weights: By method and part of the dense leg, likewise.
        trusted: Of ``auto``, shape (``TRUSTS``, parts of the dense leg, questions).
        sentences: The same for sentences taken out of chunks, as ``plait tune --self`` asks them.
        likeness: How much each sentence counts when the users' questions are known.
        tuned: The part of the dense leg that ``plait tune --self`` takes, by column of the study.
        filled: By method, without and with the legs scoring each other's hits.
        facts: Figures about the legs.
    """

    family: str
    collection: str
    embedder: str
    documents: int
    topics: tuple[str, ...]
    methods: Mapping[str, np.ndarray]
    windows: Mapping[tuple[str, int], np.ndarray]
    weights: Mapping[tuple[str, float], np.ndarray]
    trusted: np.ndarray
    sentences: np.ndarray
    likeness: np.ndarray
    tuned: Mapping[str, float]
    filled: Mapping[str, tuple[np.ndarray, np.ndarray]]
    facts: Mapping[str, float]

    def values(self, row: np.ndarray) -> Values:
        return Values(self.family, self.collection, self.topics, row)

    @property
    def better(self) -> str:
        """The leg with the higher mean on these questions, which nobody knows beforehand."""
        return max(("BM25", "dense"), key=lambda leg: float(self.methods[leg].mean()))


@dataclass(frozen=True)
class Asked:
    """What the legs returned for the users' questions, and for sentences taken out of chunks.

    ``known`` is the part of the questions' words that some document has.
    """

    recording: Recording
    qrels: Qrels
    sentences: Recording
    known: float

    @property
    def origins(self) -> Qrels:
        """A sentence is to find the chunk that it was taken out of, by whose id it is called."""
        return Qrels({topic: {topic: 1} for topic in self.sentences.rankings})

    @staticmethod
    def scorer(recording: Recording, qrels: Qrels) -> Scorer:
        return Scorer(recording, qrels, CutMeasure.parse(MEASURE))


def scored(scorer: Scorer, candidates: Mapping[Any, Candidate]) -> dict[Any, np.ndarray]:
    rows = scorer.scores(list(candidates.values()), range(len(scorer.topics)))
    return dict(zip(candidates, rows, strict=True))


def trust_curves(scorer: Scorer) -> np.ndarray:
    """The measure of ``auto``, shape (``TRUSTS``, parts of the dense leg, questions)."""
    every = [
        candidate(Auto(coverage=coverage, lead=lead), dense=part)
        for coverage, lead in TRUSTS
        for part in GRID
    ]
    rows = scorer.scores(every, range(len(scorer.topics)))
    return rows.reshape(len(TRUSTS), len(GRID), -1)


def measure(names: tuple[str, str, str], documents: int, asked: Asked, *, vary: bool) -> Measured:
    """Measure what was recorded; ``names`` are family, collection and embedder."""
    scorer = asked.scorer(asked.recording, asked.qrels)
    return Measured(
        *names,
        documents,
        scorer.topics,
        methods=scored(scorer, METHODS),
        windows=scored(scorer, BY_WINDOW) if vary else {},
        weights=scored(scorer, BY_WEIGHT) if vary else {},
        trusted=trust_curves(scorer),
        sentences=trust_curves(asked.scorer(asked.sentences, asked.origins)),
        likeness=likeness(
            features(asked.sentences.rankings.values()),
            features(asked.recording.rankings.values()),
        ),
        tuned={
            "chunks": tuned(weigh(asked.sentences, None, seed=0)),
            "log": tuned(weigh(asked.sentences, asked.recording, seed=0)),
        },
        filled=filled(scorer, asked),
        facts={"known": asked.known, **facts(asked.recording, asked.qrels)},
    )


def filled(scorer: Scorer, asked: Asked) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if not asked.recording.filled:
        return {}
    whole = replace(asked.recording, rankings=asked.recording.filled)
    plain, more = scored(scorer, FILL), scored(asked.scorer(whole, asked.qrels), FILL)
    return {name: (plain[name], more[name]) for name in FILL}


def tuned(found: SelfTuning) -> float:
    """The part of the dense leg; plait's own where there was too little to learn from."""
    weights = PRIOR if found.tuning is None else found.tuning.weights
    return round(weights["dense"] / sum(weights.values()), 9)


def facts(recording: Recording, qrels: Qrels) -> dict[str, float]:
    """What explains where a fusion hurts.

    ``overlap`` is how much of the legs' first ten is the same; ``dense lacks`` the part of the
    relevant hits among BM25's first ten that the dense leg does not return at all, and the other
    way around.
    """
    overlaps = []
    lacking: dict[str, list[float]] = {"dense lacks": [], "BM25 lacks": []}
    for topic, (dense, bm25) in recording.rankings.items():
        overlaps.append(len(set(dense.ids[:10]) & set(bm25.ids[:10])) / 10)
        relevant = {name for name, grade in qrels[topic].items() if grade > 0}
        lacking["dense lacks"] += lacks(relevant.intersection(bm25.ids[:10]), dense)
        lacking["BM25 lacks"] += lacks(relevant.intersection(dense.ids[:10]), bm25)
    return {"overlap": mean(overlaps), **{name: mean(each) for name, each in lacking.items()}}


def lacks(relevant: Iterable[str | None], ranking: Ranking) -> list[float]:
    return [float(name not in ranking.ids) for name in relevant]


def mean(values: Iterable[float]) -> float:
    held: Sequence[float] = list(values)
    return round(float(np.mean(held)), 4) if held else 0.0
