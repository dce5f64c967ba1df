"""Calibration: how many rows the codes must propose so that hardly any of the best is missed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from plait.dense.packed import PackedVectors
from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError
from plait.table import merge_rankings
from plait.types import FloatVector

__all__ = ["Calibration", "calibrate"]

_ASKED = 200  # queries, half of them to choose with and half to report on
_FEWEST = 50  # real queries, with fewer of them passages are asked about
_SHARE = 4  # of the rows, one in so many may be a candidate, so that looking at fewer pays
_FIRST = 32  # so many times fetch_k are looked through at first
_WIDTH = 1.645  # standard errors below the mean: a one-sided bound at 95 %
_GROWTH = 1.1  # between two numbers that are tried

# What is chosen is taken times this. Passages lie closer to their neighbors than questions do: on
# real collections, and on these enlarged to a million, questions needed up to 1.9 times as many
# candidates as passages said; with this margin they found .996 or more of the best 200.
_MARGINS = {"passages": 2.0, "queries": 1.25}


@dataclass(frozen=True, slots=True)
class Calibration:
    """How many rows are looked at in full, and what that is known to find.

    Attributes:
        candidates: Rows that each part looks at in full, whatever is asked for; None for all.
        bits: Of the code for each dimension.
        fetch_k: How many of the best were to be found.
        target: Which part of them, between 0 and 1.
        recall: Which part was found at least, in the mean over queries that did not take part in
            choosing: the lower end of a one-sided 95 % interval. 1.0 where all are looked at.
        measured_on: ``"queries"``, or ``"passages"`` that ask for their neighbors.
        queries: How many were asked, both halves; 0 where nothing needed measuring.
        count: Chunks then.

    Example:
        >>> made = Calibration(3000, 1, 200, 0.99, 0.994, "passages", 200, 1_000_000)
        >>> Calibration.from_json(made.to_json()) == made
        True

    Raises:
        ConfigurationError: A value of another type or below its range.
    """

    candidates: int | None
    bits: int
    fetch_k: int
    target: float
    recall: float
    measured_on: Literal["passages", "queries"]
    queries: int
    count: int

    def __post_init__(self) -> None:
        for name, kinds, least in (
            ("candidates", (int, type(None)), 1),
            ("bits", (int,), 1),
            ("fetch_k", (int,), 1),
            ("target", (float,), 0.0),
            ("recall", (float,), 0.0),
            ("queries", (int,), 0),
            ("count", (int,), 0),
        ):
            value = getattr(self, name)
            if type(value) not in kinds or (value is not None and not value >= least):
                expected = " or ".join(kind.__name__ for kind in kinds)
                raise ConfigurationError(
                    f"{name} of a calibration is {value!r}, expected {expected} >= {least}"
                )
        if self.measured_on not in _MARGINS:
            raise ConfigurationError(
                f"measured_on of a calibration is {self.measured_on!r}, expected "
                f"{' or '.join(_MARGINS)}"
            )

    def is_stale(self, count: int) -> bool:
        """Whether there are twice as many chunks as there were, or more."""
        return count >= 2 * max(1, self.count)

    def to_dict(self) -> dict[str, Any]:
        """JSON values that ``of`` reads back."""
        return asdict(self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The calibration of ``to_dict``.

        Raises:
            ConfigurationError: Something else, with what is missing or unknown.
        """
        expected = [each.name for each in fields(cls)]
        if not isinstance(values, Mapping) or set(values) != set(expected):
            given = ", ".join(map(str, values)) if isinstance(values, Mapping) else repr(values)
            raise ConfigurationError(
                f"a calibration has {given or 'nothing'}; expected {', '.join(expected)}"
            )
        return cls(**values)

    def to_json(self) -> str:
        """Its text form."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The calibration of ``to_json``.

        Raises:
            ConfigurationError: Text of another form.
        """
        try:
            values = json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"a calibration is not JSON: {error}") from error
        return cls.of(values)


