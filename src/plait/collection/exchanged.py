"""An index in which some chunks are others: what a collection would answer if they were so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plait.collection.index import IndexState
from plait.dense import MemoryVectors
from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError
from plait.table import Ordinals, TableView
from plait.types import Chunk

__all__ = ["exchanged", "ordinals"]


def ordinals(index: IndexState, chunks: Sequence[Chunk]) -> Ordinals:
    """Where the chunks with the ids of these are in the index.

    Returns:
        Ordinals in the order of the chunks, int64 of shape (chunks,).

    Raises:
        ConfigurationError: Something that is not a ``Chunk``, an id that is not there, or twice.
    """
    places = index.table.places
    found: dict[str, int] = {}
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            raise ConfigurationError(f"chunks hold {type(chunk).__name__}, expected Chunk values")
        if chunk.id is None or chunk.id not in places:
            raise ConfigurationError(
                f"there is no chunk {chunk.id!r} that another could take the place of"
            )
        if chunk.id in found:
            raise ConfigurationError(f"chunk {chunk.id!r} is given twice, expected each id once")
        found[chunk.id] = places[chunk.id]
    return np.fromiter(found.values(), np.int64, len(found))


def exchanged(
    index: IndexState, chunks: Sequence[Chunk], places: Ordinals, vectors: FloatMatrix | None
) -> IndexState:
    """The index with these chunks in the place of others; the given one stays.

    Args:
        index: One state.
        chunks: What takes the place of others.
        places: The ordinals of those, each once.
        vectors: The vectors of the chunks, shape (chunks, dim); None where the index has none.
    """
    old, lexical, held = index.table, index.lexical, index.vectors
    alive = np.concatenate([old.alive, np.ones(len(chunks), dtype=np.bool_)])
    alive[places] = False
    table = TableView(
        [*old.ids[: old.size], *(str(chunk.id) for chunk in chunks)],
        [*old.metadata[: old.size], *(chunk.metadata for chunk in chunks)],
        alive,
        old.count,
    )
    analyze = lexical.analyzer.analyze
    terms = lexical.index.removed(places).added(analyze(chunk.index_text) for chunk in chunks)
    if held is not None and vectors is not None:
        held = MemoryVectors(table, held.index.removed(places).added(vectors))
    return replace(
        index, table=table, lexical=replace(lexical, table=table, index=terms), vectors=held
    )
