"""tune_self: the weights of a collection, learned from its own chunks, without judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.collection import Collection, Snapshot
from plait.collection.settings import PRIOR
from plait.collection.tuning import Tuning
from plait.errors import ConfigurationError
from plait.evaluation.frozen import check_count
from plait.evaluation.qrels import Qrels
from plait.evaluation.recorder import record
from plait.evaluation.recording import Recording
from plait.evaluation.self_supervised.holding_out import HeldOut, hold_out
from plait.evaluation.self_supervised.shift import features, likeness
from plait.evaluation.topics import Topics
from plait.evaluation.tuning.choosing import as_good, distance
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.space import Candidate, Space
from plait.fusion import Auto

__all__ = ["SelfTuning", "tune_self", "weigh"]

Floats: TypeAlias = NDArray[np.float64]

MEASURE = "nDCG@10"
WINDOW = 200
_STEPS = 10
_ENOUGH = 30  # sentences, or sentences' worth after weighting, below which nothing is learned


@dataclass(frozen=True)
class SelfTuning:
    """What held-out sentences say of the weights.

    Attributes:
        tuning: The choice, to be stored with ``Collection.apply``; None if there were too few
            sentences, and the default weights stay.
        answer: What was decided and why, in a sentence.
        curve: The measure on the sentences by weight of the first leg, 0 to 1.
        as_good: Least and greatest weight of the first leg that the sentences cannot tell from the
            best: how sure the choice is.
        legs: Names of the legs.
        sentences: How many were asked.
        queries: How many of the users' queries they were made to resemble; 0 for none.
        effective: As how many equal ones the weighted sentences count (Kish).
        seed: Of the choice of sentences.
    """

    tuning: Tuning | None
    answer: str
    curve: Mapping[float, float] = field(repr=False)
    as_good: tuple[float, float]
    legs: tuple[str, ...]
    sentences: int
    queries: int
    effective: float
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "answer": self.answer,
            "tuning": None if self.tuning is None else self.tuning.to_dict(),
            "legs": list(self.legs),
            "curve": [{"weight": weight, MEASURE: value} for weight, value in self.curve.items()],
            "as_good": list(self.as_good),
            "sentences": self.sentences,
            "queries": self.queries,
            "effective": self.effective,
            "seed": self.seed,
        }


def tune_self(
    source: Collection | Snapshot,
    *,
    queries: Topics | None = None,
    count: int = 300,
    seed: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> SelfTuning:
    """Learn the weights of a collection's two legs from its own chunks.

    Takes a sentence out of each of some chunks, asks it, and looks how well every mix of the legs
    finds the rest of the chunk. Of the weights that are not distinguishable from the best (one
    standard error), the one nearest the default is chosen. So thin evidence changes little.

    Chunks cannot show how users ask. Queries out of a log need no judgments: each sentence then
    counts as far as the legs' answers to it are like those to the queries.

    The vectors of the shortened chunks and of the sentences are made by the collection's embedder:
    some seconds to minutes for 300. Nothing is written; store it with ``Collection.apply``. How
    well this does on collections that it was not designed on is in docs/fusion-study.md.

    Args:
        source: A collection, or a snapshot of one.
        queries: Queries as users asked them.
        count: Sentences to ask, >= 1.
        seed: Of the choice of sentences; the same chunks and seed give the same result.
        progress: Called with how many questions are done, and how many there are.

    Raises:
        ConfigurationError: A collection without vectors, with vectors that were brought along (no
            embedder can make others), or without chunks.
        EmbeddingError: What the embedder raises.
    """
    check_count(count, "count")
    with ExitStack() as stack:
        if isinstance(source, Collection):
            source = stack.enter_context(source.snapshot())
        if not isinstance(source, Snapshot):
            raise ConfigurationError(
                f"source is {type(source).__name__}, expected a Collection or a Snapshot"
            )
        hybrid = source.retriever()
        if len(hybrid.legs) < 2:
            raise ConfigurationError(
                "the collection is searched by words only, so there are no weights to tune; "
                "kb.reembed(embedder) gives it vectors"
            )
        held = hold_out(source, source.analyzer, count, seed=seed)
        if not held:
            raise ConfigurationError(
                "no chunk is long enough to take a sentence out of it; index documents first"
            )
        total = len(held) + (0 if queries is None else len(queries))
        told = _Teller(progress, total)
        asked = source.exchanging([each.rest for each in held])
        sentences = record(asked, _topics(held), fetch_k=WINDOW, by="chunk", progress=told.from_(0))
        real = None
        if queries is not None:
            real = record(hybrid, queries, fetch_k=WINDOW, progress=told.from_(len(held)))
        return weigh(sentences, real, seed=seed, generation=source.generation)


def weigh(
    sentences: Recording, queries: Recording | None, *, seed: int, generation: int | None = None
) -> SelfTuning:
    """The weights that the answers to held-out sentences speak for.

    Args:
        sentences: What the legs returned for each sentence; the id of a topic is that of the chunk
            that it was taken out of.
        queries: What they returned for users' queries, None without.
        seed: With which the sentences were chosen, for the evidence.
        generation: Of the collection, likewise.
    """
    legs = sentences.legs
    qrels = Qrels({topic: {topic: 1} for topic in sentences.rankings})
    scorer = Scorer(sentences, qrels, CutMeasure.parse(MEASURE))
    candidates = Space((Auto(),), (WINDOW,), _STEPS).candidates(len(legs))
    scores = scorer.scores(candidates, range(len(scorer.topics)))
    counts = np.ones(scores.shape[1])
    if queries is not None:
        counts = likeness(
            features(sentences.rankings.values()), features(queries.rankings.values())
        )
    effective = float(counts.sum() ** 2 / (counts**2).sum())
    default = Candidate(Auto(), WINDOW, tuple([PRIOR[leg] for leg in legs]))
    near = as_good(scores, counts)
    distances = [distance(candidate, default) for candidate in candidates]
    means = scores @ counts / counts.sum()
    chosen = min(near, key=lambda row: (distances[row], -means[row], row))
    firsts = [candidates[row].weights[0] for row in near]
    result = _Found(
        legs, candidates, means, chosen, (min(firsts), max(firsts)), effective, len(scorer.topics)
    )
    return result.told(0 if queries is None else len(queries.rankings), seed, generation)


@dataclass(frozen=True)
class _Found:
    """What the sentences say, before it is put into words."""

    legs: tuple[str, ...]
    candidates: Sequence[Candidate]
    means: Floats
    chosen: int
    as_good: tuple[float, float]
    effective: float
    sentences: int

    def told(self, queries: int, seed: int, generation: int | None) -> SelfTuning:
        curve = {
            each.weights[0]: float(mean)
            for each, mean in zip(self.candidates, self.means, strict=True)
        }
        enough = self.effective >= _ENOUGH
        return SelfTuning(
            tuning=self._tuning(curve, queries, seed, generation) if enough else None,
            answer=self._answer(enough),
            curve=curve,
            as_good=self.as_good,
            legs=self.legs,
            sentences=self.sentences,
            queries=queries,
            effective=self.effective,
            seed=seed,
        )

    def _weights(self) -> dict[str, float]:
        return dict(zip(self.legs, self.candidates[self.chosen].weights, strict=True))

    def _answer(self, enough: bool) -> str:
        if not enough:
            return (
                f"keep the default: {self.effective:.0f} sentences' worth of evidence, at least "
                f"{_ENOUGH} are needed"
            )
        weights = ", ".join(f"{leg} {weight:g}" for leg, weight in self._weights().items())
        low, high = self.as_good
        sure = f"as good as any from {low:g} to {high:g}" if low < high else "better than any other"
        return f"{weights}: a {self.legs[0]} weight that is {sure}, on {self.sentences} sentences"

    def _tuning(
        self, curve: Mapping[float, float], queries: int, seed: int, generation: int | None
    ) -> Tuning:
        evidence = {
            "by": "held-out sentences",
            "measure": MEASURE,
            "sentences": self.sentences,
            "queries": queries,
            "effective": self.effective,
            "curve": [round(value, 6) for value in curve.values()],
            "as_good": list(self.as_good),
            "seed": seed,
            "generation": generation,
        }
        return Tuning(Auto(), self._weights(), WINDOW, evidence)


class _Teller:
    """Tells how far two recordings are together."""

    def __init__(self, progress: Callable[[int, int], object] | None, total: int) -> None:
        self._progress = progress
        self._total = total

    def from_(self, before: int) -> Callable[[int, int], object] | None:
        progress = self._progress
        if progress is None:
            return None
        return lambda done, _: progress(before + done, self._total)


def _topics(held: Sequence[HeldOut]) -> Topics:
    return Topics({str(each.rest.id): each.sentence for each in held})
