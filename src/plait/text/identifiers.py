"""The terms of one word: the word as a whole, and the parts that an identifier is made of."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterator

from plait.text.normalize import fold
from plait.text.words import JOINERS

__all__ = ["terms_of"]

_JOINERS = re.compile(f"[{JOINERS}]+")
_SIGNS = {"’": "'", "ʼ": "'", "‐": "-"}  # as they are folded
_BETWEEN_DIGITS = re.compile(f"0[{JOINERS}]+0")
# Over the shape of a word: U an upper-case letter, l any other, m a mark, 0 a digit, signs as they
# are.
_PART = re.compile(
    r"""
    0+ (?: \. 0+ )*                               # 1042; the dotted 1.2.3 of v1.2.3 is one part
    | (?: U m* ){2,} (?= l m* (?![lm]) )          # PDF of PDFs, IP of IPv6
    | (?: U m* )+ (?= U m* l )                    # XML of XMLHttp
    | (?: U m* )? (?: l m* )+ (?: \+\+ | \# )?    # get, User
    | (?: U m* )+ (?: \+\+ | \# )?               # HTTP, C++
    """,
    re.VERBOSE,
)
# A single small letter here ends a word (user's, PDFs, 5m) and is no part of an identifier.
_ENDING = re.compile(r"(?<=[U0'])l")


def terms_of(word: str, *, accents: bool = False) -> tuple[str, ...]:
    """The distinct terms of one word of a normalized text, the whole word first.

    The whole word stands without the signs inside, so that spellings meet: ``E-1042`` and
    ``E1042``, ``node.js`` and ``nodejs``, ``user_name`` and ``userName``. The signs stay where
    they stand between digits, since 1.5 is not 15. Then come the parts, where signs, digits and
    letters, or small and capital letters meet; a dotted number is one part.

    Args:
        word: A word as the patterns of ``plait.text.words`` find it, in its own case.
        accents: Take off accents, as in ``fold``.

    Example:
        >>> terms_of("E-1042"), terms_of("getUserName")
        (('e1042', 'e', '1042'), ('getusername', 'get', 'user', 'name'))
        >>> terms_of("v1.2.3"), terms_of("C++"), terms_of("user's")
        (('v1.2.3', 'v', '1.2.3'), ('c++', 'c'), ('users', 'user'))
    """
    whole = fold(word, accents=accents)
    if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):
        return (whole,)
    shape = _shape(word)
    bare, spans = _plan(shape)
    if word.isascii():  # the case changes no offsets
        parts = [whole[start:end] for start, end in spans]
    else:
        parts = [fold(word[start:end], accents=accents) for start, end in spans]
    if bare:
        whole = _JOINERS.sub("", whole)
    return tuple(dict.fromkeys((whole, *parts)))


def _shape(word: str) -> str:
    return word.translate(_ASCII) if word.isascii() else "".join(map(_kind, word))


@functools.lru_cache(maxsize=1 << 14)  # many words share a shape
def _plan(shape: str) -> tuple[bool, tuple[tuple[int, int], ...]]:
    """Whether signs are taken out of the whole word, and where its parts are."""
    bare = not shape.isalnum() and not _BETWEEN_DIGITS.search(shape)
    return bare, tuple(_parts(shape))


def _parts(shape: str) -> Iterator[tuple[int, int]]:
    for match in _PART.finditer(shape):
        start, end = match.span()
        if end - start > 1 or not _ENDING.match(shape, start):
            yield start, end
            if shape[end - 1] in "+#":
                yield start, start + len(match[0].rstrip("+#"))


def _kind(char: str) -> str:
    char = _SIGNS.get(char, char)
    if char.isdecimal():
        return "0"
    if char.isupper():
        return "U"
    if char.isalnum():
        return "l"
    return "m" if unicodedata.category(char)[0] == "M" else char


_ASCII = "".join(map(_kind, map(chr, range(128))))
