"""A trial: what would be chosen if only some of the topics had labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError
from plait.evaluation.learning import learn
from plait.evaluation.qrels import Qrels
from plait.evaluation.recording import Recording
from plait.evaluation.tuning.choosing import choose, distance
from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.search import halve
from plait.evaluation.tuning.space import Candidate
from plait.evaluation.tuning.table import Table

__all__ = ["Choice", "Trial"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen on some topics.

    Attributes:
        candidates: What it was chosen among: the default first.
        means: Mean of each over these topics.
        place: Place of the choice.
        learned: The learned one among them, None if there is none.
        note: Why there is none although it was asked for.
    """

    candidates: Sequence[Candidate]
    means: Sequence[float]
    place: int
    learned: Candidate | None = None
    note: str | None = None

    @property
    def chosen(self) -> Candidate:
        """The choice."""
        return self.candidates[self.place]


@dataclass(frozen=True, slots=True)
class Trial:
    """Everything that a choice depends on, beside the topics that it is made on.

    Attributes:
        recording: What the legs returned.
        qrels: The judgments.
        scorer: Scores candidates on the topics.
        table: The candidates with their scores, the default first.
        learns: Whether a learned fusion is one more candidate.
        seed: Of the samples of a search that halves.
    """

    recording: Recording
    qrels: Qrels
    scorer: Scorer
    table: Table
    learns: bool
    seed: int

    def choose(self, topics: Ints) -> Choice:
        """The choice on some topics, by their places in ``scorer.topics``."""
        default = self.table.candidates[0]
        rows = halve(self.table, topics, always=0, seed=self.seed)
        candidates = [self.table.candidates[row] for row in rows.tolist()]
        scores = self.table.scores(rows, topics)
        learned, note = self._learn(topics, default.window) if self.learns else (None, None)
        if learned is not None:
            candidates.append(learned)
            scores = np.vstack([scores, self.scorer.scores([learned], topics.tolist())])
        place = choose(scores, [distance(each, default) for each in candidates])
        return Choice(candidates, scores.mean(axis=1).tolist(), place, learned, note)

    def _learn(self, topics: Ints, window: int) -> tuple[Candidate | None, str | None]:
        names = [self.scorer.topics[topic] for topic in topics.tolist()]
        try:
            fusion = learn(self.recording, self.qrels, topics=names, window=window)
        except ConfigurationError as error:
            return None, f"no fusion was learned: {error}"
        return Candidate(fusion, window, (1.0,) * len(self.recording.legs)), None
