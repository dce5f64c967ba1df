"""Queries for which a leg finds nothing, and words that no chunk has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding, out_of

__all__ = ["empty_answers", "unknown_words"]

_OFTEN = 0.05
"""From one query in twenty on it is more than a misspelling here and there."""

_UNKNOWN = 0.4
"""Share of unknown words from which on queries and chunks probably speak differently.

German questions to English text ask for 71 % unknown words; questions in the language of the text
for 0 to 13 % on six collections, and for 29 % in Chinese, where two characters make a term.
"""

_SHOWN = 6  # words


def empty_answers(case: Case) -> Iterator[Finding]:
    """Legs that found nothing, without failing, for some queries or for all."""
    for leg in case.legs:
        answers = {
            topic: ranking
            for topic, ranking in case.column(leg)
            if case.recording.topics[topic].text is not None  # else a lexical leg cannot answer
        }
        empty = {topic: _words(case, topic) for topic, ranking in answers.items() if not ranking}
        if not empty:
            continue
        figures = {"queries": len(answers), "empty": len(empty)}
        if len(empty) == len(answers):
            if all(not any(rankings) for rankings in case.recording.rankings.values()):
                continue  # told once, for all legs
            yield Finding(
                kind="empty_leg",
                severity="problem",
                legs=(leg,),
                summary=f"{leg} returned nothing for any of {len(answers):,} queries",
                advice=(
                    "Its index is probably empty, or made with another analyzer or for another "
                    "language than the queries. Search with it alone and look at its report."
                ),
                figures=figures,
                examples=case.examples(empty),
            )
        else:
            often = len(empty) >= _OFTEN * len(answers) and len(answers) >= LITTLE
            yield Finding(
                kind="no_match",
                severity="warning" if often else "info",
                legs=(leg,),
                summary=f"{leg} finds nothing for {out_of(len(empty), len(answers))}",
                advice=(
                    "There the other legs answer alone. For a lexical leg: look whether queries "
                    "and chunks are in one language, and whether the analyzer is that of the "
                    "language (plait info)."
                ),
                figures=figures,
                examples=case.examples(empty),
            )


def _words(case: Case, topic: str) -> str:
    terms = case.background.terms.get(topic)
    return f"no chunk has: {_some(terms.unknown)}" if terms and terms.unknown else ""


def _some(words: Sequence[str]) -> str:
    return " ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else "")


def unknown_words(case: Case) -> Iterator[Finding]:
    """Queries whose words the collection mostly does not have, if it can tell.

    Stop words are not counted, nor is a word twice in one query. Needs ``Background.terms``.
    """
    topics = case.recording.topics
    known = {topic: terms for topic, terms in case.background.terms.items() if topic in topics}
    unknown = {topic: terms.unknown for topic, terms in known.items() if terms.unknown}
    asked = sum(len(terms.known) + len(terms.unknown) for terms in known.values())
    count = sum(map(len, unknown.values()))
    if len(known) < LITTLE or not count or count < _UNKNOWN * asked:
        return
    worst = sorted(unknown, key=lambda topic: len(known[topic].known) / len(unknown[topic]))
    yield Finding(
        kind="unknown_words",
        severity="warning",
        legs=(),
        summary=f"no chunk has {out_of(count, asked, 'words')} of the queries",
        advice=(
            "Queries and chunks speak differently: another language, or everyday words about "
            "technical text. Keyword search cannot bridge that; use an embedder that knows both "
            "languages, and weigh the dense leg more."
        ),
        figures={"queries": len(known), "words": asked, "unknown": count},
        examples=case.examples({topic: _some(unknown[topic]) for topic in worst}),
    )
