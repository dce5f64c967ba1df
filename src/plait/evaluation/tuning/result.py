"""TuneResult: what tuning found, what it is worth, and what was tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plait.collection.tuning import Tuning
from plait.evaluation.evaluation import Estimate
from plait.evaluation.tuning.space import Candidate
from plait.evaluation.tuning.text import lines
from plait.fusion import Learned

__all__ = ["Tried", "TuneResult"]


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate with its figures over all topics: those that the choice was made from.

    Attributes:
        candidate: What was tried.
        mean: Mean of the measure.
        gain: Its difference from the default's mean. Of the best of many candidates both are too
            high: the held-out gain is what to expect.
    """

    candidate: Candidate
    mean: float
    gain: float


@dataclass(frozen=True)
class TuneResult:
    """What tuning found. Made by ``tune``.

    Attributes:
        legs: Names of the legs.
        measure: What was looked at, such as ``"nDCG@10"``.
        default: What is compared with, with its figures.
        chosen: What was chosen on all topics, with its figures.
        tuning: The choice, ready for a collection, a hybrid or a file; None for "keep the default".
        answer: In one sentence, what to do and why.
        baseline: Mean of the default over all topics.
        gain: Mean held-out gain: on each fold's topics, what was chosen on the other folds minus
            the default. Its interval allows for folds that share what they were chosen on.
        p: How often chance alone makes such a gain, by a paired randomization test, as if all
            topics were independent: the decision goes by the interval, which is stricter.
        folds: What was chosen on all folds but one, in turn.
        learned: Held-out gain of the learned fusion, None where it was not tried.
        tried: All candidates scored on every topic, best first.
        size: How many candidates there were.
        seed: Of the folds, the samples and the intervals.
        notes: What a reader should know: topics left out, failures.
    """

    legs: tuple[str, ...]
    measure: str
    default: Tried
    chosen: Tried
    tuning: Tuning | None
    answer: str
    baseline: Estimate
    gain: Estimate
    p: float
    folds: tuple[Candidate, ...]
    learned: Estimate | None
    tried: tuple[Tried, ...] = field(repr=False)
    size: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The whole for a terminal; the answer is the last line."""
        return "\n".join(lines(self))

    @property
    def stability(self) -> float:
        """The share of folds that chose the same method, window and weights as all topics do."""
        return sum(_same(fold, self.chosen.candidate) for fold in self.folds) / len(self.folds)

    @property
    def best(self) -> tuple[Tried, ...]:
        """The best candidate of each method, best first, and each leg alone that was tried."""
        seen: set[Any] = set()
        shown = []
        for each in self.tried:
            candidate = each.candidate
            alone = candidate.weights.index(max(candidate.weights))
            kind = alone if sum(map(bool, candidate.weights)) == 1 else candidate.fusion
            if kind not in seen:
                seen.add(kind)
                shown.append(each)
        return tuple(shown)

    def to_dict(self) -> dict[str, Any]:
        """JSON values; of the candidates those of ``best``."""
        return {
            "measure": self.measure,
            "legs": list(self.legs),
            "topics": self.gain.n,
            "candidates": self.size,
            "answer": self.answer,
            "tuning": None if self.tuning is None else self.tuning.to_dict(),
            "gain": {**_figures(self.gain), "p": self.p},
            "baseline": _figures(self.baseline),
            "default": self._row(self.default),
            "chosen": self._row(self.chosen),
            "folds": [fold.to_dict(self.legs) for fold in self.folds],
            "stability": self.stability,
            "learned": None if self.learned is None else _figures(self.learned),
            "best": [self._row(each) for each in self.best],
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def _row(self, tried: Tried) -> dict[str, Any]:
        return {**tried.candidate.to_dict(self.legs), "mean": tried.mean, "gain": tried.gain}


def _same(one: Candidate, other: Candidate) -> bool:
    """Whether two choices are one; learned ones differ in coefficients only."""
    alike = one.fusion == other.fusion or (
        isinstance(one.fusion, Learned) and isinstance(other.fusion, Learned)
    )
    return alike and (one.window, one.weights) == (other.window, other.weights)


def _figures(estimate: Estimate) -> dict[str, Any]:
    return {
        "mean": estimate.mean,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
    }
