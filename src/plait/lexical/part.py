"""LexicalPart: the terms of some rows of a state, ranked by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from plait.filters import Filter
from plait.lexical.bm25 import Bm25
from plait.table import PartRanking

__all__ = ["Asked", "LexicalPart"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A query as every part of a state is asked it.

    What depends on all parts is settled here, so that a row gets the same score to the last bit
    whatever part it is in.

    Attributes:
        terms: The distinct terms that some row has, in the order in which the query first has them.
        weights: (Times in the query) * idf of each, float64.
        mean: The mean length of all rows that are alive, > 0.
        bm25: How a term's frequency and a row's length become its share.
    """

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    mean: float
    bm25: Bm25


class LexicalPart(Protocol):
    """Some rows of a state with their terms; immutable."""

    @property
    def count(self) -> int:
        """Rows that are alive."""
        ...

    @property
    def length(self) -> int:
        """The sum of their lengths."""
        ...

    def counts(self, terms: Sequence[str], /) -> Sequence[int]:
        """How many rows that are alive have each of these distinct terms."""
        ...

    def frequencies(self) -> Mapping[str, int]:
        """The same for every term that some row has that is alive."""
        ...

    def rank(self, asked: Asked, *, top_k: int, keep: Filter | None) -> PartRanking:
        """The best ``top_k`` rows that share a term with the query, are alive and pass.

        ``total`` is None if not all of them were looked at.
        """
        ...

    def score(self, asked: Asked, ids: Iterable[str], keep: Filter | None, /) -> dict[str, float]:
        """The scores that ``rank`` gives these ids; those that share no term are left out."""
        ...
