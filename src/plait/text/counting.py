"""TermRows: the terms of many texts in arrays, counted for hundreds of texts at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from plait.text.counters import Counted, Ints, Longs, Numbers, TermsOf, counter
from plait.text.segments import Segmenter
from plait.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from plait.text.analyzer import Analysis

__all__ = ["Ints", "Longs", "TermRows", "Vocabulary", "count"]

_BATCH = 512  # texts that are counted at once


@dataclass(frozen=True, slots=True, eq=False)
class TermRows:
    """The terms of texts in arrays, a fraction of the size of their analyses.

    Attributes:
        terms: The distinct terms.
        term: Positions in ``terms``, row after row, shape (postings,).
        tf: How often the row has the term, likewise.
        sizes: How many distinct terms each row has, shape (rows,).
        lengths: The length of each row, shape (rows,).
    """

    terms: tuple[str, ...]
    term: Ints
    tf: Ints
    sizes: Ints
    lengths: Longs

    @classmethod
    def of(cls, analyses: Iterable[Analysis]) -> TermRows:
        """The rows of analyses; ``Analyzer.count`` makes the same of texts, and is faster."""
        numbers = Numbers(itertools.count().__next__)
        parts = []
        remaining = iter(analyses)
        while batch := list(itertools.islice(remaining, _BATCH)):
            rows = [analysis.terms for analysis in batch]
            term = np.array([numbers[term] for row in rows for term in row], dtype=np.int32)
            tf = np.array([times for row in rows for times in row.values()], dtype=np.int32)
            sizes = np.array(list(map(len, rows)), dtype=np.int32)
            lengths = np.array([analysis.length for analysis in batch], dtype=np.int64)
            parts.append(Counted(term, tf, sizes, lengths))
        return cls.joined(numbers, parts)

    @classmethod
    def joined(cls, numbers: Numbers, parts: Sequence[Counted]) -> TermRows:
        """The rows of batches that were counted with the same vocabulary."""
        ints = [np.empty(0, dtype=np.int32)]
        return cls(
            tuple(numbers),
            np.concatenate(ints + [part.term for part in parts]),
            np.concatenate(ints + [part.tf for part in parts]),
            np.concatenate(ints + [part.sizes for part in parts]),
            np.concatenate([np.empty(0, dtype=np.int64), *(part.lengths for part in parts)]),
        )


def count(texts: Iterable[str], segmenter: Segmenter, terms_of: TermsOf) -> TermRows:
    """The terms of texts, as analyzing one by one gives them.

    Args:
        texts: The texts; a few hundred are held at a time.
        segmenter: Cuts texts.
        terms_of: From a word to its distinct terms, the same each time.
    """
    numbers = Numbers(itertools.count().__next__)
    counts = counter(segmenter, terms_of, numbers).count
    parts = []
    remaining = iter(texts)
    while batch := list(itertools.islice(remaining, _BATCH)):
        parts.append(counts(batch))
    return TermRows.joined(numbers, parts)
