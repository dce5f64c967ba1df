"""The chunks that an in-memory index knows, by ordinal: ids, metadata, which are alive.

An ordinal is a row number. It is given once and never reused, so that the lexical and the dense
index of one set of chunks can speak of the same rows and share one mask per filter.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.filters import Filter
from plait.types import Chunk

__all__ = [
    "Bits",
    "ChunkTable",
    "Mask",
    "Ordinals",
    "PartRanking",
    "Rows",
    "TableView",
    "merge_rankings",
]

Mask: TypeAlias = NDArray[np.bool_]
Ordinals: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint64]
"""A mask, 64 rows in a number: row i is bit i % 64 of number i // 64; what is left over is 0."""

_CACHED_FILTERS = 64


class Rows(Protocol):
    """The rows of one immutable part of an index, in one state of what is alive.

    Ordinals ascend with ids, so among equal scores the lower ordinal comes first.
    """

    @property
    def size(self) -> int:
        """Rows, dead ones included."""
        ...

    @property
    def count(self) -> int:
        """Rows that are alive."""
        ...

    def names(self, ordinals: Ordinals, /) -> list[str]:
        """The ids at these ordinals."""
        ...

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        """The rows that are alive and pass, shape ((size + 63) // 64,); None for every row."""
        ...

    def rows(self, ids: Iterable[str], keep: Filter | None = None, /) -> Ordinals:
        """The ordinals of ids that are alive and pass the filter; other ids are left out."""
        ...


@dataclass(frozen=True, slots=True)
class PartRanking:
    """The best rows of one part of an index, best first, ties by id.

    Attributes:
        ids: Their ids.
        scores: Their scores, rounded to float32.
        total: How many rows of the part matched before the cut, None if that was not counted.
        chunks: The chunks, or empty for a part that has none.
    """

    ids: tuple[str, ...]
    scores: tuple[float, ...]
    total: int | None
    chunks: tuple[Chunk, ...] = ()


def merge_rankings(
    parts: Sequence[PartRanking], top_k: int, *, higher_is_better: bool = True
) -> PartRanking:
    """The ranking of all rows of several parts, which have no id in common.

    Args:
        parts: At least the best ``top_k`` of each part, or all that it has.
        top_k: How many to keep.
        higher_is_better: False for distances.

    Returns:
        The best by (score, id); it carries chunks if every part with a hit does.

    Example:
        >>> left, right = PartRanking(("b",), (2.0,), 5), PartRanking(("a", "c"), (2.0, 1.0), 3)
        >>> merge_rankings([left, right], top_k=2)
        PartRanking(ids=('a', 'b'), scores=(2.0, 2.0), total=8, chunks=())
    """
    if len(parts) == 1 and len(parts[0].ids) <= top_k:
        return parts[0]
    sign = -1.0 if higher_is_better else 1.0
    named = sorted(
        (sign * score, identity, part, place)
        for part, each in enumerate(parts)
        for place, (identity, score) in enumerate(zip(each.ids, each.scores, strict=True))
    )[:top_k]
    totals = [each.total for each in parts]
    whole = all(len(each.chunks) == len(each.ids) for each in parts)
    return PartRanking(
        ids=tuple([identity for _, identity, _, _ in named]),
        scores=tuple([parts[part].scores[place] for _, _, part, place in named]),
        total=None if None in totals else sum(filter(None, totals)),
        chunks=tuple([parts[part].chunks[place] for _, _, part, place in named]) if whole else (),
    )


