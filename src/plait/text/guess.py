"""Guess the language of texts, to propose one for the analyzer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from plait.text.language import LANGUAGES, stop_words
from plait.text.normalize import fold, normalize
from plait.text.words import cutter

__all__ = ["guess_language"]

_SAMPLED = 20_000
_ENOUGH = 20
_SHARE = 0.15
_LEAD = 1.25


def guess_language(texts: Iterable[str]) -> str | None:
    """The language that texts are written in, by the share of its stop words among the words.

    The winner is the language whose stop words are most frequent, where a word that several
    languages list counts for each in part. It is named if at least 15 % of at least 20 words are
    its stop words, and if it leads the next one by a quarter. The first 20,000 words are read.

    Returns:
        A key of ``LANGUAGES``, or None if the texts do not tell.

    Raises:
        MissingDependencyError: stop-words is not installed.

    Example:
        >>> guess_language(["The cat sat on the mat, and it was not at all what we had expected "
        ...                 "of a cat that had never sat on anything before."])
        'en'
        >>> guess_language(["E1042", "木材"]) is None
        True
    """
    words: Counter[str] = Counter()
    for text in texts:
        normal = normalize(text)
        # An unspaced run counts as a word too, so that a few English names in a Chinese text
        # do not make it English.
        words.update(fold(match[0]) for match in cutter(normal).piece.finditer(normal))
        if words.total() >= _SAMPLED:
            break
    if words.total() < _ENOUGH:
        return None
    lists = {code: stop_words(code) for code in LANGUAGES}
    counts: Counter[str] = Counter()
    weights: dict[str, float] = defaultdict(float)
    for word, count in words.items():
        listing = [code for code, listed in lists.items() if word in listed]
        for code in listing:
            counts[code] += count
            weights[code] += count / len(listing)
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:2]
    if not ranked or counts[ranked[0][0]] < _SHARE * words.total():
        return None
    if len(ranked) == 2 and ranked[0][1] < _LEAD * ranked[1][1]:
        return None
    return ranked[0][0]
