"""Segment: the index of some rows in the order of their ids, and how one is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plait.collection.segments.coverage import Deletions, Span
from plait.collection.segments.gathering import IDS
from plait.collection.segments.numbers import RowNumbers
from plait.collection.segments.rows import SegmentRows
from plait.collection.stored import StoredSegment
from plait.columns import Columns
from plait.dense import Metric, PackedVectors
from plait.errors import IndexFormatError
from plait.filters import Filter
from plait.lexical import PackedTerms
from plait.storage import ArrayFile, Names, Storable

__all__ = ["Segment", "merge", "open_segment"]

LAYOUT = 2
"""Counts the changes of what arrays a segment has; one with another number is made anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The index of some rows of a collection, in one state of what is alive.

    Attributes:
        span: The rows of the collection's file that it covers.
        name: The name of its file.
        arrays: What is in the file.
        rows: Ids and metadata, in the order of the ids.
        numbers: Row numbers.
        terms: Terms.
        vectors: Vectors, None without a space.
    """

    span: Span
    name: str
    arrays: ArrayFile
    rows: SegmentRows
    numbers: RowNumbers
    terms: PackedTerms
    vectors: PackedVectors | None

    def without(self, numbers: NDArray[np.int64]) -> Segment:
        """Without the rows with these numbers; others are passed over, and so are dead ones."""
        ordinals = self.rows.alive_of(self.numbers.ordinals(numbers))
        return self.without_ordinals(ordinals) if len(ordinals) else self

    def followed(self, log: Deletions, after: int) -> Segment:
        """Without the rows that a log has with numbers above ``after``."""
        return self.without(log.among(self.span, after=after))

    def without_ordinals(self, ordinals: NDArray[np.int64]) -> Segment:
        """Without the rows at these ordinals, which are alive, each once."""
        rows = self.rows.without(ordinals)
        return replace(
            self,
            rows=rows,
            terms=self.terms.without(ordinals).over(rows),
            vectors=None if self.vectors is None else self.vectors.over(rows),
        )

    def matching(self, keep: Filter | None) -> list[int]:
        """Numbers of the rows that are alive and pass."""
        numbers: list[int] = self.numbers.at(self.rows.live(keep)).tolist()
        return numbers


def open_segment(path: Path, stored: StoredSegment, metric: Metric) -> Segment:
    """The segment in a file, if it is the one that the collection lists.

    Raises:
        IndexFormatError: It is missing, damaged, of a newer format, or another one.
    """
    arrays = ArrayFile(path)
    if arrays.meta.get("layout") != LAYOUT:
        raise IndexFormatError(
            f"{path} has layout {arrays.meta.get('layout')}, this version of plait reads {LAYOUT}",
            str(path),
        )
    facts = {name: arrays.meta.get(name) for name in stored.facts}
    if arrays.mark.digest != stored.mark or facts != stored.facts:
        raise IndexFormatError(f"{path} is not the segment that the collection lists", str(path))
    rows = SegmentRows(
        Names(arrays, IDS), Columns(arrays, stored.chunks), stored.chunks, stored.chunks
    )
    return Segment(
        Span(stored.above, stored.upto),
        stored.name,
        arrays,
        rows,
        RowNumbers(arrays),
        PackedTerms.over_arrays(arrays, rows),
        None if stored.space is None else PackedVectors(arrays, rows, metric),
    )


def merge(segments: Sequence[Segment]) -> dict[str, Storable]:
    """The arrays of a segment of the rows of several that are alive, at least one.

    What is large is read from the segments when it is written.
    """
    ids = [part.rows.ids for part in segments]
    source, ordinal, _ = Names.order(ids, [part.rows.live() for part in segments])
    numbers = np.empty(len(source), dtype=np.int64)
    for number, part in enumerate(segments):
        here = np.flatnonzero(source == number)
        numbers[here] = part.numbers.at(ordinal[here])
    arrays: dict[str, Storable] = {
        **RowNumbers.build(numbers),
        **Names.merge(ids, source, ordinal, IDS),
        **Columns.merge([part.rows.columns for part in segments], source, ordinal),
        **PackedTerms.merge([part.terms for part in segments], source, ordinal),
    }
    vectors = [part.vectors for part in segments if part.vectors is not None]
    if vectors:
        arrays |= PackedVectors.merge(vectors, source, ordinal)
    return arrays
