"""QueryTerms: which words of a query the collection has at all."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

__all__ = ["QueryTerms"]


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms that a query asks for, by whether any chunk has them.

    Attributes:
        known: Terms that some chunk has, each once, in the order of the query.
        unknown: Terms that no chunk has.

    Example:
        >>> QueryTerms.of(["cancel", "plan", "plan", "abo"], {"cancel", "plan"}).unknown
        ('abo',)
    """

    known: tuple[str, ...]
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, terms: Collection[str], vocabulary: Collection[str]) -> QueryTerms:
        """Part the terms of a query by a set that holds those that some chunk has."""
        each = dict.fromkeys(terms)
        return cls(
            tuple(term for term in each if term in vocabulary),
            tuple(term for term in each if term not in vocabulary),
        )
