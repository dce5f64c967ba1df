"""Hits that a leg returns twice, and hits whose texts are nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from plait.evaluation.diagnosis.case import LITTLE, TOP, Case
from plait.evaluation.diagnosis.finding import Finding, out_of

__all__ = ["duplicate_hits", "near_duplicates"]

_LENGTH = 5  # characters of a shingle: long enough to be rare, and the same in every script
_SAME = 0.8
"""Share of common shingles from which on a reader learns nothing from the second text.

Chunks that overlap by a half share a third of them.
"""
_OFTEN = 0.1
"""One place in ten of what a user sees."""


def duplicate_hits(case: Case) -> Iterator[Finding]:
    """Legs that return one id more than once for a query."""
    for leg in case.legs:
        answers = dict(case.column(leg))
        repeats = {
            topic: count
            for topic, ranking in answers.items()
            if (count := len(ranking.ids) - len(set(ranking.ids)))
        }
        if repeats:
            yield Finding(
                kind="duplicate_hits",
                severity="warning",
                legs=(leg,),
                summary=(
                    f"{leg} returns the same hit more than once for "
                    f"{out_of(len(repeats), len(answers))}"
                ),
                advice=(
                    "Only the best rank counts, so the others use up the window. Probably chunks "
                    "were added twice, or the leg returns a hit for every vector of a chunk."
                ),
                figures={
                    "queries": len(answers),
                    "repeated": len(repeats),
                    "hits": sum(repeats.values()),
                },
                examples=case.examples(
                    {topic: f"{count:,} repeated" for topic, count in repeats.items()}
                ),
            )


def near_duplicates(case: Case) -> Iterator[Finding]:
    """Fused top tens in which a hit says nearly what a better one says; needs the chunks.

    Two texts are nearly the same if they share 80 % of their runs of five characters (Jaccard),
    case and white space aside.
    """

    @cache
    def shingles(name: str) -> frozenset[str]:
        text = " ".join(case.background.chunks[name].content.casefold().split())
        return frozenset(text[at : at + _LENGTH] for at in range(max(1, len(text) - _LENGTH + 1)))

    places, repeated = 0, {}
    for topic, hits in case.top.items():
        kept: list[str] = []
        copies = {}
        for name in (hit.id for hit in hits if hit.id in case.background.chunks):
            if name is None or not case.background.chunks[name].content.strip():
                continue
            places += 1
            original = next((k for k in kept if _alike(shingles(name), shingles(k))), None)
            if original is None:
                kept.append(name)
            else:
                copies[name] = original
        if copies:
            repeated[topic] = copies
    count = sum(map(len, repeated.values()))
    if len(case.top) < LITTLE or not places or count < _OFTEN * places:
        return
    yield Finding(
        kind="near_duplicates",
        severity="warning",
        legs=(),
        summary=(
            f"{out_of(count, places, 'places')} of the fused top {TOP} repeat the text of a "
            "better hit"
        ),
        advice=(
            "The same text was probably indexed more than once, or chunks overlap much. Index it "
            "once, or diversify after fusion."
        ),
        figures={"places": places, "repeated": count, "queries": len(repeated)},
        examples=case.examples(
            {
                topic: "; ".join(f"{copy} repeats {of}" for copy, of in list(copies.items())[:2])
                for topic, copies in repeated.items()
            }
        ),
    )


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller, larger = sorted((len(one), len(other)))
    if smaller < _SAME * larger:
        return False  # even if it held nothing else
    common = len(one & other)
    return common >= _SAME * (len(one) + len(other) - common)
