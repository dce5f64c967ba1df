"""What is measured of one collection with one embedder; everything later works on its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from fusion_study.families import Values
from fusion_study.methods import BY_WEIGHT, BY_WINDOW, GRID, METHODS, candidate
from plait.collection.settings import PRIOR
from plait.evaluation import Candidate, Qrels, Recording, Topics, diagnose
from plait.evaluation.self_supervised import SelfTuning, features, likeness, weigh
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.scoring import Scorer
from plait.fusion import Auto

MEASURE = "nDCG@10"
DIAGNOSED = 100  # questions that plait diagnose looks at
EXPONENTS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Measured:
    """Values of the measure, one per question.

    Attributes:
        methods: By method.
        windows: By method and window; empty where they were not varied.
        weights: By method and part of the dense leg, likewise.
        trusted: Of ``auto``, shape (exponents, parts of the dense leg, questions).
        sentences: The same for sentences taken out of chunks, as ``plait tune --self`` asks them.
        likeness: How much each sentence counts when the users' questions are known.
        tuned: The part of the dense leg that ``plait tune --self`` takes, by column of the study.
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
    facts: Mapping[str, Any]

    def values(self, row: np.ndarray) -> Values:
        return Values(self.family, self.collection, self.topics, row)

    @property
    def better(self) -> str:
        """The leg with the higher mean on these questions, which nobody knows beforehand."""
        return max(("BM25", "dense"), key=lambda leg: float(self.methods[leg].mean()))


@dataclass(frozen=True)
class Asked:
    """What the legs returned for the users' questions, and for sentences taken out of chunks."""

    recording: Recording
    qrels: Qrels
    sentences: Recording

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
    """The measure of ``auto`` over exponents and weights; shape (exponents, parts, questions)."""
    every = [
        candidate(Auto(coverage=exponent), dense=part) for exponent in EXPONENTS for part in GRID
    ]
    rows = scorer.scores(every, range(len(scorer.topics)))
    return rows.reshape(len(EXPONENTS), len(GRID), -1)


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
        facts=facts(asked.recording, asked.qrels),
    )


def tuned(found: SelfTuning) -> float:
    """The part of the dense leg; plait's own where there was too little to learn from."""
    weights = PRIOR if found.tuning is None else found.tuning.weights
    return round(weights["dense"] / sum(weights.values()), 9)


def facts(recording: Recording, qrels: Qrels) -> dict[str, Any]:
    """What explains where a fusion helps or hurts."""
    found = [reach(recording, qrels, topic) for topic in recording.topics]
    known = [rankings[1].coverage for rankings in recording.rankings.values()]
    told = diagnose(first(recording, DIAGNOSED), qrels=qrels, fusion="rrf(k=60)")
    return {
        "coverage": mean(value for value in known if value is not None),
        "overlap": mean(each[0] for each in found),
        "only_dense": mean(each[1] for each in found),
        "only_bm25": mean(each[2] for each in found),
        "diagnosis": [finding.kind for finding in told.findings if finding.severity != "info"],
    }


def first(recording: Recording, count: int) -> Recording:
    """The recording of its first topics only."""
    topics = Topics(dict(islice(recording.topics.items(), count)))
    rankings = {topic: recording.rankings[topic] for topic in topics}
    return replace(recording, topics=topics, rankings=rankings)


def reach(recording: Recording, qrels: Qrels, topic: str) -> tuple[float, bool, bool]:
    """Overlap of the first ten, and whether one leg alone has a relevant document among them."""
    dense, bm25 = (set(ranking.ids[:10]) for ranking in recording.rankings[topic])
    relevant = {name for name, grade in qrels[topic].items() if grade > 0}
    found = bool(relevant & dense), bool(relevant & bm25)
    return len(dense & bm25) / 10, found == (True, False), found == (False, True)


def mean(values: Iterable[float]) -> float:
    held: Sequence[float] = list(values)
    return round(float(np.mean(held)), 4) if held else 0.0
