"""tune: method, window and weights chosen on labelled topics, and whether the gain is real."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.collection.tuning import Tuning
from plait.errors import ConfigurationError
from plait.evaluation.evaluation import Estimate
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.evaluation.statistics import bootstrap_interval, randomization_test
from plait.evaluation.tuning.choosing import distance
from plait.evaluation.tuning.folds import part
from plait.evaluation.tuning.measure import CutMeasure
from plait.evaluation.tuning.result import Tried, TuneResult
from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.space import Candidate, Space
from plait.evaluation.tuning.table import Table
from plait.evaluation.tuning.trial import Choice, Trial
from plait.evaluation.tuning.verdict import is_real, say
from plait.fusion import parse_fusion, resolve_weights

__all__ = ["fused_by", "tune"]

Floats: TypeAlias = NDArray[np.float64]

_LEARNABLE = 200  # topics from which on a fusion is learned too


def tune(
    recording: Recording,
    qrels: Qrels,
    *,
    space: Space | None = None,
    default: Candidate | None = None,
    measure: str = "nDCG@10",
    folds: int = 5,
    seed: int = 0,
) -> TuneResult:
    """Choose method, window and weights on labelled topics, or keep the default.

    Every candidate of the space is scored on the recording; no leg runs. The choice is the one
    nearest the default among those that are not distinguishable from the best (see
    ``plait.evaluation.tuning.choosing``). What it is worth is measured by cross-validation: what is
    chosen on all folds but one is compared with the default on that one. The tuning is given only
    if the 95 % interval of that held-out gain is above 0, on at least 30 topics. The interval is a
    bootstrap over topics, widened because the folds share most of what they were chosen on.

    From 200 topics on a fusion is learned as well (see ``plait.evaluation.learn``), and is one more
    candidate, on each fold as it was learned on the others.

    Args:
        recording: What the legs returned; ``fetch_k`` is the widest window.
        qrels: The judgments. Topics of the recording without any are left out.
        space: What is tried; by default ``Space.default``.
        default: What is compared with, and kept if nothing is better; by default what the recorded
            hybrid does.
        measure: ``nDCG``, ``AP``, ``RR``, ``R``, ``P`` or ``Success`` with a cutoff.
        folds: How many parts the topics are cut into, >= 2; topics of the same text go together.
        seed: Of the folds, the samples and the intervals.

    Raises:
        ConfigurationError: No topic with judgments, fewer different questions than folds, a window
            above what was recorded, a measure that is not one of these.

    Example:
        >>> from plait.evaluation import Topics
        >>> from plait.types import Ranking
        >>> rankings = (Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("y", "x"), (2.0, 1.0)))
        >>> names = [str(n) for n in range(40)]
        >>> recording = Recording(
        ...     legs=("a", "b"),
        ...     topics=Topics({name: f"question {name}" for name in names}),
        ...     rankings=dict.fromkeys(names, rankings),
        ...     documents={}, fetch_k=10, failures={},
        ...     origin={"fusion": "rsf()", "weights": {"a": 1.0, "b": 1.0}, "window": 10},
        ... )
        >>> result = tune(recording, Qrels({name: {"y": 1} for name in names}))
        >>> dict(result.tuning.weights)
        {'a': 0.4, 'b': 0.6}
    """
    legs = recording.legs
    default = fused_by(recording) if default is None else default
    default = replace(default, weights=resolve_weights(default.weights, legs))
    space = Space.default(len(legs), recording.fetch_k) if space is None else space
    _check_windows([default.window, *space.windows], recording.fetch_k)
    looked_at = CutMeasure.parse(measure)
    scorer = Scorer(recording, qrels, looked_at)
    texts = [recording.topics[topic].text or topic for topic in scorer.topics]
    fold = part(texts, folds, seed)
    table = Table(scorer, [default, *_others(space, len(legs), default)])
    trial = Trial(recording, qrels, scorer, table, len(texts) >= _LEARNABLE, seed)

    choices: list[Choice] = []
    held_out = np.empty((3, len(texts)))
    for number in range(folds):
        choice = trial.choose(np.flatnonzero(fold != number))
        topics = np.flatnonzero(fold == number)
        compared = [default, choice.chosen, choice.learned or default]
        held_out[:, topics] = scorer.scores(compared, topics.tolist())
        choices.append(choice)
    final = trial.choose(np.arange(len(texts)))

    kept, chosen, learned = held_out
    gain = _held_out(chosen - kept, folds, seed)
    tried = _tried(final)
    decided = final.chosen != default and is_real(gain)
    result = TuneResult(
        legs=legs,
        measure=str(looked_at),
        default=tried[0],
        chosen=tried[final.place],
        tuning=None,
        answer=say(final.chosen, default, legs, str(looked_at), gain),
        baseline=_estimate(kept, seed),
        gain=gain,
        p=randomization_test(chosen, kept, seed=seed),
        folds=tuple([choice.chosen for choice in choices]),
        learned=None if final.learned is None else _held_out(learned - kept, folds, seed),
        tried=tuple(sorted(tried, key=lambda each: -each.mean)),
        size=len(table.candidates),
        seed=seed,
        notes=_notes(recording, scorer, final),
    )
    return replace(result, tuning=_tuning(result, recording)) if decided else result


def fused_by(recording: Recording) -> Candidate:
    """What the recorded hybrid does.

    Raises:
        ConfigurationError: Its description does not tell.
    """
    origin = recording.origin
    if not {"fusion", "weights", "window"} <= origin.keys():
        raise ConfigurationError(
            "the recording does not say how its hybrid fuses; say what to compare with: a fusion, "
            "or default=Candidate(fusion, window, weights)"
        )
    weights = resolve_weights(origin["weights"], recording.legs)
    window = origin.get("fetch_k") or origin["window"]
    return Candidate(parse_fusion(origin["fusion"]), window, weights)


def _check_windows(windows: Sequence[int], fetch_k: int) -> None:
    if max(windows) > fetch_k:
        raise ConfigurationError(
            f"a window of {max(windows)} is to be looked at, but {fetch_k} candidates of each leg "
            f"were recorded; record with fetch_k={max(windows)} or more"
        )


def _others(space: Space, legs: int, default: Candidate) -> list[Candidate]:
    """The candidates of the space without the default, whose weights may have another scale."""
    return [each for each in space.candidates(legs) if any(distance(each, default))]


def _tried(choice: Choice) -> list[Tried]:
    base = choice.means[0]
    return [
        Tried(candidate, mean, mean - base)
        for candidate, mean in zip(choice.candidates, choice.means, strict=True)
    ]


def _estimate(values: Floats, seed: int) -> Estimate:
    low, high = bootstrap_interval(values, seed=seed)
    return Estimate(float(values.mean()), low, high, len(values))


def _held_out(gains: Floats, folds: int, seed: int) -> Estimate:
    """The mean of held-out gains, with an interval for gains that are not independent.

    What is chosen on two sets of folds has most topics in common. Of n held-out topics and k folds
    the variance of the mean is not σ²/n but about k/n · (1/k + 1/(k − 1)) · σ²: the test part over
    the training part is added (Nadeau, Bengio: Inference for the Generalization Error, Machine
    Learning 52, 2003). On labels that are noise the plain interval is above 0 one time in twenty,
    this one about one in a hundred.
    """
    plain = _estimate(gains, seed)
    wider = math.sqrt(1 + folds / (folds - 1))
    low, high = ((end - plain.mean) * wider + plain.mean for end in (plain.low, plain.high))
    return replace(plain, low=low, high=high)


def _notes(recording: Recording, scorer: Scorer, final: Choice) -> tuple[str, ...]:
    notes = []
    unjudged = len(recording.rankings) - len(scorer.topics)
    if unjudged:
        notes.append(f"{unjudged:,} topics have no judgments and are left out")
    failed = sum(topic in recording.failures for topic in scorer.topics)
    if failed:
        notes.append(f"a leg failed on {failed:,} topics, which count with what was returned")
    if final.note is not None:
        notes.append(final.note)
    return tuple(notes)


def _tuning(result: TuneResult, recording: Recording) -> Tuning:
    """The choice with its evidence."""
    chosen, gain = result.chosen.candidate, result.gain
    evidence: dict[str, Any] = {
        "by": "labelled queries",
        "measure": result.measure,
        "topics": gain.n,
        "gain": gain.mean,
        "gain_low": gain.low,
        "gain_high": gain.high,
        "p": result.p,
        "baseline": result.baseline.mean,
        "default": result.default.candidate.to_dict(result.legs),
        "folds": len(result.folds),
        "stability": result.stability,
        "candidates": result.size,
        "seed": result.seed,
    }
    if "generation" in recording.origin:
        evidence["generation"] = recording.origin["generation"]
    weights = dict(zip(result.legs, chosen.weights, strict=True))
    return Tuning(chosen.fusion, weights, chosen.window, evidence)
