"""What compiled loops must know of each character to normalize texts and to cut them.

The tables say what ``plait.text.normalize``, ``plait.text.words`` and ``str.isspace`` say. They are
made of the ``unicodedata`` of the running Python when first used, in some hundredths of a second.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from plait.kernels.words import ALL, Class, Form, Forms
from plait.text.normalize import IGNORED
from plait.text.unicode_classes import (
    MARK,
    MARK_ABOVE,
    SPACED,
    SPACED_ABOVE,
    UNSPACED,
    UNSPACED_ABOVE,
)
from plait.text.words import JOINERS

__all__ = ["classes", "forms"]

_KNOWN = 0x20000  # what is above is rare, but for ideographs, which nothing becomes of
_IDEOGRAPHS = range(0x20000, 0x2F800)
_LEADING_JAMO = range(0x1100, 0x1113)
_VOWEL_JAMO = range(0x1161, 0x1176)
_FINAL_JAMO = range(0x11A8, 0x11C3)
_SYLLABLES = range(0xAC00, 0xD7A4)


@functools.cache
def classes() -> NDArray[np.uint8]:
    """The classes of all characters, see ``plait.kernels.words``."""
    found = np.zeros(ALL + 1, dtype=np.uint8)
    for inside, its in (
        (SPACED + SPACED_ABOVE, Class.SPACED),
        (UNSPACED + UNSPACED_ABOVE, Class.UNSPACED),
        (MARK + MARK_ABOVE, Class.MARK),
    ):
        for each in _ranges(inside):
            found[each.start : each.stop] = its
    for char in JOINERS.replace("\\", ""):
        found[ord(char)] = Class.JOINER
    for char in filter(str.isspace, map(chr, range(0x3001))):
        found[ord(char)] = Class.SPACE
    return found


@functools.cache
def forms() -> Forms:
    """What becomes of all characters, see ``plait.kernels.words``."""
    chars = list(map(chr, range(_KNOWN)))
    found = np.full(ALL + 1, Form.ASK, dtype=np.uint16)
    found[:_KNOWN] = _ranks(chars) << Form.RANK
    found[_IDEOGRAPHS.start : _IDEOGRAPHS.stop] = 0
    changing = list(filter(unicodedata.decomposition, chars))
    apart = {char: unicodedata.normalize("NFD", char) for char in changing}
    composed = [c for c in changing if apart[c] != c == unicodedata.normalize("NFC", c)]
    firsts = {*composed, *(apart[char][0] for char in composed)}
    seconds = {each for char in composed for each in apart[char][1:]}
    found[[*map(ord, firsts), *_LEADING_JAMO, *_SYLLABLES]] |= Form.FIRST
    found[[*map(ord, seconds), *_VOWEL_JAMO, *_FINAL_JAMO]] |= Form.SECOND
    moving = set(map(chr, np.flatnonzero(found[:_KNOWN] & ~np.uint16(Form.FIRST)).tolist()))
    replaced: dict[int, str] = {}
    for char in changing:
        settled = unicodedata.normalize("NFKC", char)
        parts = any(map(str.isspace, settled)) and not char.isspace()
        if parts or not moving.isdisjoint((char, unicodedata.normalize("NFKD", char)[0], *settled)):
            found[ord(char)] = Form.ASK
        elif settled != char:
            replaced[ord(char)] = settled
            found[ord(char)] = Form.REPLACED | (found[ord(settled[-1])] & Form.FIRST)
    for each in _ranges(IGNORED):
        found[each.start : each.stop] = Form.DROPPED
    return Forms.of(found, replaced)


def _ranks(chars: Sequence[str]) -> NDArray[np.uint16]:
    """The ranks of the characters' canonical combining classes."""
    classes = np.fromiter(map(unicodedata.combining, chars), dtype=np.uint8, count=len(chars))
    ranks = np.cumsum(np.bincount(classes, minlength=256) > 0) - 1
    return ranks.astype(np.uint16)[classes]


def _ranges(inside: str) -> Iterator[range]:
    """The ranges of the inside of a regular expression's ``[...]``."""
    at = 0
    while at < len(inside):
        last = at + 2 if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside) else at
        yield range(ord(inside[at]), ord(inside[last]) + 1)
        at = last + 1
