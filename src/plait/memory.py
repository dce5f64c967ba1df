"""Chunks in memory with one index over them: what the in-memory retrievers share.

Writes happen one at a time under a lock and publish a new ``State``. Reads take the state that
is there and need no lock: it never changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from plait.errors import ConfigurationError, QueryError
from plait.execution import start_anew_after_fork
from plait.filters import Filter, FilterLike
from plait.retriever import RankingRetriever
from plait.table import ChunkTable, Ordinals, TableView
from plait.types import Chunk, Ranking, in_reading_order

__all__ = [
    "GrowingIndex",
    "MemoryRetriever",
    "State",
    "check_chunks",
    "check_deletion",
    "refuse_positional",
]

RowsT = TypeVar("RowsT")
RowsT_contra = TypeVar("RowsT_contra", contravariant=True)


class GrowingIndex(Protocol[RowsT_contra]):
    """An immutable index by ordinal: every change is a new value, the old one stays valid."""

    def added(self, rows: RowsT_contra, /) -> Self:
        """With rows appended, at the next ordinals."""
        ...

    def removed(self, ordinals: Ordinals, /) -> Self:
        """Without these rows; the other rows keep their ordinals."""
        ...

    def compacted(self, ordinals: Ordinals, /) -> Self:
        """With these rows only, ascending, renumbered from 0."""
        ...


IndexT = TypeVar("IndexT", bound=GrowingIndex[Any])


@dataclass(frozen=True, slots=True)
class State(Generic[IndexT]):
    """One state of the chunks and the index over them; later writes do not show in it.

    Attributes:
        table: Ids, metadata and which rows are alive, by ordinal.
        index: The index over the same ordinals.
        chunks: The chunks by ordinal; only the first ``table.size`` belong to this state.
    """

    table: TableView
    index: IndexT
    chunks: Sequence[Chunk]


class MemoryRetriever(RankingRetriever, Generic[RowsT, IndexT]):
    """Base of retrievers that keep their chunks and one index over them in memory.

    A subclass writes ``rows`` (what its index takes for chunks) and ``rank``, which reads
    ``self._state`` once, so that ids, scores and chunks of an answer are of one state.
    Any number of threads may read while one writes; writers wait for one another.

    Args:
        empty: The index without rows.
        name: Name of the leg in a hybrid.
    """

    def __init__(self, empty: IndexT, *, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise ConfigurationError(f"name is {name!r}, expected a non-empty str")
        self.name = name
        self._empty = empty
        self._lock = threading.Lock()
        self._reset()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """In a forked child, a write that another thread was in the middle of has not happened."""
        writing, self._lock = self._lock.locked(), threading.Lock()
        if writing:
            state = self._state
            self._compact(state.table, state.index, state.chunks)

    def rows(self, chunks: Sequence[Chunk]) -> RowsT:
        """What the index takes for these chunks; raises if it cannot take one of them."""
        raise NotImplementedError

    def add(self, chunks: Iterable[Chunk]) -> int:
        """Add chunks; one whose id is there replaces it, and of a repeated id the last one stays.

        A chunk without an id gets the one that ``Chunk.with_id`` makes. All chunks are checked
        before the first is written, and readers see all of them or none.

        Returns:
            How many chunks were written; 0 for no chunks.

        Raises:
            ConfigurationError: Something that is not a ``Chunk``.
        """
        return self.prepare(chunks)()

    def prepare(self, chunks: Iterable[Chunk]) -> Callable[[], int]:
        """Check and prepare an ``add``; the returned function writes it.

        So that a write to several retrievers can find every refusal before the first one writes.
        """
        given = check_chunks(chunks)
        if not given:
            return lambda: 0
        rows = self.rows(given)
        return lambda: self._write(given, rows)

    def delete(self, ids: Iterable[str] | None = None, filter: FilterLike = None) -> int:
        """Delete chunks by id, or those whose metadata passes a filter.

        Ids that are not there are passed over.

        Returns:
            How many chunks were deleted.

        Raises:
            ConfigurationError: Neither ids nor filter, both, or ids that are not a list of str.
            QueryError: A malformed filter, or ``{}``, which passes everything: use ``clear``.
        """
        named, keep = check_deletion(ids, filter)
        with self._lock:
            if keep is not None:
                view = self._state.table
                named = [view.ids[row] for row in np.flatnonzero(view.allow(keep)).tolist()]
            table, _ = self._known
            dead = table.remove(named)
            if len(dead):
                self._publish(self._state.index.removed(dead))
        return len(dead)

    def clear(self) -> int:
        """Delete every chunk. Returns how many there were."""
        with self._lock:
            count = self._state.table.count
            self._reset()
        return count

    def get(self, id: str) -> Chunk | None:
        """The chunk with this id, None if there is none."""
        table, known = self._known
        ordinal = table.ordinal(id)
        return None if ordinal is None else known[ordinal]

    def document(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks with this ``document_id`` in reading order; reads all chunks to find them.

        By ``index``; those without one come last, in the order in which they were added.
        """
        state = self._state
        alive = (state.chunks[row] for row in np.flatnonzero(state.table.alive).tolist())
        return tuple(
            sorted((c for c in alive if c.document_id == document_id), key=in_reading_order)
        )

    def count(self) -> int:
        """How many chunks there are."""
        return self._state.table.count

    def chunks(self, ranking: Ranking) -> Sequence[Chunk | None]:
        """The chunks of a ranking, None for those deleted since."""
        return [None if name is None else self.get(name) for name in ranking.ids]

    def _write(self, chunks: Sequence[Chunk], rows: RowsT) -> int:
        with self._lock:
            index = self._state.index.added(rows)  # may refuse: nothing is written before it
            table, known = self._known
            known.extend(chunks)  # before the table, so that get finds what the table names
            _, dead = table.add([str(chunk.id) for chunk in chunks], [c.metadata for c in chunks])
            self._publish(index.removed(dead) if len(dead) else index)
        return len(chunks)

    def _reset(self) -> None:
        self._known: tuple[ChunkTable, list[Chunk]] = (ChunkTable(), [])
        self._publish(self._empty)

    def _publish(self, index: IndexT) -> None:
        table, known = self._known
        view = table.view()
        if view.size > 2 * view.count:  # dead rows outweigh live ones: amortized, O(1) a write
            self._compact(view, index, known)
        else:
            self._state: State[IndexT] = State(view, index, known)

    def _compact(self, view: TableView, index: IndexT, chunks: Sequence[Chunk]) -> None:
        """Publish what is alive in a state, renumbered from 0."""
        alive = np.flatnonzero(view.alive)
        known = [chunks[row] for row in alive.tolist()]
        table = ChunkTable()
        table.add([str(chunk.id) for chunk in known], [chunk.metadata for chunk in known])
        self._known = (table, known)
        compacted = index.compacted(alive) if known else self._empty
        self._state = State(table.view(), compacted, known)


