"""The tables of a collection's file, their version, and the checks when one is opened.

The file is the only truth. Everything else (indexes in memory, segments in files beside it) is
derived from it and can be thrown away.

``chunk`` has a row per live chunk. Rows are never changed: an upsert writes a new row with a higher
number, and the number of the row that died goes to ``deletion``. So the difference between two
states is the rows above a number and the deletions above a number. ``vector`` is filled by content:
``key`` names the text that was embedded, ``space`` whose vectors they are. A vector outlives its
chunk until the file is compacted, so that a text that comes back is not embedded again.

``segment`` lists the files that hold the index of most rows: each of the rows above one number, up
to another, without those whose deletions had a number up to a third. What no segment covers is
indexed in memory.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from plait.errors import ConfigurationError, IndexFormatError

__all__ = ["FORMAT", "PART_OF", "check", "create", "use_wal"]

FORMAT = 3
"""Version of the tables, kept in SQLite's ``user_version``."""

PART_OF = "CASE WHEN json_valid(chunk.fields) THEN json_extract(chunk.fields, '$.document_id') END"
"""The document that a chunk says it is a part of; NULL also where its row is damaged."""

_APPLICATION = 0x504C_4149  # "PLAI", kept in SQLite's application_id

_TABLES = (
    # Text forms by name, written when the collection is made.
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # One row. generation: counts commits; pruned: deletions up to this number are no longer in the
    # log; space: whose vectors are searched; target: whose vectors are being made to replace them;
    # arrangement: counts the lists of segments; leftovers: counts the commits since the file was
    # last rewritten that deleted something, which is still in it.
    """CREATE TABLE state (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        generation INTEGER NOT NULL,
        pruned INTEGER NOT NULL,
        space INTEGER REFERENCES space,
        target INTEGER REFERENCES space,
        arrangement INTEGER NOT NULL,
        leftovers INTEGER NOT NULL
    )""",
    # metadata, fields: JSON. document: the row in document that the chunk was cut from.
    """CREATE TABLE chunk (
        row INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        document INTEGER REFERENCES document,
        key BLOB NOT NULL,
        content TEXT NOT NULL,
        metadata TEXT NOT NULL,
        fields TEXT NOT NULL,
        checksum BLOB NOT NULL
    )""",
    "CREATE INDEX chunk_document ON chunk (document) WHERE document IS NOT NULL",
    "CREATE INDEX chunk_part_of ON chunk ({0}) WHERE {0} IS NOT NULL".format(
        PART_OF.replace("chunk.", "")
    ),
    "CREATE TABLE deletion (number INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL)",
    # fingerprint: equal for equal embedders; identity: JSON to show, NULL for vectors that were
    # brought along; spec: the text form that rebuilds the embedder, NULL if it has none.
    """CREATE TABLE space (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint BLOB NOT NULL UNIQUE,
        identity TEXT,
        spec TEXT,
        dim INTEGER NOT NULL
    )""",
    # data: float32, little-endian.
    """CREATE TABLE vector (
        number INTEGER PRIMARY KEY,
        space INTEGER NOT NULL REFERENCES space,
        key BLOB NOT NULL,
        data BLOB NOT NULL,
        checksum BLOB NOT NULL,
        UNIQUE (space, key)
    )""",
    # What was read from files: enough to leave alone what has not changed.
    """CREATE TABLE document (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        source_name TEXT,
        source_path TEXT,
        content_hash TEXT NOT NULL,
        chunking TEXT NOT NULL
    )""",
    "CREATE INDEX document_source ON document (source_name, source_path)",
    # above, upto: the row numbers that it covers; deletion: the deletions that it leaves out;
    # mark: what its header's checksum is; left: the arrangement that it was last listed in, NULL
    # while it is.
    """CREATE TABLE segment (
        name TEXT PRIMARY KEY,
        space INTEGER REFERENCES space,
        above INTEGER NOT NULL,
        upto INTEGER NOT NULL,
        deletion INTEGER NOT NULL,
        chunks INTEGER NOT NULL,
        size INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        mark TEXT NOT NULL,
        left INTEGER
    ) WITHOUT ROWID""",
    # How many candidates the compact codes of a space's vectors must propose, as JSON.
    """CREATE TABLE calibration (
        space INTEGER PRIMARY KEY REFERENCES space,
        value TEXT NOT NULL,
        checksum TEXT NOT NULL
    )""",
    "INSERT INTO state VALUES (1, 0, 0, NULL, NULL, 0, 0)",
)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables; the caller holds the write transaction."""
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def check(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables are there; False for a file that is still empty.

    Raises:
        IndexFormatError: The file is of a newer format, or belongs to another program.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application == _APPLICATION:
        if version == FORMAT:
            return True
        what = "upgrade plait to open it" if version > FORMAT else "index again into a new folder"
        raise IndexFormatError(
            f"{path} has format {version}, this version of plait reads format {FORMAT}; {what}",
            str(path),
        )
    (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    if application == 0 and version == 0 and tables == 0:
        return False
    raise IndexFormatError(
        f"{path} is an SQLite database, but not one that plait made; give another folder", str(path)
    )


def use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the file to a write-ahead log, which lets many read while one writes.

    Raises:
        ConfigurationError: The file system cannot do it.
    """
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise ConfigurationError(
            f"{path.parent} cannot hold a collection: SQLite's write-ahead log needs shared memory "
            f"between processes, which this file system does not have (journal mode stays {mode!r})"
            "; use a folder on a local disk"
        )
