"""Variant: one way of putting a question, among several that are searched together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, get_args

from plait.errors import ConfigurationError
from plait.types.checks import check_text
from plait.types.query import Query, QueryLike

__all__ = ["ORIGINAL", "Variant", "VariantLegs", "alone"]

VariantLegs = Literal["all", "dense"]
_LEGS = get_args(VariantLegs)

ORIGINAL = "original"
"""Name of the variant that is the question as it was asked."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of putting a question, among several that are searched together.

    Args:
        query: What is searched; text is read as a ``Query``.
        weight: Its weight beside the other variants, > 0 and finite, used as given: a leg that
            searches it takes part in the fusion with this times its own weight.
        name: What it is, unique among the variants of a question, such as ``"rewrite"``; without
            ``"@"``, which stands between a leg and a variant in reports.
        legs: ``"all"``, or ``"dense"`` for a text that only closeness of meaning can use, such as
            a hypothetical answer.

    Raises:
        ConfigurationError: A weight, name or legs out of their range.
        QueryError: A blank query.

    Example:
        >>> Variant("how do I end my subscription", weight=0.5, name="rewrite").query.text
        'how do I end my subscription'
    """

    query: Query
    weight: float = 1.0
    name: str = ORIGINAL
    legs: VariantLegs = "all"

    def __post_init__(self) -> None:
        query: Any = self.query
        if not isinstance(query, Query):
            object.__setattr__(self, "query", Query.of(query))
        check_text(self.name, "Variant.name")
        if not self.name or "@" in self.name:
            raise ConfigurationError(
                f"Variant.name is {self.name!r}, expected a non-empty str without '@'"
            )
        if not _is_number(self.weight) or not 0 < self.weight < math.inf:
            raise ConfigurationError(
                f"Variant.weight of {self.name!r} is {self.weight!r}, expected a finite number > 0"
            )
        if self.legs not in _LEGS:
            raise ConfigurationError(
                f"Variant.legs of {self.name!r} is {self.legs!r}, expected 'all' or 'dense'"
            )

    @property
    def is_original(self) -> bool:
        """Whether this is the question as it was asked."""
        return self.name == ORIGINAL


def alone(query: QueryLike) -> tuple[Variant]:
    """A query that is put in one way only.

    Example:
        >>> [variant.name for variant in alone("why")]
        ['original']
    """
    return (Variant(Query.of(query)),)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