def calibrate(
    parts: Sequence[PackedVectors],
    *,
    fetch_k: int = 200,
    target: float = 0.99,
    queries: FloatMatrix | None = None,
    seed: int = 0,
) -> Calibration:
    """Measure how many candidates find the part ``target`` of the exact best ``fetch_k``.

    A sample of queries is answered exactly and by the codes. With one half of them the smallest
    number is chosen whose recall is certain (the lower bound of the mean, at 95 %), and taken times
    a margin: 1.25 for real queries, 2 for passages, whose neighbors are easier to find. The
    other half says what that number reaches.

    Args:
        parts: The rows of a state, at least one part.
        fetch_k: How many of the best are to be found.
        target: Which part of them, above 0 and below 1.
        queries: Vectors of real queries, float32 of shape (m, dim), the more the better; with
            fewer than 50, passages are asked about, each without itself.
        seed: Which of them are taken.

    Returns:
        ``candidates`` is None if no number that pays reaches the target.
    """
    count = sum(part.count for part in parts)
    rng = np.random.default_rng(seed)
    asked = _questions(parts, queries, rng)
    measured_on: Literal["passages", "queries"] = "passages" if asked.own else "queries"

    def calibrated(candidates: int | None, recall: float, measured: int) -> Calibration:
        return Calibration(
            candidates, parts[0].planes, fetch_k, target, recall, measured_on, measured, count
        )

    most = count // (_SHARE * len(parts))
    if most <= fetch_k:
        return calibrated(None, 1.0, 0)
    wanted = _best(parts, asked, fetch_k)
    least, limit = fetch_k, min(most, _FIRST * fetch_k)
    while least < most:
        places = np.stack(
            [
                _places(parts, query, names, limit)
                for query, names in zip(asked.vectors, wanted, strict=True)
            ]
        )
        chosen, told = places[::2], places[1::2]
        for tried in _numbers(least, limit):
            candidates = math.ceil(tried * _MARGINS[measured_on])
            if candidates <= limit and _lower(chosen < tried) >= target:
                recall = _lower(told < candidates)
                if recall >= target:
                    return calibrated(candidates, recall, len(places))
        least, limit = limit, min(most, 8 * limit)
    return calibrated(None, 1.0, len(asked.vectors))


class _Asked(NamedTuple):
    vectors: FloatMatrix
    own: Sequence[str]  # ids of the passages that ask; empty for real queries


def _questions(
    parts: Sequence[PackedVectors], queries: FloatMatrix | None, rng: np.random.Generator
) -> _Asked:
    """Real queries if there are enough, else rows that are alive; in random order."""
    if queries is not None and len(queries) >= _FEWEST:
        return _Asked(queries[rng.permutation(len(queries))[:_ASKED]], ())
    alive = [part.alive() for part in parts]
    source = np.repeat(np.arange(len(parts)), [len(each) for each in alive])
    picked = rng.permutation(len(source))[:_ASKED]
    source, ordinals = source[picked], np.concatenate(alive)[picked]
    vectors = np.empty((len(picked), parts[0].dim), dtype=np.float32)
    own = np.empty(len(picked), dtype=object)
    for number, part in enumerate(parts):
        here = source == number
        vectors[here] = part.taken(ordinals[here])
        own[here] = part.rows.names(ordinals[here])
    return _Asked(vectors, own.tolist())


def _best(parts: Sequence[PackedVectors], asked: _Asked, fetch_k: int) -> list[list[str]]:
    """The ids of the exact best of each query; a passage is not among its own."""
    top_k = fetch_k + bool(asked.own)
    found = [part.rank_many(asked.vectors, top_k=top_k, exact=True) for part in parts]
    higher = parts[0].metric.higher_is_better
    best = []
    for number in range(len(asked.vectors)):
        merged = merge_rankings([each[number] for each in found], top_k, higher_is_better=higher)
        own = asked.own[number] if asked.own else None
        best.append([name for name in merged.ids if name != own][:fetch_k])
    return best


def _places(
    parts: Sequence[PackedVectors], query: FloatVector, names: Sequence[str], limit: int
) -> NDArray[np.int64]:
    """Where these ids stand among what their parts propose, from 0; ``limit`` if not among it."""
    places = []
    for part in parts:
        ordinals = part.rows.rows(names)
        if not len(ordinals):
            continue
        (proposed,) = part.proposed(query[np.newaxis], limit)
        order = np.argsort(proposed)
        at = order[np.searchsorted(proposed, ordinals, sorter=order).clip(max=len(order) - 1)]
        places.append(np.where(proposed[at] == ordinals, at, limit))
    return np.concatenate(places)


def _numbers(least: int, most: int) -> Iterator[int]:
    """The numbers that are tried: each a tenth above the one before it."""
    number = least
    while number <= most:
        yield number
        number = math.ceil(number * _GROWTH)


def _lower(found: NDArray[np.bool_]) -> float:
    """The lower bound of the mean recall, of what was found for each query."""
    recalls = found.mean(axis=1)
    if len(recalls) < 2:
        return 0.0
    bound = recalls.mean() - _WIDTH * recalls.std(ddof=1) / math.sqrt(len(recalls))
    return max(0.0, float(bound))
