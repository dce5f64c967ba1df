"""Where the words are: what a normalized text is cut into.

Two kinds of piece. A *word* is a run of letters, marks and digits, with the signs that hold an
identifier together when they stand inside it: ``E-1042``, ``snake_case``, ``v1.2.3``, ``C++``,
``user's``. An *unspaced run* is text of a script that puts no spaces between words (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Burmese).
"""

from __future__ import annotations

import functools
import re
from itertools import islice
from operator import add
from typing import NamedTuple

from plait.text.unicode_classes import (
    MARK,
    MARK_ABOVE,
    SPACED,
    SPACED_ABOVE,
    UNSPACED,
    UNSPACED_ABOVE,
)

__all__ = ["JOINERS", "Cutter", "bigrams", "characters", "cutter"]

JOINERS = "'’&.\\-‐·\u05f3\u05f4_"
"""The inside of ``[...]``: signs that hold an identifier together. Of underscores, any number."""

_ABOVE = re.compile("[\U00010000-\U0010ffff]")


class Cutter(NamedTuple):
    """The patterns for one repertoire of characters.

    Attributes:
        word: Matches words.
        run: Matches unspaced runs, None if the repertoire has none.
        piece: Matches either; the group is named ``word`` or ``run``.
    """

    word: re.Pattern[str]
    run: re.Pattern[str] | None
    piece: re.Pattern[str]


def cutter(text: str) -> Cutter:
    """The fastest patterns that know every character of the text.

    Example:
        >>> cutter("see E-1042.").word.findall("see E-1042.")
        ['see', 'E-1042']
    """
    if text.isascii():
        return _ASCII
    return _cutter(above=_ABOVE.search(text) is not None)


def _patterns(spaced: str, unspaced: str, mark: str) -> Cutter:
    # A mark belongs to the letter before it, whatever its script; it never begins a word.
    letters = f"[{spaced}][{spaced}{mark}]*"
    word = rf"{letters}(?:(?:_+|[{JOINERS}]){letters}|\+\+(?:{letters})?|#(?![{spaced}]))*"
    run = f"[{unspaced}][{unspaced}{mark}]*" if unspaced else None
    piece = f"(?P<word>{word})|(?P<run>{run or '(?!)'})"
    return Cutter(re.compile(word), re.compile(run) if run else None, re.compile(piece))


@functools.cache
def _cutter(*, above: bool) -> Cutter:
    """Compiled when first used: it takes tens of milliseconds."""
    if above:
        return _patterns(SPACED + SPACED_ABOVE, UNSPACED + UNSPACED_ABOVE, MARK + MARK_ABOVE)
    return _patterns(SPACED, UNSPACED, MARK)


_ASCII = _patterns("A-Za-z0-9", "", "")


def characters(run: str) -> list[str]:
    """The characters of an unspaced run, each with its marks.

    Example:
        >>> characters("𠮷野家")
        ['𠮷', '野', '家']
        >>> len(characters("ที่"))
        1
    """
    mark, character = _marks()
    return character.findall(run) if mark.search(run) else list(run)


@functools.cache
def _marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A mark, and a character with its marks."""
    mark = f"[{MARK}{MARK_ABOVE}]"
    return re.compile(mark), re.compile(f"(?s:.){mark}*")


def bigrams(run: list[str]) -> list[str]:
    """Each two neighbors of the characters of a run; none for a single one.

    Example:
        >>> bigrams(["申", "请", "退"])
        ['申请', '请退']
    """
    return list(map(add, run, islice(run, 1, None)))
