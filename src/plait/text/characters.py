"""What compiled loops must know of each character to normalize texts and to cut them.

The tables say what ``plait.text.normalize``, ``plait.text.words`` and ``str.isspace`` say. They are
made of the ``unicodedata`` of the running Python when first used, in some hundredths of a second.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator

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

# Above are only ideographs, tags and what is private: too few to go through all of them.
_KNOWN = 0x30000
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
    orders = np.fromiter(map(unicodedata.combining, chars), dtype=np.int64, count=_KNOWN)
    found = np.zeros(ALL + 1, dtype=np.uint16)
    found[:_KNOWN] = np.unique(orders, return_inverse=True)[1] << Form.RANK
    changing = [char for char in chars if unicodedata.decomposition(char)]
    composed = {char: unicodedata.normalize("NFD", char) for char in changing}
    composed = {char: apart for char, apart in composed.items() if apart != char}
    firsts = {*map(ord, composed), *(ord(apart[0]) for apart in composed.values())}
    seconds = {ord(char) for apart in composed.values() for char in apart[1:]}
    found[[*firsts, *_LEADING_JAMO, *_SYLLABLES]] |= Form.FIRST
    found[[*seconds, *_VOWEL_JAMO, *_FINAL_JAMO]] |= Form.SECOND
    moving = (found >> Form.RANK > 0) | (found & Form.SECOND > 0)
    replaced: dict[int, str] = {}
    for char in changing:
        number, settled = ord(char), unicodedata.normalize("NFKC", char)
        if settled == char and moving[number]:
            continue
        apart = unicodedata.normalize("NFKD", char)
        moves = moving[[number, ord(apart[0]), *map(ord, settled)]].any()
        parts = any(map(str.isspace, settled)) and not char.isspace()
        if moves or parts:
            found[number] = Form.ASK
        elif settled != char:
            replaced[number] = settled
            found[number] = Form.REPLACED | (found[ord(settled[-1])] & Form.FIRST)
    found[_KNOWN:] = Form.ASK
    for each in _ranges(IGNORED):
        found[each.start : each.stop] = Form.DROPPED
    return Forms.of(found, replaced)


def _ranges(inside: str) -> Iterator[range]:
    """The ranges of the inside of a regular expression's ``[...]``."""
    at = 0
    while at < len(inside):
        last = at + 2 if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside) else at
        yield range(ord(inside[at]), ord(inside[last]) + 1)
        at = last + 1
