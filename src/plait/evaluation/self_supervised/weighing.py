"""weigh: from what the legs returned for held-out sentences to the weights that they speak for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from plait.collection.settings import PRIOR
from plait.collection.tuning import Tuning
from plait.errors import ConfigurationError, RetrievalError
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.evaluation.self_supervised.result import MEASURE, SelfTuning
from plait.evaluation.self_supervised.shift import features, likeness
from plait.evaluation.tuning.choosing import as_good, distance
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.space import Candidate, Space
from plait.fusion import Auto
from plait.types import Ranking

__all__ = ["WINDOW", "weigh"]

WINDOW = 200
"""Candidates of each leg."""

_STEPS = 10
_FAINT = 0.1  # a best mean below which hardly any chunk was found
_ENOUGH = 30  # sentences, or sentences' worth after weighting, below which nothing is learned


def weigh(
    sentences: Recording, queries: Recording | None, *, seed: int, generation: int | None = None
) -> SelfTuning:
    """The weights that the answers to held-out sentences speak for.

    Sentences and queries for which a leg failed are left out: nothing is learned from a failure.

    Args:
        sentences: What the legs of a collection returned for each sentence; the id of a topic is
            that of the chunk that it was taken out of.
        queries: What they returned for users' queries, None without.
        seed: With which the sentences were chosen, for the evidence.
        generation: Of the collection, likewise.

    Raises:
        ConfigurationError: Other legs than the two of a collection.
        RetrievalError: A leg failed for every sentence, or for every query.
    """
    legs = sentences.legs
    if set(legs) != PRIOR.keys() or (queries is not None and queries.legs != legs):
        raise ConfigurationError(
            f"the legs are {', '.join(legs)}; expected the two of a collection, "
            f"{' and '.join(PRIOR)}, of both recordings in the same order"
        )
    found = _answered(sentences, "sentences")
    asked = {} if queries is None else _answered(queries, "queries")
    scorer = Scorer(
        sentences, Qrels({topic: {topic: 1} for topic in found}), CutMeasure.parse(MEASURE)
    )
    candidates = Space((Auto(),), (WINDOW,), _STEPS).candidates(len(legs))
    scores = scorer.scores(candidates, range(len(scorer.topics)))
    counts = np.ones(len(found))
    if asked:
        counts = likeness(features(found.values()), features(asked.values()))
    default = Candidate(Auto(), WINDOW, tuple([PRIOR[leg] for leg in legs]))
    near = as_good(scores, counts)
    distances = [distance(candidate, default) for candidate in candidates]
    means = scores @ counts / counts.sum()
    chosen = min(near, key=lambda row: (distances[row], -means[row], row))
    firsts = [candidates[row].weights[0] for row in near]
    result = SelfTuning(
        tuning=None,
        answer="",
        curve=MappingProxyType(
            {each.weights[0]: float(mean) for each, mean in zip(candidates, means, strict=True)}
        ),
        as_good=(min(firsts), max(firsts)),
        legs=legs,
        sentences=len(found),
        queries=len(asked),
        effective=float(counts.sum() ** 2 / (counts**2).sum()),
        seed=seed,
        notes=(
            *_left_out(sentences, "sentences"),
            *_left_out(queries, "queries"),
            *_faint(float(means.max())),
        ),
    )
    weights = dict(zip(legs, candidates[chosen].weights, strict=True))
    tuning = None
    if result.effective >= _ENOUGH:
        tuning = Tuning(Auto(), weights, WINDOW, _evidence(result, generation))
    return replace(result, tuning=tuning, answer=_answer(result, weights))


def _answered(recording: Recording, what: str) -> dict[str, tuple[Ranking, ...]]:
    """What the legs returned where none failed."""
    failures = recording.failures
    found = {topic: legs for topic, legs in recording.rankings.items() if topic not in failures}
    if not found:
        first = "; ".join(f"{leg}: {said}" for leg, said in next(iter(failures.values())).items())
        raise RetrievalError(f"a leg failed for all of the {len(failures):,} {what}: {first}")
    return found


def _left_out(recording: Recording | None, what: str) -> tuple[str, ...]:
    if recording is None or not recording.failures:
        return ()
    failed, whole = len(recording.failures), len(recording.rankings)
    return (f"a leg failed for {failed:,} of {whole:,} {what}, which are left out",)


def _faint(best: float) -> tuple[str, ...]:
    if best >= _FAINT:
        return ()
    said = (
        f"hardly any sentence finds its chunk, {MEASURE} {best:.3f} at best: chunks are alike, or "
        "not in the embedder's language, and the weights may not fit real questions"
    )
    return (said,)


def _answer(result: SelfTuning, weights: Mapping[str, float]) -> str:
    """What was decided and why."""
    if result.effective < _ENOUGH:
        return (
            f"keep the default weights: {result.effective:.0f} sentences' worth of evidence, at "
            f"least {_ENOUGH} are needed"
        )
    named = ", ".join(f"{leg} {weight:g}" for leg, weight in weights.items())
    decided = f"take {named}"
    if weights == PRIOR:
        decided = f"keep the default weights, {named}"
    (low, high), first = result.as_good, result.legs[0]
    asked = f"{result.sentences:,} sentences"
    if low == high:
        return f"{decided}: on {asked} no other weight is as good"
    return f"{decided}: on {asked} a {first} weight from {low:g} to {high:g} is as good as any"


def _evidence(result: SelfTuning, generation: int | None) -> dict[str, Any]:
    return {
        "by": "held-out sentences",
        "measure": MEASURE,
        "sentences": result.sentences,
        "queries": result.queries,
        "effective": result.effective,
        "curve": [round(value, 6) for value in result.curve.values()],
        "as_good": list(result.as_good),
        "seed": result.seed,
        "generation": generation,
    }
