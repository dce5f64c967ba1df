"""SelfTuning: what held-out sentences say of the weights of a collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.collection.tuning import Tuning

__all__ = ["MEASURE", "SelfTuning"]

MEASURE = "nDCG@10"
"""What a mix of the legs is looked at by."""


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
        notes: What a reader should know: sentences and queries for which a leg failed.
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
    notes: tuple[str, ...] = ()

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
            "notes": list(self.notes),
        }
