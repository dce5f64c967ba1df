"""The index in memory: built from the file when first needed, then kept up with its commits."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait.collection.reading import Reading, batched
from plait.collection.stored import Space, State, StoredChunk
from plait.collection.tuning import Tuning
from plait.dense import DenseView, FlatIndex, MemoryVectors, VectorIndex
from plait.dense.metric import Metric
from plait.filters import Filter
from plait.lexical import Bm25, LexicalIndex, LexicalView
from plait.table import ChunkTable, Ordinals, TableView
from plait.text import Analyzer

__all__ = ["IndexState", "MemoryIndex"]

_BATCH = 2048  # chunks that are read and indexed at a time


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index over one state of the file; later commits do not show in it.

    Attributes:
        generation: The file's generation.
        space: Whose vectors it holds, None for none.
        last_row: Highest row number that it has seen.
        last_deletion: Highest number in the log of deletions that it has seen.
        rows: Row number of each ordinal, ascending.
        table: Ids, metadata and which rows are alive, by ordinal.
        lexical: The terms at these ordinals.
        vectors: The vectors at these ordinals, None without a space.
        tuning: What tuning decided, None if it never did.
    """

    generation: int
    space: Space | None
    last_row: int
    last_deletion: int
    rows: Ordinals
    table: TableView
    lexical: LexicalView
    vectors: MemoryVectors | None
    tuning: Tuning | None = None

    @property
    def dense(self) -> DenseView | None:
        """The ranking by vectors, None without a space."""
        held = self.vectors
        return None if held is None else DenseView((held,), held.metric, held.dim)

    def ids_of(self, rows: Sequence[int]) -> list[str]:
        """The ids at these row numbers; rows that it never saw are left out."""
        wanted = np.array(rows, dtype=np.int64)
        ordinals = np.searchsorted(self.rows, wanted)
        inside = ordinals < len(self.rows)
        ordinals, wanted = ordinals[inside], wanted[inside]
        return [self.table.ids[at] for at in ordinals[self.rows[ordinals] == wanted].tolist()]


class MemoryIndex:
    """The indexes of one collection in this process.

    Args:
        analyzer: How texts become terms.
        bm25: How terms become scores.
        metric: How close two vectors are.
    """

    def __init__(self, analyzer: Analyzer, bm25: Bm25, metric: Metric) -> None:
        self._analyzer = analyzer
        self._bm25 = bm25
        self._metric = metric
        self._lock = threading.Lock()
        self._table = ChunkTable()
        self._state: IndexState | None = None

    def at(self, reading: Reading) -> IndexState | None:
        """The index over exactly the state that the transaction sees.

        None if the transaction is older than what the index stands at: then a new one will
        see that.

        Raises:
            IndexFormatError: A row is damaged; the index stays as it was.
        """
        state = reading.state()
        held = self._state
        if held is None or held.generation < state.generation:
            with self._lock:
                held = self._state
                if held is None or held.generation < state.generation:
                    held = self._state = self._brought_up(held, reading, state)
        return held if held.generation == state.generation else None

    def matching(self, keep: Filter) -> tuple[list[int], int]:
        """Numbers of the rows that pass, among those that it has seen, and the highest of these.

        It may be behind the file: some of the rows may be gone. Empty and 0 while it is not built.
        """
        held = self._state
        if held is None:
            return [], 0
        return held.rows[held.table.allow(keep)].tolist(), held.last_row

    def _brought_up(self, held: IndexState | None, reading: Reading, state: State) -> IndexState:
        """What is held with the commits that it lacks, or a new build if they are not all known."""
        space = state.space
        if held is None or held.space != space or held.last_deletion < state.pruned:
            table, rows, last_row = ChunkTable(), np.empty(0, dtype=np.int64), 0
            last_deletion = reading.last_deletion()
            new = _Growing(
                LexicalIndex(), None if space is None else FlatIndex(self._metric, space.dim)
            )
            dead_ids: list[str] = []
        else:
            table, rows, last_row = self._table, held.rows, held.last_row
            deletions = reading.deletions_after(held.last_deletion)
            last_deletion = deletions[-1][0] if deletions else held.last_deletion
            new = _Growing(held.lexical.index, None if held.vectors is None else held.vectors.index)
            dead_ids = held.ids_of([row for _, row in deletions])
        for batch in batched(reading.chunks_after(last_row, space), _BATCH):
            new.add(batch, self._analyzer)
        # Counted in an index of the file, which a damaged page of the table does not shorten.
        if not len(rows) and len(new.rows) != (expected := reading.count()):
            raise reading.damaged(f"{len(new.rows)} of {expected} chunks are found")
        tuning = reading.tuning()
        # All is read: from here on nothing fails halfway.
        dead = table.remove(dead_ids)
        table.add(new.ids, new.metadata)
        new.remove(dead)
        rows = np.concatenate([rows, np.array(new.rows, dtype=np.int64)])
        last_row = new.rows[-1] if new.rows else last_row
        view = table.view()
        if view.size > 2 * view.count:  # dead rows outweigh live ones: amortized, O(1) a write
            alive = np.flatnonzero(view.alive)
            table, rows = _renumbered(view, alive), rows[alive]
            new.compact(alive)
            view = table.view()
        self._table = table
        return IndexState(
            generation=state.generation,
            space=space,
            last_row=last_row,
            last_deletion=last_deletion,
            rows=rows,
            table=view,
            lexical=LexicalView(view, new.lexical, self._analyzer, self._bm25),
            vectors=None if new.dense is None else MemoryVectors(view, new.dense),
            tuning=tuning,
        )


class _Growing:
    """The two indexes while they grow; what they grew from stays as it was."""

    def __init__(self, lexical: LexicalIndex, dense: VectorIndex | None) -> None:
        self.lexical = lexical
        self.dense = dense
        self.rows: list[int] = []
        self.ids: list[str] = []
        self.metadata: list[Mapping[str, Any]] = []

    def add(self, batch: Sequence[StoredChunk], analyzer: Analyzer) -> None:
        """Append chunks."""
        self.lexical = self.lexical.added(
            analyzer.analyze(stored.chunk.index_text) for stored in batch
        )
        if self.dense is not None:
            vectors = [stored.vector for stored in batch if stored.vector is not None]
            self.dense = self.dense.added(np.stack(vectors))
        self.rows.extend(stored.row for stored in batch)
        self.ids.extend(str(stored.chunk.id) for stored in batch)
        self.metadata.extend(stored.chunk.metadata for stored in batch)

    def remove(self, ordinals: Ordinals) -> None:
        """Leave rows out."""
        self.lexical = self.lexical.removed(ordinals)
        if self.dense is not None:
            self.dense = self.dense.removed(ordinals)

    def compact(self, ordinals: Ordinals) -> None:
        """Keep these rows only, renumbered."""
        self.lexical = self.lexical.compacted(ordinals)
        if self.dense is not None:
            self.dense = self.dense.compacted(ordinals)


def _renumbered(view: TableView, ordinals: Ordinals) -> ChunkTable:
    table = ChunkTable()
    kept = ordinals.tolist()
    table.add([view.ids[row] for row in kept], [view.metadata[row] for row in kept])
    return table