@dataclass(frozen=True, slots=True)
class TableView:
    """One state of a table; later writes do not show in it.

    Attributes:
        ids: Id of each ordinal; only the first ``size`` entries belong to this view.
        metadata: Metadata of each ordinal, likewise.
        alive: Shape (size,), False where the row was deleted or replaced.
        count: How many rows are alive.
    """

    ids: Sequence[str]
    metadata: Sequence[Mapping[str, Any]]
    alive: Mask
    count: int
    _masks: dict[Filter, Mask] = field(default_factory=dict, compare=False, repr=False)
    _places: list[Mapping[str, int]] = field(default_factory=list, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Rows ever added, dead ones included."""
        return len(self.alive)

    @property
    def places(self) -> Mapping[str, int]:
        """The row of each id that is alive, worked out once."""
        if not self._places:
            rows = np.flatnonzero(self.alive).tolist()
            self._places.append({self.ids[row]: row for row in rows})
        return self._places[0]

    def names(self, ordinals: Ordinals) -> list[str]:
        """The ids at these ordinals."""
        return [self.ids[row] for row in ordinals.tolist()]

    def live(self, keep: Filter | None = None) -> Ordinals:
        """The ordinals of the rows that are alive and pass the filter, ascending."""
        return np.flatnonzero(self.allow(keep))

    def grown(self, ids: Sequence[str], metadata: Sequence[Mapping[str, Any]]) -> TableView:
        """With rows appended; the row of an id that was there must have been left out before."""
        return TableView(
            [*self.ids[: self.size], *ids],
            [*self.metadata[: self.size], *metadata],
            _frozen(np.concatenate([self.alive, np.ones(len(ids), dtype=np.bool_)])),
            self.count + len(ids),
        )

    def without(self, ordinals: Ordinals) -> TableView:
        """Without these rows, each once and alive.

        Example:
            >>> empty = TableView([], [], np.zeros(0, dtype=np.bool_), 0)
            >>> view = empty.grown(["a", "b"], [{}, {}])
            >>> view.without(np.array([0])).live_ids(), view.live_ids()
            (['b'], ['a', 'b'])
        """
        alive = self.alive.copy()
        alive[ordinals] = False
        return TableView(self.ids, self.metadata, _frozen(alive), self.count - len(ordinals))

    def rows(self, ids: Iterable[str], keep: Filter | None = None) -> Ordinals:
        """The rows of ids that are alive and pass the filter; other ids are left out.

        Example:
            >>> table = ChunkTable()
            >>> _ = table.add(["a", "b"], [{}, {"lang": "de"}])
            >>> table.view().rows(["b", "c", "a"]).tolist()
            [1, 0]
        """
        found = (self.places.get(identity) for identity in ids)
        rows = np.array([row for row in found if row is not None], dtype=np.int64)
        return rows[self.allow(keep)[rows]]

    def live_ids(self) -> list[str]:
        """The ids of the rows that are alive, in ascending order."""
        return sorted(self.ids[row] for row in np.flatnonzero(self.alive).tolist())

    def allow(self, keep: Filter | None) -> Mask:
        """The rows that are alive and pass the filter, shape (size,); read-only, cached."""
        if keep is None:
            return self.alive
        mask = self._masks.get(keep)
        if mask is None:
            mask = np.zeros(self.size, dtype=np.bool_)
            for ordinal in np.flatnonzero(self.alive).tolist():
                mask[ordinal] = keep.matches(self.metadata[ordinal])
            mask.setflags(write=False)
            if len(self._masks) >= _CACHED_FILTERS:
                self._masks.clear()
            self._masks[keep] = mask
        return mask

    def first(self, ordinals: Ordinals, keys: NDArray[np.floating], top_k: int) -> Ordinals:
        """Positions of the smallest ``top_k`` keys, smallest first, ties by id.

        Args:
            ordinals: Rows, shape (n,), each once.
            keys: Their sort keys, shape (n,), without NaN: distances, or scores with the sign
                turned.
            top_k: >= 1; all n positions are returned if there are no more.

        Example:
            >>> table = ChunkTable()
            >>> rows, _ = table.add(["b", "c", "a"], [{}, {}, {}])
            >>> table.view().first(rows, -np.array([2.0, 9.0, 2.0]), top_k=2)
            array([1, 2])
        """
        inside = np.arange(len(keys))
        if top_k < len(keys):
            last = np.partition(keys, top_k - 1)[top_k - 1]
            inside, tied = np.flatnonzero(keys < last), np.flatnonzero(keys == last)
            named = zip(self.names(ordinals[tied]), tied.tolist(), strict=True)
            chosen = heapq.nsmallest(top_k - len(inside), named)
            inside = np.append(inside, [place for _, place in chosen])
        names = self.names(ordinals[inside])
        ranked = sorted(zip(keys[inside].tolist(), names, inside.tolist(), strict=True))
        return np.array([place for *_, place in ranked], dtype=np.int64)


class ChunkTable:
    """Rows by ordinal, written by one thread at a time, read through views.

    Example:
        >>> table = ChunkTable()
        >>> table.add(["a", "b"], [{}, {"lang": "de"}])
        (array([0, 1]), array([], dtype=int64))
        >>> table.add(["a"], [{"lang": "en"}])
        (array([2]), array([0]))
        >>> table.view().alive.tolist()
        [False, True, True]
    """

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._metadata: list[Mapping[str, Any]] = []
        self._ordinals: dict[str, int] = {}
        self._view = TableView(self._ids, self._metadata, np.zeros(0, dtype=np.bool_), 0)

    def __contains__(self, id: str) -> bool:
        return id in self._ordinals

    def __len__(self) -> int:
        return len(self._ordinals)

    def ordinal(self, id: str) -> int | None:
        """The row of a live id, or None."""
        return self._ordinals.get(id)

    def view(self) -> TableView:
        """The present state, cheap to take."""
        return self._view

    def add(
        self, ids: Sequence[str], metadata: Sequence[Mapping[str, Any]]
    ) -> tuple[Ordinals, Ordinals]:
        """Append rows; a known id replaces its row, and of a repeated id the last one stays.

        Returns:
            The ordinals of the new rows, and those of the rows that died, both int64. A row that
            is replaced within the same call is in both.
        """
        start = len(self._ids)
        self._ids.extend(ids)
        self._metadata.extend(metadata)
        dead = []
        for ordinal, identity in enumerate(ids, start=start):
            previous = self._ordinals.get(identity)
            if previous is not None:
                dead.append(previous)
            self._ordinals[identity] = ordinal
        alive = np.concatenate([self._view.alive, np.ones(len(ids), dtype=np.bool_)])
        return (
            np.arange(start, start + len(ids), dtype=np.int64),
            self._bury(alive, dead),
        )

    def remove(self, ids: Iterable[str]) -> Ordinals:
        """Mark rows dead; ids that are not there are passed over. Returns the dead ordinals."""
        dead = []
        for identity in ids:
            ordinal = self._ordinals.pop(identity, None)
            if ordinal is not None:
                dead.append(ordinal)
        return self._bury(self._view.alive.copy(), dead)

    def _bury(self, alive: Mask, dead: list[int]) -> Ordinals:
        ordinals = np.array(dead, dtype=np.int64)
        alive[ordinals] = False
        alive.setflags(write=False)
        self._view = TableView(self._ids, self._metadata, alive, len(self._ordinals))
        return ordinals


def _frozen(mask: Mask) -> Mask:
    mask.setflags(write=False)
    return mask
