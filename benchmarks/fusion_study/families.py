"""Means by family: over embedders in a collection, over collections in a family, over families.

The value of a family is a row with one value per question, so that questions can be drawn again:
parallel collections share their questions and are averaged question by question first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from plait.evaluation import holm, randomization_test

ROUNDS = 2000

# One value per question, by family.
Rows = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Values:
    """One value per question of a collection, with one embedder."""

    family: str
    collection: str
    topics: tuple[str, ...]
    row: np.ndarray


def by_family(values: Iterable[Values]) -> Rows:
    """One row per family; its mean is that over the family's collections."""
    collections: dict[tuple[str, str], list[Values]] = {}
    for each in values:
        collections.setdefault((each.family, each.collection), []).append(each)
    families: dict[str, list[Values]] = {}
    for (family, collection), rows in collections.items():
        mean = np.mean([each.row for each in rows], axis=0)
        families.setdefault(family, []).append(Values(family, collection, rows[0].topics, mean))
    return {family: joined(rows) for family, rows in sorted(families.items())}


def joined(collections: Sequence[Values]) -> np.ndarray:
    """Collections of one family question by question, or behind one another with equal weight."""
    if len({each.topics for each in collections}) == 1:
        return np.mean([each.row for each in collections], axis=0)
    total = sum(len(each.row) for each in collections)
    shares = [total / (len(collections) * len(each.row)) for each in collections]
    return np.concatenate(
        [each.row * share for each, share in zip(collections, shares, strict=True)]
    )


def mean(rows: Rows) -> float:
    return float(np.mean([row.mean() for row in rows.values()]))


def draws(systems: Mapping[str, Rows], *, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap means of several systems over the same draws, each of shape (rounds, systems).

    In the first, questions are drawn again within each family. In the second the families are drawn
    again as well, which says what to expect of other collections and not only of other questions.
    """
    random = np.random.default_rng(seed)
    names = list(next(iter(systems.values())))
    drawn = np.empty((len(names), ROUNDS, len(systems)))
    for place, name in enumerate(names):
        columns = np.stack([rows[name] for rows in systems.values()], axis=1)
        count = len(columns)
        times = random.multinomial(count, np.full(count, 1 / count), size=ROUNDS)
        drawn[place] = times @ columns / count
    chosen = random.integers(0, len(names), size=(ROUNDS, len(names)))
    return drawn.mean(axis=0), drawn[chosen, np.arange(ROUNDS)[:, None]].mean(axis=1)


def interval(values: np.ndarray) -> list[float]:
    """The middle 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return [round(float(low), 4), round(float(high), 4)]


def paired(system: Rows, other: Rows) -> dict[str, float]:
    """Holm-corrected p-values of a difference, by family."""
    names = list(system)
    found = [randomization_test(system[name], other[name], rounds=ROUNDS) for name in names]
    return dict(zip(names, holm(found), strict=True))


def worse_by_more(system: Rows, other: Rows, margin: float) -> dict[str, float]:
    """Holm-corrected p-values of "worse than the other by more than the margin", by family.

    One-sided: half the two-sided p-value of the difference from the margin where it is above it.
    """
    found = []
    for name, row in system.items():
        beyond = other[name] - margin - row
        p = randomization_test(beyond, np.zeros(len(beyond)))
        found.append(p / 2 if beyond.mean() > 0 else 1 - p / 2)
    return dict(zip(system, holm(found), strict=True))
