"""The tables, their version, and what is refused at open."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from plait.collection.schema import FORMAT, check, create, use_wal
from plait.errors import ConfigurationError, IndexFormatError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "one.plait"


@pytest.fixture
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as made:
        yield made


def test_an_empty_file_has_no_tables_and_a_made_one_has(
    connection: sqlite3.Connection, path: Path
) -> None:
    assert check(connection, path) is False
    create(connection)
    assert check(connection, path) is True


def test_a_newer_format_is_refused_by_name(connection: sqlite3.Connection, path: Path) -> None:
    create(connection)
    connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    with pytest.raises(IndexFormatError, match=f"has format {FORMAT + 1}.*upgrade plait") as caught:
        check(connection, path)
    assert caught.value.path == str(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    "statement",
    ["CREATE TABLE mine (a)", "PRAGMA user_version = 7", "PRAGMA application_id = 42"],
)
def test_the_database_of_another_program_is_refused(
    statement: str, connection: sqlite3.Connection, path: Path
) -> None:
    connection.execute(statement)
    with pytest.raises(IndexFormatError, match="not one that plait made"):
        check(connection, path)


def test_tables_are_made_in_one_transaction(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    create(connection)
    connection.execute("ROLLBACK")
    assert check(connection, path) is False


def test_wal_is_switched_on(connection: sqlite3.Connection, path: Path) -> None:
    use_wal(connection, path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_where_wal_cannot_work_the_reason_is_said(path: Path) -> None:
    # This way of locking has no shared memory, as on a network file system.
    uri = f"{path.as_uri()}?vfs=unix-dotfile"
    with (
        closing(sqlite3.connect(uri, uri=True)) as connection,
        pytest.raises(ConfigurationError, match=r"shared memory.*use a folder on a local disk"),
    ):
        use_wal(connection, path)