def refuse_positional(retriever: MemoryRetriever[Any, Any], misplaced: Sequence[object]) -> None:
    """Refuse what a constructor got after its chunks, as in ``BM25Retriever(chunk1, chunk2)``.

    Raises:
        ConfigurationError: There is something.
    """
    if misplaced:
        name = type(retriever).__name__
        raise ConfigurationError(
            f"{name} got {1 + len(misplaced)} positional arguments; put the chunks in a list, "
            f"{name}([chunk1, chunk2]), and give everything else by name"
        )


def check_chunks(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Chunks that all have an id, each id once: the last one stays.

    Raises:
        ConfigurationError: Something that is not a ``Chunk``, named by its position.

    Example:
        >>> [chunk.content for chunk in check_chunks([Chunk("old", id="a"), Chunk("new", id="a")])]
        ['new']
    """
    if isinstance(chunks, str | Chunk) or not isinstance(chunks, Iterable):
        raise ConfigurationError(
            f"chunks is {type(chunks).__name__}, expected several plait.Chunk: put it in a list"
        )
    latest: dict[str, Chunk] = {}
    for position, chunk in enumerate(chunks):
        if not isinstance(chunk, Chunk):
            raise ConfigurationError(
                f"chunks[{position}] is {type(chunk).__name__}, expected plait.Chunk; "
                "wrap text as Chunk(text)"
            )
        named = chunk.with_id()
        latest[str(named.id)] = named
    return list(latest.values())


def check_deletion(
    ids: Iterable[str] | None, filter: FilterLike
) -> tuple[list[str], Filter | None]:
    """What to delete, as ids or as a checked filter.

    Raises:
        ConfigurationError: Neither ids nor filter, both, or ids that are not a list of str.
        QueryError: A malformed filter, or ``{}``.

    Example:
        >>> check_deletion(["a", "b"], None)
        (['a', 'b'], None)
    """
    if (ids is None) == (filter is None):
        raise ConfigurationError(
            f"delete got {'neither ids nor a filter' if ids is None else 'both ids and a filter'}, "
            "expected one of them; clear() deletes everything"
        )
    keep = Filter.parse(filter)
    if keep is not None:
        if keep.is_empty:
            raise QueryError("delete(filter={}) would delete everything; use clear() to mean that")
        return [], keep
    # A str is an iterable of str too, but nobody means to delete its letters.
    named = None if isinstance(ids, str) or not isinstance(ids, Iterable) else list(ids)
    if named is None or not all(isinstance(name, str) for name in named):
        raise ConfigurationError(f"delete got ids={ids!r:.60}, expected a list of str")
    return named, None
