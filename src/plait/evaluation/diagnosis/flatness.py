"""Legs whose scores do not tell their hits apart: flat, or many at one maximum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding, out_of
from plait.fusion.normalize import Window, unusable
from plait.fusion.score_based import ScoreFusion
from plait.types import Ranking

__all__ = ["capped_scores", "flat_scores"]

_OFTEN = 0.1
"""Share of queries from which on it is the leg's way, and not that of a few odd queries."""

_TIED = 5
"""So many hits at one maximum are half a page of answers in an order that means nothing."""

_ONE_VALUE = 0.5
"""If half of the tied maxima are one and the same number, that number is a ceiling."""


def flat_scores(case: Case) -> Iterator[Finding]:
    """Legs whose scores often do not vary over the whole window, at least two hits.

    The measure is that of the score fusions: a spread of at most 1e-6 of the magnitude.
    """
    for leg in case.legs:
        told = {topic: ranking for topic, ranking in case.column(leg) if _tells(ranking)}
        flat = {
            topic: f"{len(ranking):,} hits at {ranking.scores[0]:g}"
            for topic, ranking in told.items()
            if _is_flat(ranking)
        }
        if len(told) < LITTLE or len(flat) < _OFTEN * len(told):
            continue
        yield Finding(
            kind="flat_scores",
            severity="warning",
            legs=(leg,),
            summary=f"the scores of {leg} do not vary for {out_of(len(flat), len(told))}",
            advice=(
                "Such a leg says what it found but not what is better, and a score fusion counts "
                "each of its hits the same. Let it return graded scores, or give it less weight."
            ),
            figures={"queries": len(told), "flat": len(flat)},
            examples=case.examples(flat),
        )


def capped_scores(case: Case) -> Iterator[Finding]:
    """Legs that often give five or more hits, with different texts, one highest score.

    If it is the same number again and again, scores are cut off there: clipped to 1.0 or 100, or
    rounded. If it is not, hits are tied for another reason.
    """
    for leg in case.legs:
        told = {
            topic: ranking
            for topic, ranking in case.column(leg)
            if _tells(ranking) and not _is_flat(ranking)
        }
        tied = {
            topic: ties
            for topic, ranking in told.items()
            if (ties := _ties(case, ranking)) >= _TIED
        }
        if len(told) < LITTLE or len(tied) < _OFTEN * len(told):
            continue
        maxima = Counter(told[topic].scores[0] for topic in tied)
        value, repeats = maxima.most_common(1)[0]
        ceiling = len(tied) > 1 and repeats >= _ONE_VALUE * len(tied)
        yield Finding(
            kind="capped_scores",
            severity="warning",
            legs=(leg,),
            summary=(
                f"{leg} gives {_TIED} or more hits the same highest score for "
                f"{out_of(len(tied), len(told))}" + (f", mostly {value:g}" if ceiling else "")
            ),
            advice="Their order means nothing. "
            + (
                "Take the cap or the rounding out of the leg's scores."
                if ceiling
                else "Look whether the leg rounds its scores or matches whole chunks only."
            ),
            figures={
                "queries": len(told),
                "tied": len(tied),
                "most_tied": max(tied.values()),
                "ceiling": value if ceiling else None,
            },
            examples=case.examples(
                {
                    topic: f"{ties:,} hits at {told[topic].scores[0]:g}"
                    for topic, ties in tied.items()
                }
            ),
        )


def _tells(ranking: Ranking) -> bool:
    """Whether there are scores to compare."""
    return len(ranking) > 1 and unusable(ranking) is None


def _is_flat(ranking: Ranking) -> bool:
    window = Window.of(ranking)
    return window.highest - window.lowest <= ScoreFusion.tolerance * window.magnitude


def _ties(case: Case, ranking: Ranking) -> int:
    """How many hits share the highest score; those known to have one text count once."""
    texts = set()
    for name, score in zip(ranking.ids, ranking.scores, strict=True):
        if score != ranking.scores[0]:
            break
        chunk = case.background.chunks.get(name or "")
        texts.add(("id", name) if chunk is None else ("text", chunk.content))
    return len(texts)
