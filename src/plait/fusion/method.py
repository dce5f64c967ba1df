"""Fusion: from one ranking per leg to what each leg contributes to each hit."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

from plait.errors import ConfigurationError
from plait.types import Ranking

__all__ = ["Absent", "Fusion", "Shares", "as_floats", "check_number", "count_legs"]

Absent: TypeAlias = float | Literal["min"]


@dataclass(frozen=True, slots=True)
class Shares:
    """What one leg gives: to each hit that it returned, and to any other hit.

    Attributes:
        values: Shares of the fused score, one per hit of the ranking, in its order. Everything is
            in them: weight, leg-count factor, division by a sum of weights.
        normalized: The same before the weight, as it is shown. None: the values.
        absent: Share of each hit that the leg did not return.
        absent_normalized: The same before the weight.
        bound: Highest share that the leg can give here, None if the method has no maximum.
        notes: For the leg's report.
    """

    values: Sequence[float]
    normalized: Sequence[float] | None = None
    absent: float = 0.0
    absent_normalized: float = 0.0
    bound: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fusion:
    """Base of fusion methods: a value whose text form parses back.

    One's own method writes ``contributions``; the fused score of a hit is then the sum over legs
    of weight times contribution. A method that needs all legs at once writes ``fuse``. Make it
    a frozen dataclass, so that its parameters are part of its equality and its text form.

    Args:
        absent: What a leg gives a hit that it did not return, before the weight: a number, or
            ``"min"`` for the lowest that it gives a hit. A number above that lowest is refused, for
            it would rank a hit higher for not being found; 0 is lowered to it instead, with a note.
            A leg that returned nothing gives 0 to all.

    Attributes:
        name: Name in the text form; the class name in lower case unless set.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> @dataclass(frozen=True)
        ... class Top(Fusion):
        ...     n: int = 3
        ...     def contributions(self, ranking):
        ...         return [1.0 if rank <= self.n else 0.0 for rank in range(1, len(ranking) + 1)]
        >>> str(Top(n=5))
        'top(n=5)'
    """

    absent: Absent = field(default=0.0, kw_only=True)

    name: ClassVar[str] = "fusion"
    # Parameters that the text form shows even when they have their default.
    _shown: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__.lower()

    def __post_init__(self) -> None:
        if self.absent != "min":
            check_number(f"{self.name}: absent", self.absent, hint=' or "min"')

    def __str__(self) -> str:
        shown = (
            f"{entry.name}={_literal(getattr(self, entry.name))}"
            for entry in fields(self)
            if entry.init
            and (entry.name in self._shown or getattr(self, entry.name) != entry.default)
        )
        return f"{self.name}({', '.join(shown)})"

    def check_legs(self, legs: Sequence[str]) -> None:
        """Refuse legs that the method cannot fuse, by their names, before any of them runs."""

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """What the leg gives to each of its hits, before the weight.

        Args:
            ranking: The leg's ranking without duplicates: position i has rank i + 1. Its ``ids``
                name the hits: hits of two legs are the same exactly if their ids are equal.

        Returns:
            One finite float per hit, in order. An empty ranking gives an empty sequence.
        """
        raise NotImplementedError(
            f"{type(self).__name__} writes neither contributions(ranking) nor "
            "fuse(rankings, weights); a fusion writes one of them"
        )

    def notes(
        self,
        ranking: Ranking,  # noqa: ARG002 (for subclasses)
        given: Sequence[float],  # noqa: ARG002
    ) -> tuple[str, ...]:
        """What a reader of the leg's contributions ``given`` should know, such as a fallback."""
        return ()

    def bound(self, ranking: Ranking) -> float | None:  # noqa: ARG002 (for subclasses)
        """The highest contribution that the method can give to a hit of a ranking of this length.

        None if there is no maximum. An empty ranking counts as one of one hit.
        """
        return None

    def fuse(
        self, rankings: Sequence[Ranking], weights: Sequence[float]
    ) -> Sequence[Shares | Sequence[float]]:
        """What each leg gives to each hit, weights included.

        Args:
            rankings: One per leg with a weight above 0, as ``contributions`` gets them.
            weights: One per ranking, above 0.

        Returns:
            One entry per ranking: a value per hit, in order, or ``Shares``. A hit's fused score
            is the sum of its values over the legs.
        """
        return [
            self.share(ranking, weight) for ranking, weight in zip(rankings, weights, strict=True)
        ]

    def share(self, ranking: Ranking, weight: float) -> Shares:
        """One leg's shares: its contributions times the weight, and what absent hits get."""
        normalized = as_floats(self.contributions(ranking))
        notes = self.notes(ranking, normalized)
        absent, note = self._absent(ranking, normalized)
        bound = self.bound(ranking)
        return Shares(
            values=normalized if weight == 1 else [weight * value for value in normalized],
            normalized=normalized,
            absent=weight * absent,
            absent_normalized=absent,
            bound=None if bound is None else weight * bound,
            notes=(*notes, note) if note else notes,
        )

    def _absent(self, ranking: Ranking, normalized: Sequence[float]) -> tuple[float, str | None]:
        if not normalized:
            return 0.0, None
        lowest = min(normalized)
        if self.absent == "min":
            return lowest, None
        if self.absent <= lowest:
            return self.absent, None
        if self.absent == 0:
            return lowest, f"hits that it did not return get its lowest contribution, {lowest:.6g}"
        raise ConfigurationError(
            f"{self} gives {self.absent!r} to hits that a leg did not return, but leg "
            f"{ranking.leg!r} gives {lowest:.6g} to the last hit that it did return; "
            f'absent is at most that, or "min"'
        )


def as_floats(values: Iterable[Any]) -> list[float]:
    """Contributions as Python floats, whatever kind of numbers or sequence a method returns."""
    try:
        return list(map(float, values))
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(
            f"a fusion returned {values!r:.80}, expected one number per hit: {error}"
        ) from error


def count_legs(rankings: Iterable[Ranking]) -> Mapping[str | None, int]:
    """How many rankings hold each id."""
    counts: dict[str | None, int] = {}
    for ranking in rankings:
        for identity in ranking.ids:
            counts[identity] = counts.get(identity, 0) + 1
    return counts


def check_number(
    what: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open: bool = False,
    hint: str = "",
) -> None:
    """Refuse what is not a finite number between ``low`` and ``high``, ends excluded if open."""
    number = _real(value)
    if math.isfinite(number) and (low < number < high if open else low <= number <= high):
        return
    expected = "a finite number"
    if math.isfinite(low):
        expected += f" > {low:g}" if open else f" >= {low:g}"
    if math.isfinite(high):
        expected += f" and < {high:g}" if open else f" and <= {high:g}"
    raise ConfigurationError(f"{what} is {value!r}, expected {expected}{hint}")


def _real(value: Any) -> float:
    """A real number of any type as float, NaN for anything else."""
    if not isinstance(value, bool) and isinstance(value, Real):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return math.nan


def _literal(value: Any) -> str:
    """A parameter as the text form spells it."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    number = _real(value)
    if not math.isfinite(number):
        return repr(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
