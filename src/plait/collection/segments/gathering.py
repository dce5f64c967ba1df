"""Gathering: rows that come one after the other, and the segment that they become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.collection.segments.numbers import RowNumbers
from plait.collection.stored import Space, StoredRow
from plait.columns import Columns
from plait.dense import Metric, PackedVectors
from plait.lexical import PackedTerms
from plait.storage import Names
from plait.text import Analyzer

__all__ = ["IDS", "Gathering"]

IDS = "ids"
"""What the arrays of the ids are called."""

_ROWS = 1 << 17  # rows of a segment when it is written first,
_LOAD = 1 << 26  # or so many letters and bytes
_TEXTS = 512  # texts that are counted at once,
_LETTERS = 1 << 20  # or so much of them


class Gathering:
    """Rows of a collection on their way into a segment. Their texts are counted and let go.

    For one thread at a time.

    Args:
        analyzer: How texts become terms.
        space: Whose vectors the rows have, None for none.

    Attributes:
        space: Likewise.
        numbers: The rows' numbers, in the order in which they came.
    """

    def __init__(self, analyzer: Analyzer, space: Space | None = None) -> None:
        self._analyzer = analyzer
        self._pool = ThreadPoolExecutor(1, "plait-gathering")  # which starts when it is used
        self.begin(space)

    def begin(self, space: Space | None) -> None:
        """Forget all rows; the next ones have the vectors of this space."""
        self.space = space
        self.numbers: list[int] = []
        self._ids: list[str] = []
        self._metadata: list[str] = []
        self._vectors: list[bytes] = []
        self._texts: list[str] = []
        self._letters = 0
        self._load = 0
        self._counted: Future[None] | None = None
        self._counting = self._analyzer.counting()

    @property
    def is_full(self) -> bool:
        """Whether there is as much as goes into one segment."""
        return len(self.numbers) >= _ROWS or self._load >= _LOAD

    def add(self, rows: Sequence[StoredRow]) -> None:
        """Take more rows, at least one."""
        numbers, ids, texts, metadata, vectors = zip(*rows, strict=True)
        self.numbers += numbers
        self._ids += ids
        self._texts += texts
        self._metadata += metadata
        letters = sum(map(len, texts))
        self._letters += letters
        self._load += letters + sum(map(len, metadata))
        if self.space is not None:
            self._vectors += vectors
            self._load += sum(map(len, vectors))
        if len(self._texts) >= _TEXTS or self._letters >= _LETTERS:
            self._start_counting()

    def holds(self, numbers: Sequence[int], space: Space | None) -> bool:
        """Whether all of these rows are here, with the vectors of a space."""
        return space == self.space and set(self.numbers).issuperset(numbers)

    def build(self, alive: Iterable[int], metric: Metric) -> dict[str, NDArray[Any]]:
        """The arrays of a segment; afterwards nothing is here any more.

        Args:
            alive: Which rows it has, by number; at least one.
            metric: How close two vectors are.
        """
        self._await_counted()
        self._counting.add(self._texts)
        kept = set(alive)
        places = [place for place, number in enumerate(self.numbers) if number in kept]
        places.sort(key=self._ids.__getitem__)
        arrays: dict[str, NDArray[Any]] = {
            **RowNumbers.build(np.array([self.numbers[place] for place in places], dtype=np.int64)),
            **Names.build([self._ids[place] for place in places], IDS),
            **Columns.build([self._metadata[place] for place in places]),
        }
        terms = self._counting.rows().at(np.array(places, dtype=np.int64))
        vectors = None
        if self.space is not None:
            joined = b"".join(self._vectors[place] for place in places)
            vectors = np.frombuffer(joined, dtype="<f4").reshape(len(places), self.space.dim)
        self.begin(self.space)  # so that none of it is held twice
        arrays |= PackedTerms.build(terms)
        if vectors is not None:
            arrays |= PackedVectors.build(vectors, metric)
        return arrays

    def _start_counting(self) -> None:
        """Count the texts that are here while others come: most of it is compiled."""
        self._await_counted()
        self._counted = self._pool.submit(self._counting.add, self._texts)
        self._texts, self._letters = [], 0

    def _await_counted(self) -> None:
        counted, self._counted = self._counted, None
        if counted is not None:
            counted.result()
