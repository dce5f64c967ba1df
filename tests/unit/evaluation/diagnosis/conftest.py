"""Recordings made by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pytest

from plait.evaluation import Recording, Topics
from plait.evaluation.diagnosis.case import Case
from plait.fusion import Fusion, Rsf
from plait.types import Ranking

Hits = Sequence[tuple[str, float | None]]


class Recorded(Protocol):
    def __call__(
        self, *answers: Mapping[str, Hits | Ranking], fetch_k: int = 100, **given: Any
    ) -> Recording: ...


class MakeCase(Protocol):
    def __call__(self, *answers: Mapping[str, Hits | Ranking], **given: Any) -> Case: ...


@pytest.fixture
def recorded() -> Recorded:
    """Makes a recording from what each leg returned for each of the topics q0, q1, ..."""

    def make(*answers: Mapping[str, Hits | Ranking], fetch_k: int = 100, **given: Any) -> Recording:
        topics = {f"q{number}": f"question {number}" for number in range(len(answers))}
        return Recording(
            **{
                "legs": tuple(answers[0]),
                "topics": Topics(topics),
                "rankings": {
                    topic: tuple(_ranking(leg, hits) for leg, hits in legs.items())
                    for topic, legs in zip(topics, answers, strict=True)
                },
                "documents": {},
                "fetch_k": fetch_k,
                "failures": {},
                "origin": {"fusion": "rsf()"},
                **given,
            }
        )

    return make


def _ranking(leg: str, hits: Hits | Ranking) -> Ranking:
    if isinstance(hits, Ranking):
        return hits
    return Ranking(leg, tuple(id for id, _ in hits), tuple(score for _, score in hits))


@pytest.fixture
def case(recorded: Recorded) -> MakeCase:
    """Makes a case from the same, fused by rsf() with weight 1 for each leg unless said."""

    def make(
        *answers: Mapping[str, Hits | Ranking],
        fusion: Fusion = Rsf(),  # noqa: B008 (a value)
        weights: Mapping[str, float] | None = None,
        fetch_k: int = 100,
        given: Mapping[str, Any] | None = None,
        **known: Any,
    ) -> Case:
        recording = recorded(*answers, fetch_k=fetch_k, **(given or {}))
        weights = dict.fromkeys(recording.legs, 1.0) | dict(weights or {})
        return Case(recording, fusion, weights, **known)

    return make


@pytest.fixture
def healthy() -> Callable[[int], list[dict[str, Hits]]]:
    """Two legs that each see the same truth behind noise of their own: 200 chunks, 40 hits."""

    def make(topics: int) -> list[dict[str, Hits]]:
        random = np.random.default_rng(7)
        answers = []
        for _ in range(topics):
            truth = random.exponential(size=200)
            legs = {}
            for leg in ("dense", "bm25"):
                seen = truth + random.exponential(scale=0.7, size=200)
                best = np.argsort(-seen)[:40]
                legs[leg] = [(f"c{row}", float(seen[row])) for row in best]
            answers.append(legs)
        return answers

    return make
