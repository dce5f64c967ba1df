"""Auto: relative score fusion in which a leg counts as far as it knows the query's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from plait.fusion.method import Absent, check_number
from plait.fusion.score_based import Rsf
from plait.types import Ranking

__all__ = ["Auto"]


@dataclass(frozen=True)
class Auto(Rsf):
    """c^coverage · (s − min)/(max − min), c the part of the query that the leg could look for.

    Relative score fusion that trusts a leg less for a query of which it knows little. c is the
    ranking's ``coverage``: for BM25 the share of the query's idf mass that is with words of the
    index. Where users ask in German about English texts it is low, and the dense leg decides; for a
    query of known words it is 1, and ``auto`` is ``rsf``. A leg that cannot tell counts with 1.

    The weights come from the user, or, in a collection, from ``plait tune``: with ``auto`` as its
    fusion a collection takes the method, weights and window that tuning stored. How the exponent
    was chosen, and what ``auto`` gains where it was not chosen on, is in docs/fusion-study.md.

    Args:
        coverage: The exponent, >= 0; 0 makes it ``rsf``.
        flat: See ``ScoreFusion``.
        absent: See ``Fusion``; 0, since anything else would count for hits not found.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> bm25 = Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0), coverage=0.25)
        >>> Auto(coverage=0.5).contributions(bm25)
        [0.5, 0.125, 0.0]
    """

    coverage: float = 0.5
    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "auto"
    _shown: ClassVar[frozenset[str]] = frozenset({"coverage"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("auto: coverage", self.coverage, low=0)

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """The normalized scores, times what the leg knows of the query."""
        values = super().contributions(ranking)
        trust = self._trust(ranking)
        return values if trust == 1.0 else [trust * value for value in values]

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:
        """Says how much the leg was trusted, and when its scores were not used."""
        trust = self._trust(ranking)
        if not given or trust == 1.0:
            return super().notes(ranking, given)
        whole = super().notes(ranking, super().contributions(ranking))
        return (*whole, f"knows {ranking.coverage:.0%} of the query: counts × {trust:.3g}")

    def _trust(self, ranking: Ranking) -> float:
        return 1.0 if ranking.coverage is None else float(ranking.coverage**self.coverage)
