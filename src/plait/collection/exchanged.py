"""An index in which some chunks are others: what a collection would answer if they were so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plait.collection.index import IndexState
from plait.dense import DenseView
from plait.embedding import FloatMatrix
from plait.table import TableView
from plait.types import Chunk

__all__ = ["exchanged"]


def exchanged(
    index: IndexState, chunks: Sequence[Chunk], vectors: FloatMatrix | None
) -> IndexState:
    """The index with these chunks in the place of those with the same ids; the given one stays.

    Args:
        index: One state.
        chunks: With ids that are in it, each once.
        vectors: Their vectors, shape (chunks, dim); None where the index has none.
    """
    old, lexical = index.table, index.lexical
    rows = {old.ids[row]: row for row in np.flatnonzero(old.alive).tolist()}
    dead = np.array(sorted(rows[str(chunk.id)] for chunk in chunks), dtype=np.int64)
    alive = np.concatenate([old.alive, np.ones(len(chunks), dtype=np.bool_)])
    alive[dead] = False
    table = TableView(
        [*old.ids[: old.size], *(str(chunk.id) for chunk in chunks)],
        [*old.metadata[: old.size], *(chunk.metadata for chunk in chunks)],
        alive,
        old.count,
    )
    analyze = lexical.analyzer.analyze
    terms = lexical.index.removed(dead).added(analyze(chunk.index_text) for chunk in chunks)
    dense = index.dense
    if dense is not None and vectors is not None:
        dense = DenseView(table, dense.index.removed(dead).added(vectors))
    return replace(
        index, table=table, lexical=replace(lexical, table=table, index=terms), dense=dense
    )
