"""learn: the coefficients of a ``Learned`` fusion from labelled topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError
from plait.evaluation.frozen import check_count
from plait.evaluation.logistic import fit_logistic
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.fusion import Learned, Rsf
from plait.fusion.sweep import align
from plait.types import Ranking

__all__ = ["learn"]

Floats: TypeAlias = NDArray[np.float64]

_PENALTY = 1.0
_DIGITS = 6  # significant ones, in the text form of the fusion
_MIN_MAX = Rsf()


def learn(
    recording: Recording,
    qrels: Qrels,
    *,
    topics: Sequence[str] | None = None,
    window: int | None = None,
    k: float = 0,
) -> Learned:
    """Learn how much each leg's score, rank and presence say about relevance.

    A logistic regression over all hits of the topics' pools, relevant (grade above 0) or not. Its
    features are, for each leg, the min-max normalized score, (k + 1)/(k + r) and 1, all 0 for a hit
    that the leg did not return. Coefficients are kept at 0 or more, so that a better place in a leg
    never lowers a hit.

    Each topic counts the same, and in it relevant and other hits count half each: the relevant ones
    share their half by grade, the others evenly. Topics without one of either are left out. A ridge
    penalty of ½·|w|², as much as one topic's weight, keeps few labels from deciding much.

    Args:
        recording: What the legs returned.
        qrels: The judgments.
        topics: Ids of the topics to learn from; by default all that have judgments.
        window: Candidates of each leg, up to what was recorded; by default all. The fusion is for
            this window.
        k: Rank constant of the reciprocal ranks, >= 0: 1/(k + r).

    Raises:
        ConfigurationError: No topic has both relevant and other hits, or no feature tells them
            apart; a window above what was recorded.

    Example:
        >>> from plait.evaluation import Topics
        >>> rankings = (Ranking("a", ("x", "y"), (2.0, 1.0)), Ranking("b", ("y", "x"), (2.0, 1.0)))
        >>> recording = Recording(
        ...     ("a", "b"), Topics({"1": "q"}), {"1": rankings}, {}, 10, failures={}, origin={}
        ... )
        >>> learned = learn(recording, Qrels({"1": {"x": 1}}))
        >>> [max(row) > 0 for row in learned.coefficients]  # only leg a puts x first
        [True, False]
    """
    window = recording.fetch_k if window is None else window
    check_count(window, "window")
    if window > recording.fetch_k:
        raise ConfigurationError(
            f"window is {window}, but {recording.fetch_k} candidates of each leg were recorded"
        )
    chosen = [topic for topic in topics or recording.rankings if topic in qrels]
    examples = [
        example
        for topic in chosen
        if (example := _example(recording, qrels[topic], topic, window, k)) is not None
    ]
    if not examples:
        raise ConfigurationError(
            f"nothing to learn from: of {len(chosen)} topics with judgments none has relevant hits "
            "and others in its pool"
        )
    features, labels, counts = (
        np.concatenate([getattr(example, name) for example in examples])
        for name in ("features", "labels", "counts")
    )
    fitted = fit_logistic(features, labels, counts, _PENALTY, nonnegative=True)
    rows = fitted[:-1].reshape(-1, 3)
    rows[:, 1] *= k + 1  # from (k + 1)/(k + r), which is between 0 and 1, to 1/(k + r)
    coefficients = [[float(f"{value:.{_DIGITS}g}") for value in row] for row in rows]
    if not any(map(any, coefficients)):
        raise ConfigurationError(
            "nothing to learn from: neither scores nor ranks tell relevant hits from others"
        )
    return Learned(recording.legs, coefficients, k=k)


@dataclass(frozen=True, slots=True)
class _Example:
    """One topic's hits: features (hits, 3 · legs), labels and counts (hits,)."""

    features: Floats
    labels: Floats
    counts: Floats


def _example(
    recording: Recording, grades: Mapping[str, int], topic: str, window: int, k: float
) -> _Example | None:
    aligned = align([ranking.cut(window) for ranking in recording.rankings[topic]])
    names = [recording.documents.get(chunk, chunk) for chunk in aligned.ids]
    relevant = np.array([max(0, grades.get(name, 0)) for name in names], dtype=np.float64)
    labels = (relevant > 0).astype(np.float64)
    if not 0 < labels.sum() < len(labels):
        return None
    features = np.zeros((len(names), len(aligned.rankings), 3))
    for leg, (ranking, rows) in enumerate(zip(aligned.rankings, aligned.rows, strict=True)):
        features[rows, leg] = _features(ranking, k)
    counts = np.where(
        labels > 0, relevant / relevant.sum() / 2, 1 / (len(labels) - labels.sum()) / 2
    )
    return _Example(features.reshape(len(names), -1), labels, counts)


def _features(ranking: Ranking, k: float) -> Floats:
    """For each hit its normalized score, its scaled reciprocal rank, and 1 for being there."""
    ranks = np.arange(1, len(ranking) + 1)
    scores = np.array(_MIN_MAX.contributions(ranking), dtype=np.float64)
    return np.stack([scores, (k + 1) / (k + ranks), np.ones(len(ranking))], axis=1)
