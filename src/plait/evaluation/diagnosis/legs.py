"""LegFigures: what one leg does over all queries."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from plait.evaluation.diagnosis.case import Case

__all__ = ["LegFigures"]


@dataclass(frozen=True, slots=True)
class LegFigures:
    """What one leg does over all queries.

    Attributes:
        leg: Name of the leg.
        weight: Its weight in the fusion.
        answered: How many queries it found something for.
        empty: How many it found nothing for, without failing.
        failed: How many it failed for.
        hits: Mean number of hits where it found something, None if it never did.
        in_top: Share of the places in the fused top tens that hold a hit of this leg, None if
            there are none.
        share: Share of the fused score of the top tens that is its own, None where nothing was
            fused, or where contributions may be negative, as z-scores are.
    """

    leg: str
    weight: float
    answered: int
    empty: int
    failed: int
    hits: float | None
    in_top: float | None
    share: float | None

    @classmethod
    def of(cls, case: Case, leg: str) -> LegFigures:
        """The figures of a leg."""
        sizes = [len(ranking) for _, ranking in case.column(leg)]
        found = [size for size in sizes if size]
        places = [hit for hits in case.top.values() for hit in hits]
        shares = [share for hit in places for share in hit.contributions]
        own = [share for share in shares if share.leg == leg]
        total = math.fsum(share.value for share in shares)
        parts = total > 0 and all(share.value >= 0 for share in shares)
        return cls(
            leg=leg,
            weight=case.weights[leg],
            answered=len(found),
            empty=len(sizes) - len(found),
            failed=len(case.recording.rankings) - len(sizes),
            hits=fmean(found) if found else None,
            in_top=fmean(share.rank is not None for share in own) if own else None,
            share=math.fsum(share.value for share in own) / total if parts else None,
        )

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return asdict(self)
