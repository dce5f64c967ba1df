"""An index in which some chunks are others: what a collection would answer if they were so."""

from __future__ import annotations

import json
from collections.abc import Sequence

from plait.collection.index import IndexState
from plait.collection.segments import Span
from plait.collection.settings import Settings
from plait.collection.stored import StoredRow
from plait.collection.tail import Tail
from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError
from plait.types import Chunk

__all__ = ["check_exchange", "exchanged"]


def check_exchange(index: IndexState, chunks: Sequence[Chunk]) -> None:
    """Refuse chunks that cannot take the place of others.

    Raises:
        ConfigurationError: Something that is not a ``Chunk``, an id that is not there, or twice.
    """
    given: set[str | None] = set()
    for chunk in chunks:
        if not isinstance(chunk, Chunk):
            raise ConfigurationError(f"chunks hold {type(chunk).__name__}, expected Chunk values")
        if chunk.id in given:
            raise ConfigurationError(f"chunk {chunk.id!r} is given twice, expected each id once")
        given.add(chunk.id)
    ids = [str(chunk.id) for chunk in chunks]
    there = {name for part in index.parts for name in part.rows.names(part.rows.rows(ids))}
    for chunk in chunks:
        if chunk.id is None or chunk.id not in there:
            raise ConfigurationError(
                f"there is no chunk {chunk.id!r} that another could take the place of"
            )


def exchanged(
    index: IndexState, chunks: Sequence[Chunk], vectors: FloatMatrix | None, settings: Settings
) -> IndexState:
    """The index with these chunks in the place of those of their ids; the given one stays.

    Args:
        index: One state.
        chunks: What takes the place of others, as ``check_exchange`` accepts it.
        vectors: The vectors of the chunks, shape (chunks, dim); None where the index has none.
        settings: Of the collection.
    """
    ids = [str(chunk.id) for chunk in chunks]
    parts = [part.without_ordinals(part.rows.rows(ids)) for part in index.parts]
    rows = [
        StoredRow(
            row,
            str(chunk.id),
            chunk.index_text,
            json.dumps(chunk.metadata),
            None if vectors is None else vectors[row].astype("<f4").tobytes(),
        )
        for row, chunk in enumerate(chunks)
    ]
    span = Span(index.last_row)
    given = Tail.empty(span, index.space, settings.metric).grown(rows, settings.analyzer)
    return index.over((*parts, given))
