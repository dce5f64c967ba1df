"""Counters: the terms of a batch of texts in arrays, by compiled loops or in Python and NumPy."""

from __future__ import annotations

import ctypes
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels import words as kernel
from plait.text.characters import classes, forms
from plait.text.normalize import normalize
from plait.text.segments import Segmenter
from plait.text.words import bigrams, characters

__all__ = [
    "CompiledCounter",
    "Counted",
    "Counter",
    "Ints",
    "Longs",
    "Numbers",
    "PlainCounter",
    "counter",
]

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
TermsOf: TypeAlias = Callable[[str], tuple[str, ...]]
Numbers: TypeAlias = defaultdict[str, int]
"""A number for each term, given when it is first asked for."""

_WORDS = 1 << 20  # a table of words with more is given up for a new one


class Counted(NamedTuple):
    """The terms of some texts.

    Attributes:
        term: Numbers of terms, text after text, distinct in each, shape (postings,).
        tf: How often the text has the term, likewise.
        sizes: How many distinct terms each text has, shape (texts,).
        lengths: The length of each text, likewise.
    """

    term: Ints
    tf: Ints
    sizes: Ints
    lengths: Longs


class Counter(Protocol):
    """Counts texts as analyzing them one by one does; for one thread at a time."""

    def count(self, texts: Sequence[str]) -> Counted:
        """The terms of these texts."""
        ...


def counter(segmenter: Segmenter, terms_of: TermsOf, vocabulary: Numbers) -> Counter:
    """The fastest counter that there is here.

    Args:
        segmenter: Cuts texts.
        terms_of: From a word to its distinct terms, the same each time.
        vocabulary: The numbers of terms.
    """
    if (lib := native.library()) is None:
        return PlainCounter(segmenter, terms_of, vocabulary)
    return CompiledCounter(lib, segmenter, terms_of, vocabulary)


class CompiledCounter:
    """Compiled loops find words and count; Python says what the terms of a new word are."""

    def __init__(
        self,
        lib: ctypes.CDLL,
        segmenter: Segmenter,
        terms_of: TermsOf,
        vocabulary: Numbers,
    ) -> None:
        self._lib = lib
        self._segmenter = segmenter
        self._terms_of = terms_of
        self._vocabulary = vocabulary
        self._words = kernel.Words(lib)

    def count(self, texts: Sequence[str]) -> Counted:
        """The terms of these texts."""
        if self._words.count > _WORDS:
            self._words = kernel.Words(self._lib)
        rule = self._segmenter.rule or kernel.Rule.WORDS
        cut = self._words.cut(*self._ready(texts), classes(), rule)
        if new := self._words.unknown():
            self._learn(new)
        return Counted(*self._words.terms(cut), cut.lengths)

    def _ready(self, texts: Sequence[str]) -> tuple[bytes, Longs]:
        """The texts as they can be cut, one after the other, and where each is."""
        if self._segmenter.rule is None:
            return _laid([self._told(text) for text in texts])
        joined, spans = _laid(list(map(_encoded, texts)))
        if joined.isascii():
            return joined, spans
        joined, spans = kernel.normalize(self._lib, joined, spans[:, 1].copy(), forms())
        left = np.flatnonzero(spans[:, 0] < 0)
        if len(left):
            told, places = _laid([self._told(texts[row]) for row in left.tolist()])
            spans[left] = places + len(joined)
            joined += told
        return joined, spans

    def _told(self, text: str) -> bytes:
        """A text that only Python can normalize or cut."""
        if self._segmenter.rule is kernel.Rule.WORDS:
            return _encoded(normalize(text))
        words, _ = self._segmenter.split(text)
        return b"".join(kernel.GIVEN + _encoded(word) for word in words)

    def _learn(self, words: Sequence[bytes]) -> None:
        try:
            named = list(map(self._terms_of, map(bytes.decode, words)))
        except UnicodeDecodeError:  # of runs, or with lone surrogates
            named = list(map(self._terms, words))
        terms = map(self._vocabulary.__getitem__, chain.from_iterable(named))
        numbers = np.fromiter(terms, dtype=np.uint32)
        ends = np.fromiter(accumulate(map(len, named)), dtype=np.int64, count=len(named))
        self._words.learn(ends, numbers, len(self._vocabulary))

    def _terms(self, word: bytes) -> tuple[str, ...]:
        if word.startswith(kernel.RUN):
            return (word[1:].decode(),)
        return self._terms_of(word.decode("utf-8", "surrogatepass"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _laid(texts: Sequence[bytes]) -> tuple[bytes, Longs]:
    """Texts one after the other, and where each begins and ends."""
    ends = np.fromiter(accumulate(map(len, texts), initial=0), np.int64, len(texts) + 1)
    return b"".join(texts), np.stack([ends[:-1], ends[1:]], axis=1)


class PlainCounter:
    """The same by patterns and in NumPy."""

    def __init__(self, segmenter: Segmenter, terms_of: TermsOf, vocabulary: Numbers) -> None:
        self._split = segmenter.split
        self._vocabulary = vocabulary
        self._words = _Words(terms_of, vocabulary)

    def count(self, texts: Sequence[str]) -> Counted:
        """The terms of these texts."""
        pieces = [self._split(text) for text in texts]
        counts = np.array([len(found) for found, _ in pieces], dtype=np.int64)
        words = chain.from_iterable(found for found, _ in pieces)
        numbers = _longs(list(map(self._words.__getitem__, words)))
        lengths = counts.copy()
        rows = np.repeat(np.arange(len(texts)), counts)
        parts = [self._words.spread(numbers, rows)]
        for row, (_, runs) in enumerate(pieces):
            for run in map(characters, runs):
                named = _longs([self._vocabulary[term] for term in chain(run, bigrams(run))])
                parts.append((named, np.full(len(named), row)))
                lengths[row] += len(run)
        found = np.concatenate([numbers for numbers, _ in parts])
        where = np.concatenate([rows for _, rows in parts])
        distinct, times = np.unique(where << 32 | found, return_counts=True)
        sizes = np.bincount(distinct >> 32, minlength=len(texts)).astype(np.int32)
        term = (distinct & 0xFFFF_FFFF).astype(np.int32)
        return Counted(term, times.astype(np.int32), sizes, lengths)


class _Words(dict[str, int]):
    """A number for each word, and the numbers of its terms."""

    def __init__(self, terms_of: TermsOf, vocabulary: Numbers) -> None:
        super().__init__()
        self._terms_of = terms_of
        self._vocabulary = vocabulary
        self._flat = array("q")  # the terms of one word after the other
        self._ends = array("q", [0])

    def __missing__(self, word: str) -> int:
        self._flat.extend([self._vocabulary[term] for term in self._terms_of(word)])
        self._ends.append(len(self._flat))
        number = self[word] = len(self._ends) - 2
        return number

    def spread(self, words: Longs, rows: Longs) -> tuple[Longs, Longs]:
        """The terms of words, and the row of each."""
        if not len(words):
            return words, rows
        # Copied, since an array that is looked at cannot grow.
        ends, flat = np.array(self._ends), np.array(self._flat)
        starts, sizes = ends[words], ends[words + 1] - ends[words]
        if (sizes == 1).all():
            return flat[starts], rows
        after = np.cumsum(sizes)
        places = np.arange(int(after[-1])) + np.repeat(starts - after + sizes, sizes)
        return flat[places], np.repeat(rows, sizes)


def _longs(values: Sequence[int]) -> Longs:
    return np.array(values, dtype=np.int64)
