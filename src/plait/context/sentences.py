"""Sentences: where a text that is too long is cut."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence

from plait.text.sentences import SENTENCE_END

__all__ = ["cut_text"]

_WORD_END = re.compile(r"(?<=\S)(?=\s)")

_ELLIPSIS = "…"
_WINDOW = 512


def cut_text(text: str, fits: Callable[[str], bool]) -> str:
    """The longest beginning of a text that fits and ends where a sentence does.

    If not even the first sentence fits it is cut behind a word and marked with "…"; if not even a
    word does, behind a character.

    Args:
        text: The text.
        fits: Whether a beginning fits. If it does, every shorter one should.

    Returns:
        The beginning without white space around it; empty if not one character fits.

    Example:
        >>> cut_text("Cats sleep. Dogs bark. Birds sing.", lambda part: len(part) < 25)
        'Cats sleep. Dogs bark.'
        >>> cut_text("Cats sleep all day", lambda part: len(part) < 12)
        'Cats sleep…'
    """
    text = text.strip()
    if fits(text):
        return text
    # Only the beginning is looked at, as far as it is needed: the text may be very long.
    width = _WINDOW
    while width < len(text) and fits(text[:width]):
        width *= 2
    text = text[:width]
    for pattern, mark in ((SENTENCE_END, ""), (_WORD_END, _ELLIPSIS)):
        found = _longest(text, [match.end() for match in pattern.finditer(text)], mark, fits)
        if found:
            return found
    characters = [
        place
        for place in range(1, len(text))
        if unicodedata.category(text[place])[0] != "M"  # never between a letter and its marks
    ]
    return _longest(text, characters, _ELLIPSIS, fits)


def _longest(text: str, ends: Sequence[int], mark: str, fits: Callable[[str], bool]) -> str:
    """The text up to the last end that fits, with a mark behind it; empty if none does."""
    count = bisect_right(ends, False, key=lambda end: not fits(text[:end] + mark))
    # Bisection has tried the end before that one, so it fits also where ``fits`` is not monotonic.
    return text[: ends[count - 1]] + mark if count else ""
