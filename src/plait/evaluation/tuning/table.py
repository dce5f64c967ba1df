"""The table of a search: candidates by topics, filled where it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation.tuning.scoring import Scorer
from plait.evaluation.tuning.space import Candidate

__all__ = ["Table"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Table:
    """The measure of candidates by topic; each value is computed once, when it is asked for.

    Args:
        scorer: Computes them.
        candidates: What is searched.

    Attributes:
        candidates: As given; the rows.
    """

    def __init__(self, scorer: Scorer, candidates: Sequence[Candidate]) -> None:
        self.candidates = tuple(candidates)
        self._scorer = scorer
        self._values = np.full((len(self.candidates), len(scorer.topics)), np.nan)

    def scores(self, rows: Ints, topics: Ints) -> Floats:
        """The values of some candidates on some topics, shape (rows, topics)."""
        block = np.ix_(rows, topics)
        missing = np.isnan(self._values[block])
        if missing.any():
            new_rows, new_topics = rows[missing.any(axis=1)], topics[missing.any(axis=0)]
            chosen = [self.candidates[row] for row in new_rows.tolist()]
            self._values[np.ix_(new_rows, new_topics)] = self._scorer.scores(
                chosen, new_topics.tolist()
            )
        return np.asarray(self._values[block])
