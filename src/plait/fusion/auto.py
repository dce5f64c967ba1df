"""Auto: relative score fusion that trusts a leg as far as its answer speaks for itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from plait.fusion.method import Absent, check_number
from plait.fusion.normalize import Window, unusable
from plait.fusion.score_based import Rsf
from plait.types import Ranking

__all__ = ["Auto", "lead"]

_BEHIND = 9  # hits after the first that its lead is measured against
_LEAST = 0.02  # a lead below this is taken as this: a leg is never left out for it


@dataclass(frozen=True)
class Auto(Rsf):
    """c^coverage · l^lead · (s − min)/(max − min) over the leg's window, c and l between 0 and 1.

    Min-max gives the first hit of a leg 1, however little it says. Two signs in the leg's own
    answer tell how far to trust it for this query:

    - c, the ranking's ``coverage``: how much of the query the first hit matches. Where only a
      common word matches, or the user asks in German about English texts, BM25 has little to say.
      A leg that cannot tell counts with 1.
    - l, the lead of the first hit: (s₁ − mean(s₂ … s₁₀))/(s₁ − s_last), at least 0.02. A code that
      is in one text only stands far out in BM25; where nothing is found, all hits are alike. It is
      1 for a single hit, and for scores that do not vary.

    The weights come from the user, or, in a collection, from ``plait tune``: with ``auto`` as its
    fusion a collection takes the method, weights and window that tuning stored. How the exponents
    were chosen, and what ``auto`` gains where it was not chosen on, is in docs/fusion-study.md.

    Args:
        coverage: Exponent of c, >= 0; 0 leaves it out.
        lead: Exponent of l, >= 0; 0 leaves it out. Without both it is ``rsf``.
        flat: See ``ScoreFusion``.

    Raises:
        ConfigurationError: A parameter out of range.

    Example:
        >>> bm25 = Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0), coverage=0.25)
        >>> Auto(coverage=0.5, lead=0).contributions(bm25)
        [0.5, 0.125, 0.0]
        >>> Auto(coverage=0, lead=1).contributions(bm25)  # (9 - 2)/(9 - 1) = 0.875
        [0.875, 0.21875, 0.0]
    """

    coverage: float = 0.5
    lead: float = 0.5
    # An absent hit gets 0: whatever the trust, a leg gives nothing for what it did not find.
    absent: Absent = field(default=0.0, init=False, repr=False)
    name: ClassVar[str] = "auto"
    _shown: ClassVar[frozenset[str]] = frozenset({"coverage", "lead"})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("auto: coverage", self.coverage, low=0)
        check_number("auto: lead", self.lead, low=0)

    def contributions(self, ranking: Ranking) -> Sequence[float]:
        """The normalized scores, times how far the leg is trusted for this query."""
        values = super().contributions(ranking)
        trust = self._trust(ranking)
        return [trust * value for value in values]

    def notes(self, ranking: Ranking, given: Sequence[float]) -> tuple[str, ...]:
        """Says how far the leg was trusted and why, and when its scores were not used."""
        if not given:
            return ()
        notes = super().notes(ranking, given)
        trust = self._trust(ranking)
        if trust == 1.0:
            return notes
        signs = []
        if self.coverage and ranking.coverage is not None:
            signs.append(f"its first hit matches {ranking.coverage:.0%} of the query")
        if self.lead:
            signs.append(f"leads by {lead(ranking):.2f}")
        return (*notes, f"trusted × {trust:.3g}: {', '.join(signs)}")

    def _trust(self, ranking: Ranking) -> float:
        covered = 1.0 if ranking.coverage is None else ranking.coverage
        return float(covered**self.coverage * lead(ranking) ** self.lead)


def lead(ranking: Ranking) -> float:
    """How far the first hit stands out, between 0.02 and 1; see ``Auto``."""
    if len(ranking) < 2 or unusable(ranking):
        return 1.0
    window = Window.of(ranking)
    scores = window.scores
    spread = window.highest - window.lowest
    if spread <= Rsf.tolerance * window.magnitude:
        return 1.0
    behind = scores[1 : 1 + _BEHIND]
    return max(_LEAST, (scores[0] - math.fsum(behind) / len(behind)) / spread)
