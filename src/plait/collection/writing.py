"""What can be written in one transaction: all of it is kept, or nothing."""

# ruff: noqa: S608 (the parts of statements are constants of this module, values are bound)

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

from plait.collection.reading import PER_STATEMENT, Reading, batched
from plait.collection.rows import Row, VectorRow
from plait.collection.stored import (
    CHECKSUM,
    ROOT,
    TUNING,
    Space,
    StoredSegment,
    settings_checksum,
    space_fingerprint,
    text_checksum,
)
from plait.collection.tuning import Tuning
from plait.dense import Calibration
from plait.embedding import EmbedderIdentity

__all__ = ["Writing"]

_COLUMNS = 8  # of the table of chunks
_ROW = f"({', '.join('?' * _COLUMNS)})"
_VALUES = 100  # chunks in one statement: that many values SQLite allows in all versions


class Writing(Reading):
    """Writes in one transaction; the generation counts it if it changed what a query can find.

    Attributes:
        written: Gets the new rows of chunks with their numbers, which never stand for other rows;
            None if nobody wants them.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self.written: list[tuple[int, Row]] | None = None
        self._changed = False
        self._dropped = False

    def finish(self) -> None:
        """Count the transaction, last thing before it is committed."""
        if self._changed:
            self._run("UPDATE state SET generation = generation + 1")
        if self._dropped:
            self._run("UPDATE state SET leftovers = leftovers + 1")

    def put_settings(self, settings: Mapping[str, str]) -> None:
        """Write text forms by name; a known name is replaced."""
        self._put_all({**self.settings(), **settings})

    def put_roots(self, roots: Mapping[str, str]) -> None:
        """Write where the roots of documents are; those that are not named are forgotten."""
        others = {k: v for k, v in self.settings().items() if not k.startswith(ROOT)}
        self._put_all({**others, **{ROOT + name: place for name, place in roots.items()}})

    def put_tuning(self, tuning: Tuning | None) -> None:
        """Write what tuning decided in place of what it did before; None forgets that."""
        texts = self.settings()
        texts.pop(TUNING, None)
        self._put_all(texts if tuning is None else {**texts, TUNING: tuning.to_json()})
        self._changed = True

    def _put_all(self, texts: dict[str, str]) -> None:
        texts[CHECKSUM] = settings_checksum(texts)
        self._drop("DELETE FROM setting")
        self._each("INSERT INTO setting VALUES (?, ?)", list(texts.items()))

    # Chunks

    def put(self, rows: Iterable[Row], document: int | None = None) -> None:
        """Write chunks; one whose id is there replaces it, one that is there as it is stays.

        Args:
            rows: The chunks, each id once.
            document: Number of the document that they were cut from, None for none.
        """
        number = self.last_row()
        for some in batched(rows, PER_STATEMENT):
            stored = self.stored([row.id for row in some])
            dead: list[tuple[int]] = []
            new: list[str | int | bytes | None] = []
            for row in some:
                columns = row.columns
                if (found := stored.get(row.id)) is not None:
                    old, owner, *there = found
                    if owner != document:
                        self._disown("number = ?", [(owner,)])
                        self._run("UPDATE chunk SET document = ? WHERE row = ?", document, old)
                    if there == [c if isinstance(c, bytes) else c.encode() for c in columns]:
                        continue
                    dead.append((old,))
                number += 1
                new += (number, row.id, document, *columns)
                if self.written is not None:
                    self.written.append((number, row))
            if dead:
                self._delete("row = ?", dead)
            for values in batched(new, _VALUES * _COLUMNS):
                each = ", ".join([_ROW] * (len(values) // _COLUMNS))
                self._run(f"INSERT INTO chunk VALUES {each}", *values)
            self._changed = self._changed or bool(new)

    def delete(self, ids: Sequence[str]) -> int:
        """Delete chunks by id; returns how many there were."""
        return self._delete_and_disown("id = ?", [(name,) for name in dict.fromkeys(ids)])

    def delete_rows(self, rows: Sequence[int]) -> int:
        """Delete chunks by row number; returns how many there were."""
        return self._delete_and_disown("row = ?", [(row,) for row in rows])

    def clear(self) -> int:
        """Delete every chunk; returns how many there were."""
        count = self.count()
        # One number that is never in the log stands for all of them: whoever has not seen
        # it cannot go on from an older state and starts anew.
        self._run("INSERT INTO deletion (row) VALUES (0)")
        self.arrange(gone=None)
        self._forget_deletions(self.last_deletion())
        self._drop("DELETE FROM chunk")
        self._drop("DELETE FROM document")
        self._changed = self._changed or count > 0
        return count

    def _delete_and_disown(self, condition: str, values: Sequence[tuple[str | int]]) -> int:
        self._disown(f"number IN (SELECT document FROM chunk WHERE {condition})", values)
        return self._delete(condition, values)

    def _delete(self, condition: str, values: Sequence[tuple[str | int, ...]]) -> int:
        self._each(f"INSERT INTO deletion (row) SELECT row FROM chunk WHERE {condition}", values)
        deleted = self._drop(f"DELETE FROM chunk WHERE {condition}", values)
        self._changed = self._changed or deleted > 0
        return deleted

    # Documents

    def put_document(
        self,
        id: str,
        source_name: str | None,
        source_path: str | None,
        content_hash: str,
        chunking: str,
        rows: Sequence[Row],
    ) -> None:
        """Write a document that was read from a file; its chunks replace those that it had."""
        facts = (source_name, source_path, content_hash, chunking)
        found = self.connection.execute("SELECT number FROM document WHERE id = ?", (id,))
        there = found.fetchone()
        if there is None:
            number = self.connection.execute(
                "INSERT INTO document VALUES (NULL, ?, ?, ?, ?, ?)", (id, *facts)
            ).lastrowid
        else:
            (number,) = there
            self._drop(
                "UPDATE document SET source_name = ?, source_path = ?, content_hash = ?, "
                "chunking = ? WHERE number = ?",
                [(*facts, number)],
            )
            kept = {row.id for row in rows}
            had = self.connection.execute("SELECT id, row FROM chunk WHERE document = ?", (number,))
            self._delete("row = ?", [(row,) for name, row in had.fetchall() if name not in kept])
        self.put(rows, number)

    def delete_documents(self, numbers: Sequence[int]) -> None:
        """Delete documents with their chunks."""
        values = [(number,) for number in numbers]
        self._delete("document = ?", values)
        self._drop("DELETE FROM document WHERE number = ?", values)

    def _disown(self, condition: str, values: Sequence[tuple[str | int | None, ...]]) -> None:
        """Forget that documents are here whole, so that reading them again brings back the rest."""
        self._each(f"UPDATE document SET content_hash = '' WHERE {condition}", values)

    # Vectors

    def space_for(self, identity: EmbedderIdentity | None, spec: str | None, dim: int) -> Space:
        """The space of an embedder, made when it is not there yet; None: vectors brought along."""
        fingerprint = space_fingerprint(identity, dim)
        shown = None if identity is None else json.dumps(identity.to_dict())
        self._run(
            "INSERT OR IGNORE INTO space VALUES (NULL, ?, ?, ?, ?)", fingerprint, shown, spec, dim
        )
        (number,) = self.connection.execute(
            "SELECT number FROM space WHERE fingerprint = ?", (fingerprint,)
        ).fetchone()
        return self.space(number)

    def use_space(self, space: Space | None) -> None:
        """Search the vectors of this space from now on."""
        number = None if space is None else space.number
        if self.state().space != space:
            self._changed = True
            listed = self.connection.execute(
                "SELECT name FROM segment WHERE left IS NULL AND space IS NOT ?", (number,)
            )
            self.arrange(gone=[name for (name,) in listed.fetchall()])
        self._run("UPDATE state SET space = ?, target = NULL", number)

    def aim_at(self, space: Space) -> None:
        """Keep the vectors of a space that is being filled, until it is used."""
        self._run("UPDATE state SET target = ?", space.number)

    def put_vectors(self, space: Space, vectors: Iterable[VectorRow]) -> None:
        """Write vectors; a known key is written again, which mends a damaged one."""
        self.connection.executemany(
            "INSERT INTO vector (space, key, data, checksum) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (space, key) "
            "DO UPDATE SET data = excluded.data, checksum = excluded.checksum",
            ((space.number, row.key, row.data, row.checksum) for row in vectors),
        )

    def prune(self) -> None:
        """Drop what no query can reach: old deletions, vectors without a chunk, unused spaces."""
        (needed,) = self.connection.execute(
            "SELECT MIN(deletion) FROM segment WHERE left IS NULL"
        ).fetchone()
        self._forget_deletions(self.last_deletion() if needed is None else needed)
        used = (
            "(SELECT space FROM state WHERE space NOT NULL "
            "UNION SELECT target FROM state WHERE target NOT NULL)"
        )
        self._drop(
            f"DELETE FROM vector WHERE space NOT IN {used} OR key NOT IN (SELECT key FROM chunk)"
        )
        for table in ("calibration", "segment"):
            self._drop(f"DELETE FROM {table} WHERE space NOT NULL AND space NOT IN {used}")
        self._drop(f"DELETE FROM space WHERE number NOT IN {used}")

    def _forget_deletions(self, upto: int) -> None:
        self._run("UPDATE state SET pruned = MAX(pruned, ?)", upto)
        self._run("DELETE FROM deletion WHERE number <= ?", upto)

    # Segments

    def arrange(
        self, *, gone: Iterable[str] | None = (), come: Iterable[StoredSegment] = ()
    ) -> None:
        """Change the list of segments; what it means for an answer stays the same.

        Args:
            gone: Names to take off the list, None for all.
            come: Segments to put on it.
        """
        (now,) = self.connection.execute("SELECT arrangement FROM state").fetchone()
        left = "UPDATE segment SET left = ? WHERE left IS NULL"
        if gone is None:
            self._run(left, now)
        else:
            self._each(f"{left} AND name = ?", [(now, name) for name in gone])
        self._each(
            "INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            [astuple(each) for each in come],
        )
        self._run("UPDATE state SET arrangement = arrangement + 1")
        self._run("DELETE FROM segment WHERE left < ?", now)

    def put_calibration(self, space: Space, calibration: Calibration) -> None:
        """Write how many candidates a space's compact codes must propose."""
        value = calibration.to_json()
        self._run(
            "INSERT OR REPLACE INTO calibration VALUES (?, ?, ?)",
            space.number,
            value,
            text_checksum(value),
        )

    def _drop(
        self, statement: str, values: Sequence[tuple[str | int | bytes | None, ...]] = ((),)
    ) -> int:
        """Delete what compacting must take out of the file too; returns how many rows it was."""
        count = self._each(statement, values)
        self._dropped = self._dropped or count > 0
        return count

    def _run(self, statement: str, *values: str | int | bytes | None) -> None:
        self.connection.execute(statement, values)

    def _each(self, statement: str, values: Sequence[tuple[str | int | bytes | None, ...]]) -> int:
        return self.connection.executemany(statement, values).rowcount
