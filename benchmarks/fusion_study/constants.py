"""The constants of ``auto``, chosen on all families but one and measured on that one.

Three columns: ``untuned`` has a prior weight and the exponents of coverage and lead; ``chunks`` has
weights learned from the collection's own chunks; ``log`` has them learned with the help of
questions that users asked, without judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from fusion_study.families import Rows, by_family
from fusion_study.measure import TRUSTS, Measured
from fusion_study.methods import GRID

COLUMNS = ("untuned", "chunks", "log")
PRIORS = (0.2, 0.3, 0.4, 0.5)
STRENGTHS = (0.0, 0.5, 1.0, 1.5, 2.0)
Trusts: TypeAlias = Sequence[tuple[float, float]]
# What auto is made of, to see what each part brings.
PARTS: Mapping[str, Trusts] = {
    "weights only": [(0.0, 0.0)],
    "with coverage": [trust for trust in TRUSTS if trust[1] == 0],
    "with lead": [trust for trust in TRUSTS if trust[0] == 0],
    "with both": TRUSTS,
}
ENOUGH = 30  # sentences' worth of evidence below which plait learns nothing


@dataclass(frozen=True)
class Constants:
    """What had to be decided.

    Attributes:
        prior: The part of the dense leg where nothing else is known.
        trust: The exponents of coverage and lead.
        strength: How many standard errors behind the best a weight may be that is nearer to the
            prior; the untuned column has no use for it.
    """

    prior: float
    trust: tuple[float, float]
    strength: float | None = None


SHIPPED: Mapping[str, Constants] = {
    "untuned": Constants(0.3, (0.5, 0.5)),
    "chunks": Constants(0.3, (0.5, 0.5), 1.0),
    "log": Constants(0.3, (0.5, 0.5), 1.0),
}


def candidates(column: str) -> list[Constants]:
    if column == "untuned":
        return [Constants(*each) for each in product(PRIORS, TRUSTS)]
    return [Constants(*each) for each in product(PRIORS, TRUSTS, STRENGTHS)]


def weight(measured: Measured, column: str, constants: Constants) -> float:
    """The part of the dense leg that ``auto`` takes."""
    if constants.strength is None:
        return constants.prior
    curves = measured.sentences[TRUSTS.index(constants.trust)]
    counts = measured.likeness if column == "log" else np.ones(curves.shape[1])
    return learned(curves, counts, constants.prior, constants.strength)


def learned(curves: np.ndarray, counts: np.ndarray, prior: float, strength: float) -> float:
    """The rule of ``plait tune --self`` with another prior and another strength.

    Of the weights that are no more than so many standard errors behind the best, the one nearest
    to the prior; the prior itself where the sentences are too few.
    """
    share = counts / counts.sum()
    if 1 / (share @ share) < ENOUGH:
        return prior
    means = curves @ share
    behind = curves[means.argmax()] - curves
    gaps = behind @ share
    errors = np.sqrt((behind - gaps[:, None]) ** 2 @ share**2 / (1 - share @ share))
    near = np.flatnonzero(gaps <= strength * errors + 1e-12)
    return GRID[min(near, key=lambda place: (round(abs(GRID[place] - prior), 9), -means[place]))]


def check_rule(measured: Measured) -> None:
    """The study varies a rule of plait; with plait's constants it must be plait's."""
    for column, plaits in measured.tuned.items():
        if weight(measured, column, SHIPPED[column]) != plaits:
            raise SystemExit(
                f"{measured.collection}, {measured.embedder}: plait tune --self takes {plaits}, "
                f"the study {weight(measured, column, SHIPPED[column])}"
            )


def value(measured: Measured, column: str, constants: Constants) -> np.ndarray:
    """The measure of ``auto`` with these constants, one value per question."""
    trust = TRUSTS.index(constants.trust)
    return measured.trusted[trust, GRID.index(weight(measured, column, constants))]


def rows(
    pairs: Sequence[Measured], column: str, constants: Callable[[Measured], Constants]
) -> Rows:
    return by_family([p.values(value(p, column, constants(p))) for p in pairs])


def leave_one_out(
    pairs: Sequence[Measured], column: str, allowed: Trusts = TRUSTS
) -> dict[str, Constants]:
    """For each family the constants that are best on the mean of the other families."""
    tried = [each for each in candidates(column) if each.trust in allowed]
    found = [rows(pairs, column, lambda _, each=each: each) for each in tried]
    names = list(found[0])
    means = np.array([[each[name].mean() for name in names] for each in found])
    others = means.sum(axis=1, keepdims=True) - means
    return {name: tried[best] for name, best in zip(names, others.argmax(axis=0), strict=True)}


def values_of(pairs: Sequence[Measured], column: str, chosen: Mapping[str, Constants]) -> Rows:
    return rows(pairs, column, lambda pair: chosen[pair.family])
