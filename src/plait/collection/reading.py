"""What can be read in one transaction: one state of the collection's file."""

# ruff: noqa: S608 (the parts of statements are constants of this module, values are bound)

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from plait.collection.rows import (
    COLUMNS,
    decode,
    decode_row,
    decode_vector,
    is_sound,
    sound_vector,
    vector_key,
)
from plait.collection.schema import PART_OF
from plait.collection.stored import (
    CHECKSUM,
    ROOT,
    TUNING,
    Space,
    State,
    StoredChunk,
    StoredDocument,
    StoredRow,
    StoredSegment,
    settings_checksum,
    stored_space,
    text_checksum,
)
from plait.collection.tuning import Tuning
from plait.dense import Calibration
from plait.errors import ConfigurationError, IndexFormatError
from plait.filters import Filter
from plait.types import Chunk, in_reading_order

__all__ = ["PER_STATEMENT", "Reading", "batched"]

T = TypeVar("T")

_LAST = 2**63 - 1  # the highest row number that there can be
PER_STATEMENT = 500
"""Values in one IN (...); SQLite allows at least 999."""


class Reading:
    """Reads in one transaction, so everything it gives is of one state."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = connection
        self.path = str(path)

    def settings(self) -> dict[str, str]:
        """The settings' text forms by name.

        Raises:
            IndexFormatError: They do not match their checksum.
        """
        texts = dict(self.connection.execute("SELECT name, value FROM setting"))
        checksum = texts.pop(CHECKSUM, None)
        if texts and checksum != settings_checksum(texts):
            raise self.damaged("the settings do not match their checksum")
        return texts

    def roots(self) -> dict[str, str]:
        """Where the roots of documents are, by name."""
        return {
            name.removeprefix(ROOT): place
            for name, place in sorted(self.settings().items())
            if name.startswith(ROOT)
        }

    def tuning(self) -> Tuning | None:
        """What tuning decided, None if it never did.

        Raises:
            IndexFormatError: It cannot be read, as when it names a fusion that is not installed.
        """
        text = self.settings().get(TUNING)
        try:
            return None if text is None else Tuning.from_json(text)
        except ConfigurationError as error:
            raise IndexFormatError(
                f"{self.path}: the stored tuning cannot be read: {error}. Install what it "
                "needs, or forget it with kb.apply(None)",
                self.path,
            ) from error

    def state(self) -> State:
        """Where the collection stands."""
        found = self.connection.execute(
            "SELECT generation, pruned, arrangement, space FROM state"
        ).fetchone()
        if found is None or None in found[:3]:
            raise self.damaged("its state is missing")
        generation, pruned, arrangement, number = found
        space = None if number is None else self.space(number)
        return State(generation, pruned, space, arrangement)

    def space(self, number: int) -> Space:
        """The space with this number.

        Raises:
            IndexFormatError: There is none, or it is not as it was written.
        """
        columns = self.connection.execute(
            "SELECT fingerprint, identity, spec, dim FROM space WHERE number = ?", (number,)
        ).fetchone()
        space = None if columns is None else stored_space(number, *columns)
        if space is None:
            raise self.damaged("what it says of its embedder does not match its fingerprint")
        return space

    def damaged(self, what: str) -> IndexFormatError:
        """The error for a file that is not as it was written."""
        return IndexFormatError(
            f"{self.path} is damaged: {what}; restore it from a copy or index again into a new "
            "folder",
            self.path,
        )

    def count(self, *, above: int = 0) -> int:
        """How many chunks there are, with a row number above one."""
        if not above:
            (count,) = self.connection.execute("SELECT COUNT(*) FROM chunk").fetchone()
        else:
            (count,) = self.connection.execute(
                "SELECT COUNT(*) FROM chunk WHERE row > ?", (above,)
            ).fetchone()
        return int(count)

    def is_empty(self) -> bool:
        """Whether there is no chunk, without counting them."""
        (found,) = self.connection.execute("SELECT EXISTS (SELECT 1 FROM chunk)").fetchone()
        return not found

    def get(self, id: str) -> Chunk | None:
        """The chunk with this id, with its vector if it brought one along."""
        stored = next(self._stored("chunk.id = ?", self.state().space, (id,)), None)
        if stored is None:
            return None
        chunk, vector = stored.chunk, stored.vector
        brought = vector is not None and stored.key == vector_key(chunk.index_text, vector)
        return replace(chunk, embedding=vector) if brought else chunk

    def chunks(self, ids: Iterable[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids; ids that are not there are left out."""
        found = {}
        for some in batched(ids, PER_STATEMENT):
            for columns in self.connection.execute(
                f"SELECT {COLUMNS} FROM chunk WHERE id IN ({_marks(some)})", some
            ):
                chunk, _ = decode(columns, self.path)
                found[str(chunk.id)] = chunk
        return found

    def stored(self, ids: Sequence[str]) -> dict[str, list[Any]]:
        """By id, the chunks that are there of at most ``PER_STATEMENT``.

        Number of the row, number of the document, and what ``Row.columns`` has, as bytes.
        """
        found = self.connection.execute(
            "SELECT id, row, document, CAST(key AS BLOB), CAST(content AS BLOB), "
            "CAST(metadata AS BLOB), CAST(fields AS BLOB), checksum FROM chunk "
            f"WHERE id IN ({_marks(ids)})",
            ids,
        )
        return {name: columns for name, *columns in found}

    def part_of(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks that say they are a part of a document, by their index in it."""
        found = self.connection.execute(
            f"SELECT {COLUMNS} FROM chunk WHERE {PART_OF} = ? ORDER BY chunk.row", (document_id,)
        )
        chunks = (decode(columns, self.path)[0] for columns in found)
        return tuple(sorted(chunks, key=in_reading_order))

    def chunks_after(self, row: int, space: Space | None) -> Iterator[StoredChunk]:
        """Every live chunk with a row number above ``row``, in the order of the numbers."""
        return self._stored("chunk.row > ? ORDER BY chunk.row", space, (row,))

    def indexed(
        self, space: Space | None, *, above: int, upto: int | None = None
    ) -> Iterator[StoredRow]:
        """What the indexes take of every live chunk with a row number in a range, ascending.

        Raises:
            IndexFormatError: A row or its vector is damaged.
        """
        for row, *columns, key, data, checksum in self.connection.execute(
            f"SELECT chunk.row, {COLUMNS}, vector.key, vector.data, vector.checksum FROM chunk "
            "LEFT JOIN vector ON vector.space = ? AND vector.key = chunk.key "
            "WHERE chunk.row > ? AND chunk.row <= ? ORDER BY chunk.row",
            (None if space is None else space.number, above, _LAST if upto is None else upto),
        ):
            name, text, metadata = decode_row(columns, self.path)
            vector = None
            if space is not None:
                vector = sound_vector(name, (key, data, checksum), self.path)
            yield StoredRow(row, name, text, metadata, vector)

    def row_after(self, row: int) -> int | None:
        """The number of the next live chunk's row."""
        (found,) = self.connection.execute(
            "SELECT MIN(row) FROM chunk WHERE row > ?", (row,)
        ).fetchone()
        return None if found is None else int(found)

    def rows_in(self, above: int, upto: int) -> list[int]:
        """The numbers of the live chunks' rows in a range, ascending."""
        found = self.connection.execute(
            "SELECT row FROM chunk WHERE row > ? AND row <= ? ORDER BY row", (above, upto)
        )
        return [row for (row,) in found]

    def segments(self, space: Space | None) -> list[StoredSegment]:
        """The segments that are listed for a space, by the rows that they cover."""
        return [
            StoredSegment(*columns)
            for columns in self.connection.execute(
                "SELECT name, space, above, upto, deletion, chunks, size, bytes, mark FROM segment "
                "WHERE left IS NULL AND space IS ? ORDER BY above, upto",
                (None if space is None else space.number,),
            )
        ]

    def is_uncovered(self, least: int) -> bool:
        """Whether at least so many chunks are above all rows that segments cover."""
        (above,) = self.connection.execute(
            "SELECT COALESCE(MAX(upto), 0) FROM segment, state "
            "WHERE left IS NULL AND segment.space IS state.space"
        ).fetchone()
        # Asked after every commit, so not counted where row numbers tell.
        return self.last_row() - above >= least and self.count(above=above) >= least

    def usual_letters(self) -> int:
        """How many letters a chunk has about, by a few of the newest; 0 where there is none."""
        (letters,) = self.connection.execute(
            "SELECT COALESCE(AVG(LENGTH(content)), 0) "
            "FROM (SELECT content FROM chunk ORDER BY row DESC LIMIT 8)"
        ).fetchone()
        return int(letters)

    def segment_files(self) -> set[str]:
        """The files that the list of segments or the one before it names."""
        found = self.connection.execute(
            "SELECT name FROM segment WHERE left IS NULL "
            "OR left >= (SELECT arrangement FROM state) - 1"
        )
        return {name for (name,) in found}

    def calibration(self, space: Space) -> Calibration | None:
        """How many candidates a space's compact codes must propose, None if it is not known.

        One that was changed is not known: then all are compared, until it is measured again.
        """
        found = self.connection.execute(
            "SELECT value, checksum FROM calibration WHERE space = ?", (space.number,)
        ).fetchone()
        if found is None or text_checksum(found[0]) != found[1]:
            return None
        return Calibration.from_json(found[0])

    def _stored(
        self, condition: str, space: Space | None, values: tuple[str | int, ...]
    ) -> Iterator[StoredChunk]:
        for row, *columns, found, data, checksum in self.connection.execute(
            f"SELECT chunk.row, {COLUMNS}, vector.key, vector.data, vector.checksum FROM chunk "
            "LEFT JOIN vector ON vector.space = ? AND vector.key = chunk.key "
            f"WHERE {condition}",
            (None if space is None else space.number, *values),
        ):
            chunk, key = decode(columns, self.path)
            vector = None
            if space is not None:
                vector = decode_vector(str(chunk.id), (found, data, checksum), self.path)
            yield StoredChunk(row, chunk, key, vector)

    def deletions_after(self, number: int) -> list[tuple[int, int]]:
        """(number, row) of every deletion in the log above ``number``, in order."""
        return self.connection.execute(
            "SELECT number, row FROM deletion WHERE number > ? ORDER BY number", (number,)
        ).fetchall()

    def last_deletion(self) -> int:
        """The highest number that a deletion ever had, 0 before the first."""
        return self._highest("deletion")

    def last_row(self) -> int:
        """The highest number that a chunk's row ever had, 0 before the first."""
        return self._highest("chunk")

    def _highest(self, table: str) -> int:
        found = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        return int((found.fetchone() or (0,))[0])

    def matching(self, keep: Filter, after: int = 0) -> list[int]:
        """Row numbers above ``after`` of the chunks whose metadata passes."""
        return [
            row
            for row, *columns in self.connection.execute(
                f"SELECT row, {COLUMNS} FROM chunk WHERE row > ? ORDER BY row", (after,)
            )
            if keep.matches(decode(columns, self.path)[0].metadata)
        ]

    def embedded(
        self, keys: Collection[bytes], space: Space, *, verify: bool = False
    ) -> set[bytes]:
        """Those of the keys that have a vector; with ``verify`` only undamaged ones."""
        found = set()
        for some in batched(keys, PER_STATEMENT):
            for key, data, checksum in self.connection.execute(
                f"SELECT key, {'data' if verify else 'NULL'}, checksum FROM vector "
                f"WHERE space = ? AND key IN ({_marks(some)})",
                (space.number, *some),
            ):
                if not verify or is_sound(key, data, checksum):
                    found.add(key)
        return found

    def unembedded(self, space: Space, *, after: int, limit: int) -> list[tuple[int, bytes, str]]:
        """(row, key, text) of the first chunks above row ``after`` without a vector in a space."""
        found = self.connection.execute(
            f"SELECT row, {COLUMNS} FROM chunk WHERE row > ? AND NOT EXISTS "
            "(SELECT 1 FROM vector WHERE vector.space = ? AND vector.key = chunk.key) "
            "ORDER BY row LIMIT ?",
            (after, space.number, limit),
        )
        decoded = ((row, *decode(columns, self.path)) for row, *columns in found)
        return [(row, key, chunk.index_text) for row, chunk, key in decoded]

    def count_unembedded(self, space: Space) -> int:
        """How many texts have no vector in a space."""
        (count,) = self.connection.execute(
            "SELECT COUNT(DISTINCT key) FROM chunk WHERE NOT EXISTS "
            "(SELECT 1 FROM vector WHERE vector.space = ? AND vector.key = chunk.key)",
            (space.number,),
        ).fetchone()
        return int(count)

    def count_documents(self) -> int:
        """How many documents were read from files."""
        (count,) = self.connection.execute("SELECT COUNT(*) FROM document").fetchone()
        return int(count)

    def document(self, id: str) -> StoredDocument | None:
        """What is known of a document, None if it was never read."""
        return next(iter(self._documents("id = ?", (id,))), None)

    def documents(self, source_name: str | None = None) -> list[StoredDocument]:
        """Every document that was read from a root, or from any."""
        if source_name is None:
            return self._documents("1", ())
        return self._documents("source_name = ?", (source_name,))

    def _documents(self, condition: str, values: tuple[str, ...]) -> list[StoredDocument]:
        return [
            StoredDocument(*columns)
            for columns in self.connection.execute(
                "SELECT number, id, source_name, source_path, content_hash, chunking "
                f"FROM document WHERE {condition}",
                values,
            )
        ]


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of at most ``size`` items."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
