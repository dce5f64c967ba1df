"""Legs that hardly agree on what is at the top, and legs of which one would do."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding
from plait.evaluation.diagnosis.pairs import Pair

__all__ = ["overlap_of_legs"]

_LOW = 0.15
"""Below this share of common hits in the top ten, two legs hardly agree.

Keywords and a dense model (three were tried) share 0.23 to 0.54 on ten collections on which both
are of use, and 0.12 on exact error codes, of which the dense models find next to nothing.
"""

_HIGH = 0.95
"""From this rank-biased overlap on, two legs differ in one of the first ten hits or so."""


def overlap_of_legs(case: Case) -> Iterator[Finding]:
    """Pairs of legs whose first hits have hardly anything in common, or nearly everything.

    Legs that never meet at all are left to ``identity``.
    """
    for pair in case.pairs:
        if pair.queries < LITTLE or not pair.overlap:
            continue
        if (pair.overlap_at_10 or 0.0) < _LOW:
            yield _apart(pair, pair.overlap_at_10 or 0.0)
        elif (pair.rank_biased or 0.0) >= _HIGH:
            yield _alike(pair)


def _apart(pair: Pair, overlap: float) -> Finding:
    return Finding(
        kind="low_overlap",
        severity="warning",
        legs=(pair.first, pair.second),
        summary=(
            f"{pair.first} and {pair.second} hardly agree: {100 * overlap:.0f} % of their "
            "first ten hits are the same"
        ),
        advice=(
            "One of them is probably of little use for these queries. Find out which: run each "
            "alone (plait search --leg), or let plait tune choose the weights; plait tune --self "
            "needs no judgments."
        ),
        figures=pair.to_dict(),
    )


def _alike(pair: Pair) -> Finding:
    return Finding(
        kind="high_overlap",
        severity="info",
        legs=(pair.first, pair.second),
        summary=(
            f"{pair.first} and {pair.second} answer nearly the same: rank-biased overlap "
            f"{pair.rank_biased:.2f}"
        ),
        advice="The fusion gains little from having both; leaving one out saves its time.",
        figures=pair.to_dict(),
    )
