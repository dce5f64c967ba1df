"""The settings of the analyzer that the study compares: what is indexed, and what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from plait.text import Analyzer, Tokenizer
from plait.text.identifiers import terms_of
from plait.text.language import stop_words
from plait.text.normalize import fold, normalize
from plait.text.words import bigrams, characters, cutter

Ask: TypeAlias = Callable[[str], Sequence[str]]
Terms: TypeAlias = Sequence[str]


class Setting(NamedTuple):
    """An analyzer for what is indexed, and the terms that a query asks for."""

    analyzer: Analyzer
    ask: Ask


SPACED = (
    "language",
    "stems",
    "stop words",
    "accents",
    "language, accents",
    "identifiers whole",
    "identifiers in parts",
)
UNSPACED = ("characters", "bigrams", "trigrams", "bigrams and characters")


def settings(language: str | None) -> dict[str, Setting]:
    """The plain analyzer, and the settings for a language or for text without spaces (None)."""
    plain = Analyzer()
    found = {"plain": _asking(plain)}
    if language is None:
        cuts = (list, _bigrams, _trigrams)
        for name, cut in zip(UNSPACED, cuts, strict=False):
            found[name] = _asking(Analyzer(tokenizer=_tokenizer(tuple, cut)))
        found[UNSPACED[-1]] = Setting(plain, lambda text: tuple(plain.analyze(text).terms))
        return found
    stemmed = Analyzer(language=language)
    return found | dict(
        zip(
            SPACED,
            [
                _asking(stemmed),
                Setting(stemmed, _word_by_word(stemmed)),
                Setting(plain, _telling(plain, language)),
                _asking(Analyzer(fold_accents=True)),
                _asking(Analyzer(language=language, fold_accents=True)),
                _asking(Analyzer(tokenizer=_tokenizer(_first, _bigrams))),
                _asking(Analyzer(tokenizer=_tokenizer(_parts, _bigrams))),
            ],
            strict=True,
        )
    )


def _asking(analyzer: Analyzer) -> Setting:
    return Setting(analyzer, analyzer.query_terms)


def _word_by_word(analyzer: Analyzer) -> Ask:
    """The terms of a query with its stop words: a query of a single one keeps it."""
    return lambda text: [term for word in _words(text) for term in analyzer.query_terms(word)]


def _telling(analyzer: Analyzer, language: str) -> Ask:
    """The terms of a query without the stop words of a language that the analyzer does not know."""
    stops = stop_words(language)

    def ask(text: str) -> Terms:
        words = _words(text)
        telling = [word for word in words if fold(normalize(word)) not in stops]
        return [term for word in telling or words for term in analyzer.query_terms(word)]

    return ask


def _words(text: str) -> list[str]:
    return [text[span.start : span.end] for span in Analyzer().spans(text)]


def _tokenizer(
    of_word: Callable[[Terms], Terms], of_run: Callable[[list[str]], Terms]
) -> Tokenizer:
    """plait's own rules, but of a word's terms and an unspaced run's characters only these."""

    def tokens(text: str) -> list[str]:
        normal = normalize(text)
        return [
            token
            for match in cutter(normal).piece.finditer(normal)
            for token in (
                of_word(terms_of(match[0]))
                if match["run"] is None
                else of_run(characters(match[0]))
            )
        ]

    return tokens


def _first(terms: Terms) -> Terms:
    return terms[:1]


def _parts(terms: Terms) -> Terms:
    return terms[1:] or terms


def _bigrams(run: list[str]) -> Terms:
    return bigrams(run) or run


def _trigrams(run: list[str]) -> Terms:
    return ["".join(run[at : at + 3]) for at in range(len(run) - 2)] or ["".join(run)]
