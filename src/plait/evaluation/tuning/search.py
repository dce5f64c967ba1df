"""Search: which candidates are worth scoring on every topic."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.evaluation.tuning.table import Table

__all__ = ["halve"]

Ints: TypeAlias = NDArray[np.int64]

_ALL = 2_500  # candidates that are scored on every topic without further ado
_FIRST = 30  # topics of the first round
_FACTOR = 3
_ENOUGH = 200  # candidates that go to the last round


def halve(table: Table, topics: Ints, *, always: int, seed: int, all: int = _ALL) -> Ints:
    """The candidates to choose among, by row.

    All of them up to ``all`` (the exact grid). Of more, by successive halving: all are scored on
    a sample of the topics, the better third on a sample three times as large that holds the first,
    and so on, until few are left or the sample is all there is (Jamieson, Talwalkar: Non-stochastic
    Best Arm Identification and Hyperparameter Optimization, AISTATS 2016).

    Args:
        table: What is searched.
        topics: The topics to choose on, by column.
        always: A row that stays whatever its score: the default.
        seed: Of the samples.
        all: How many candidates are never halved.

    Returns:
        Rows in rising order.
    """
    rows = np.arange(len(table.candidates))
    if len(rows) <= all:
        return rows
    shuffled = np.random.default_rng(seed).permutation(topics)
    sample = _FIRST
    while len(rows) > _ENOUGH and sample < len(topics):
        means = table.scores(rows, shuffled[:sample]).mean(axis=1)
        best = rows[np.argsort(-means, kind="stable")[: -(-len(rows) // _FACTOR)]]
        rows = np.union1d(best, [always])
        sample *= _FACTOR
    return rows
