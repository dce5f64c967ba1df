"""Words: texts cut into words, each word known by a number, and the terms of each text counted.

What the words and their terms are is said by ``plait.text``: it gives the tables of characters,
and the terms of each word when it is first seen. It also does the same without compiled loops, by
patterns and in NumPy, so there is no other twin; the two are tested against each other.

**Texts** are UTF-8, lone surrogates too. One that begins with ``GIVEN`` is cut already: a word
follows each ``GIVEN``.

**Normalizing** is NFKC without some characters. Nearly every text settles by looking at its
characters one by one (Unicode Standard Annex 15, on detecting normalization forms): each stays, is
dropped, or is replaced by others that stay. A text in which characters might be reordered or
composed is left to the caller.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.kernels.native import address as _at

__all__ = ["ALL", "GIVEN", "RUN", "Class", "Cut", "Form", "Forms", "Rule", "Words", "normalize"]

ALL = 0x110000
"""How many characters there are; in tables of them this is the place of what is none."""

GIVEN = b"\xff"
"""Stands before a word that is given."""

RUN = b"\xfe"
"""Stands before what is of an unspaced run, among words whose terms are asked for."""


class Class:
    """What a character is for cutting: see ``plait.text.words``; SPACE is for ``str.split``."""

    SPACED = 1
    UNSPACED = 2
    MARK = 4
    JOINER = 8
    SPACE = 16


class Form:
    """What becomes of a character when a text is normalized.

    DROPPED: it goes. REPLACED: by other characters. ASK: it is not known here. FIRST and SECOND: it
    may compose with another, as the first or second of them. From bit RANK on stands the rank of
    its canonical combining class, 0 for class 0.
    """

    DROPPED = 1
    REPLACED = 2
    ASK = 4
    FIRST = 8
    SECOND = 16
    RANK = 8


class Rule(IntEnum):
    """How texts are cut: into words and unspaced runs, or at white space."""

    WORDS = 0
    SPACES = 1


@dataclass(frozen=True, eq=False)
class Forms:
    """What becomes of all characters.

    Attributes:
        flags: ``Form`` of each, uint16 of shape (ALL + 1,).
        which: Those that are replaced, ascending, uint32 of shape (n,).
        starts: Where the text for each begins, and the end of the last, uint32 of shape (n + 1,).
        text: UTF-8.
        growth: How many times as long a text can get.
    """

    flags: NDArray[np.uint16]
    which: NDArray[np.uint32]
    starts: NDArray[np.uint32]
    text: bytes
    growth: int

    @classmethod
    def of(cls, flags: NDArray[np.uint16], replaced: Mapping[int, str]) -> Forms:
        """From the texts by which characters are replaced."""
        which = sorted(replaced)
        texts = [replaced[number].encode() for number in which]
        starts = np.array([0, *accumulate(map(len, texts))], dtype=np.uint32)
        longest = max(map(len, texts), default=1)
        return cls(flags, np.array(which, dtype=np.uint32), starts, b"".join(texts), longest)


def normalize(
    lib: ctypes.CDLL, text: bytes, ends: NDArray[np.int64], forms: Forms
) -> tuple[bytes, NDArray[np.int64]]:
    """Texts normalized, one after the other.

    Args:
        lib: The compiled loops.
        text: The texts, one after the other.
        ends: Where each ends, shape (texts,).
        forms: What becomes of characters.

    Returns:
        The normalized texts, and where each begins and ends among them, shape (texts, 2);
        (-1, -1) for one that must be normalized by the caller.
    """
    made = np.empty(len(text) * forms.growth, dtype=np.uint8)
    spans = np.empty((len(ends), 2), dtype=np.int64)
    size = _declared(lib).plait_words_normalize(
        text, _at(ends), len(ends), _at(forms.flags), _at(forms.which), _at(forms.starts),
        forms.text, len(forms.which), _at(made), _at(spans),
    )  # fmt: skip
    return made[:size].tobytes(), spans


class Cut(NamedTuple):
    """Texts that were cut.

    Attributes:
        numbers: The numbers of what each text was cut into, text after text, uint32 of shape (n,).
        pieces: How many each text has, shape (texts,).
        lengths: How many of them count as positions: not two neighbors of a run; likewise.
    """

    numbers: NDArray[np.uint32]
    pieces: NDArray[np.int64]
    lengths: NDArray[np.int64]


class Words:
    """A number for each word, and the terms of words. For one thread at a time.

    Args:
        lib: The compiled loops.

    Raises:
        MemoryError: There is not enough, here and in the methods.
    """

    def __init__(self, lib: ctypes.CDLL) -> None:
        self._lib = _declared(lib)
        self._held = self._lib.plait_words_new()
        if not self._held:
            raise MemoryError("no memory for a table of words")
        weakref.finalize(self, self._lib.plait_words_free, self._held)
        self.count = 0
        """How many words have a number."""

    def cut(
        self, text: bytes, spans: NDArray[np.int64], classes: NDArray[np.uint8], rule: Rule
    ) -> Cut:
        """Cut normalized texts.

        Args:
            text: The texts.
            spans: Where each begins and ends, shape (texts, 2).
            classes: ``Class`` of each character, shape (ALL + 1,).
            rule: How, for texts that are not cut already.
        """
        numbers = np.empty(len(text), dtype=np.uint32)
        pieces, lengths = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
        count = self._lib.plait_words_cut(
            self._held, text, _at(spans), len(spans), _at(classes), rule,
            _at(numbers), _at(pieces), _at(lengths),
        )  # fmt: skip
        if count < 0:
            raise MemoryError(f"no memory for more than {self.count} words")
        self.count = count
        return Cut(numbers[: int(pieces.sum())], pieces, lengths)

    def unknown(self) -> list[bytes]:
        """The words whose terms were not told yet, by number."""
        size = ctypes.c_int64()
        found = self._lib.plait_words_unknown(self._held, ctypes.byref(size))
        words = ctypes.string_at(found, size.value).split(GIVEN)
        return words[:-1]  # there is one after the last, too

    def learn(self, ends: NDArray[np.int64], terms: NDArray[np.uint32], count: int) -> None:
        """Tell the terms of these words.

        Args:
            ends: Where the terms of each word end, shape (words,).
            terms: Numbers of terms, word after word.
            count: More than any number of a term.
        """
        if self._lib.plait_words_learn(self._held, _at(ends), _at(terms), count) < 0:
            raise MemoryError(f"no memory for the terms of {self.count} words")

    def terms(self, cut: Cut) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """The distinct terms of each text.

        Returns:
            Numbers of terms and how often each occurs, text after text, shape (n,) each; how many
            of them each text has, shape (texts,).
        """
        numbers, pieces = cut.numbers, cut.pieces
        room = self._lib.plait_words_terms(self._held, _at(numbers), len(numbers))
        terms, tfs = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        sizes = np.empty(len(pieces), dtype=np.int32)
        size = self._lib.plait_words_count(
            self._held, _at(numbers), _at(pieces), len(pieces), _at(terms), _at(tfs), _at(sizes)
        )
        return terms[:size].copy(), tfs[:size].copy(), sizes


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    at, number = ctypes.c_void_p, ctypes.c_int64
    for name, result, arguments in (
        ("normalize", number, [at, at, number, at, at, at, at, number, at, at]),
        ("new", at, []),
        ("free", None, [at]),
        ("cut", number, [at, at, at, number, at, ctypes.c_int32, at, at, at]),
        ("unknown", at, [at, at]),
        ("learn", ctypes.c_int32, [at, at, at, number]),
        ("terms", number, [at, at, number]),
        ("count", number, [at, at, at, number, at, at, at]),
    ):
        function = getattr(lib, f"plait_words_{name}")
        function.argtypes, function.restype = arguments, result
    return lib
