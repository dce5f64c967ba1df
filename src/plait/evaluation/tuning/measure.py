"""The measures that tuning can look at, for many rankings of one topic at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError
from plait.evaluation.measures import parse_measure

__all__ = ["CutMeasure"]

Floats: TypeAlias = NDArray[np.float64]
Grades: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CutMeasure:
    """A measure of the first documents of a ranking, as trec_eval has it.

    Attributes:
        name: ``nDCG``, ``AP``, ``RR``, ``R``, ``P`` or ``Success``.
        cutoff: How many documents it looks at, >= 1.

    Example:
        >>> measure = CutMeasure.parse("RR@10")
        >>> measure.of(np.array([[0, 1, 0]]), judged=[1]).tolist()
        [0.5]
    """

    name: str
    cutoff: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """The measure of a text form such as ``"nDCG@10"``.

        Raises:
            ConfigurationError: Another measure, or one without a cutoff.
        """
        measure = parse_measure(text)
        if measure.cutoff is None or measure.kind not in _FORMULAS:
            raise ConfigurationError(
                f"measure is {text!r}; tuning looks at {', '.join(_FORMULAS)}, each with a cutoff, "
                "such as 'nDCG@10'"
            )
        return cls(measure.kind, measure.cutoff)

    def __str__(self) -> str:
        return f"{self.name}@{self.cutoff}"

    def of(self, grades: Grades, judged: Iterable[int]) -> Floats:
        """The measure of several rankings of one topic.

        Args:
            grades: Shape (rankings, documents), each ranking's documents best first by their
                grade, 0 for one that is not judged; what is past the cutoff is not looked at.
            judged: The grades of all documents that were judged for the topic.

        Returns:
            Shape (rankings,), from 0 to 1; 0 for a topic without relevant documents.
        """
        relevant = sorted((grade for grade in judged if grade > 0), reverse=True)
        if not relevant:
            return np.zeros(len(grades))
        seen = np.maximum(grades[:, : self.cutoff], 0).astype(np.float64)
        return _FORMULAS[self.name](seen, np.array(relevant, dtype=np.float64), self.cutoff)


def _ndcg(seen: Floats, relevant: Floats, cutoff: int) -> Floats:
    return _dcg(seen) / _dcg(relevant[:cutoff])


def _dcg(grades: Floats) -> Floats:
    # Not a matrix product, which gives equal rankings different last digits.
    return np.asarray((grades / np.log2(np.arange(2, grades.shape[-1] + 2))).sum(axis=-1))


def _average_precision(seen: Floats, relevant: Floats, cutoff: int) -> Floats:  # noqa: ARG001
    found = seen > 0
    ranks = np.arange(1, seen.shape[1] + 1)
    return np.asarray((found.cumsum(axis=1) / ranks * found).sum(axis=1) / len(relevant))


def _reciprocal_rank(seen: Floats, relevant: Floats, cutoff: int) -> Floats:  # noqa: ARG001
    ranks = np.arange(1, seen.shape[1] + 1)
    return np.asarray(np.max((seen > 0) / ranks, axis=1, initial=0.0))


def _recall(seen: Floats, relevant: Floats, cutoff: int) -> Floats:  # noqa: ARG001
    return np.asarray((seen > 0).sum(axis=1) / len(relevant))


def _precision(seen: Floats, relevant: Floats, cutoff: int) -> Floats:  # noqa: ARG001
    return np.asarray((seen > 0).sum(axis=1) / cutoff)


def _success(seen: Floats, relevant: Floats, cutoff: int) -> Floats:  # noqa: ARG001
    return np.asarray((seen > 0).any(axis=1), dtype=np.float64)


_FORMULAS: Mapping[str, Callable[[Floats, Floats, int], Floats]] = MappingProxyType(
    {
        "nDCG": _ndcg,
        "AP": _average_precision,
        "RR": _reciprocal_rank,
        "R": _recall,
        "P": _precision,
        "Success": _success,
    }
)
