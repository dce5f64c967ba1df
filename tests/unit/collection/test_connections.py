"""Connections: lent, taken back, closed before a fork; SQLite's errors in plait's words."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from plait.collection.connections import Connections, translated
from plait.errors import ConfigurationError, IndexFormatError, LockedError, PlaitError, StoreError

# From Python 3.12 on a fork beside threads warns; here there are none that matter to the child.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture
def connections(tmp_path: Path) -> Iterator[Connections]:
    made = Connections(tmp_path / "one.plait", "mode=rwc", 0.05)
    yield made
    made.close()


def in_child(work: Callable[[], str]) -> str:
    """What ``work`` says in a forked process."""
    reader, writer = multiprocessing.Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        try:
            said = work()
        except Exception as error:  # noqa: BLE001 (said to the parent)
            said = f"{type(error).__name__}: {error}"
        writer.send(said)
        os._exit(0)
    os.waitpid(pid, 0)
    return str(reader.recv())


def test_a_connection_is_used_again_and_by_one_borrower_at_a_time(connections: Connections) -> None:
    with connections.lend() as one, connections.lend() as other:
        assert other is not one
    with connections.lend() as again:
        assert again in (one, other)


def test_an_unfinished_transaction_is_rolled_back(connections: Connections) -> None:
    with connections.lend() as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO t VALUES (1)")
    with connections.lend() as connection:
        assert not connection.in_transaction
        assert connection.execute("SELECT * FROM t").fetchall() == []


def test_commits_reach_the_disk_before_they_return(connections: Connections) -> None:
    with connections.lend() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_after_closing_nothing_is_lent_and_what_is_out_is_closed_on_return(
    connections: Connections,
) -> None:
    with connections.lend() as connection:
        connections.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
    with pytest.raises(ConfigurationError, match="is closed; open it again"):
        connections.take()


def test_many_idle_connections_are_not_kept(connections: Connections) -> None:
    lent = [connections.take() for _ in range(20)]
    for connection in lent:
        connections.give_back(connection)
    still_open = 0
    for connection in lent:
        try:
            connection.execute("SELECT 1")
        except sqlite3.ProgrammingError:
            continue
        still_open += 1
    assert still_open == 8


def test_idle_connections_are_closed_before_a_fork_so_the_child_may_use_the_file(
    connections: Connections,
) -> None:
    with connections.lend() as connection:
        connection.execute("CREATE TABLE t (a)")

    def write() -> str:
        with connections.lend() as mine:
            mine.execute("INSERT INTO t VALUES (1)")
        return "written"

    assert in_child(write) == "written"
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
    with connections.lend() as again:
        assert again.execute("SELECT * FROM t").fetchall() == [(1,)]


def test_a_child_is_refused_when_its_parent_was_using_the_file(connections: Connections) -> None:
    pinned = connections.take(pinned=True)

    def use() -> str:
        assert not connections.holds(pinned)
        connections.give_back(pinned)  # not its own: left alone
        with connections.lend():
            return "used"

    assert "in use when this process was forked" in in_child(use)
    assert in_child(use).startswith("StoreError")
    assert connections.holds(pinned)
    assert pinned.execute("SELECT 1").fetchone() == (1,)
    connections.give_back(pinned)

    def fine() -> str:
        with connections.lend() as connection:
            return str(connection.execute("SELECT 1").fetchone())

    assert in_child(fine) == "(1,)"


def test_a_fork_waits_for_short_work(connections: Connections) -> None:
    started, done = threading.Event(), threading.Event()

    def work() -> None:
        with connections.lend() as connection:
            started.set()
            done.wait(5)
            connection.execute("SELECT 1")

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(5)
    threading.Timer(0.05, done.set).start()

    def use() -> str:
        with connections.lend():
            return "used"

    assert in_child(use) == "used"
    thread.join()


def test_a_fork_comes_to_its_turn_under_load(connections: Connections) -> None:
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            with connections.lend() as connection:
                connection.execute("SELECT 1")

    def use() -> str:
        with connections.lend():
            return "used"

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        assert [in_child(use) for _ in range(5)] == ["used"] * 5
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (sqlite3.SQLITE_BUSY, LockedError, "stayed locked by another writer"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, LockedError, "longer lock_timeout"),
        (sqlite3.SQLITE_CORRUPT, IndexFormatError, "is damaged"),
        (sqlite3.SQLITE_NOTADB, IndexFormatError, "is damaged"),
        (sqlite3.SQLITE_FULL, StoreError, "the disk is full"),
        (sqlite3.SQLITE_READONLY, StoreError, "could not be used.*open it with read_only=True"),
        (sqlite3.SQLITE_CANTOPEN, StoreError, "could not be used.*open it with read_only=True"),
        (sqlite3.SQLITE_IOERR, StoreError, "could not be used: what SQLite says$"),
        (sqlite3.SQLITE_ERROR, IndexFormatError, "is damaged"),  # a table has another shape
        (None, IndexFormatError, "is damaged"),
    ],
)
def test_errors_of_sqlite_are_said_in_plaits_words(
    code: int | None, kind: type[PlaitError], said: str
) -> None:
    error = sqlite3.OperationalError("what SQLite says")
    if code is not None:
        error.sqlite_errorcode = code
    with pytest.raises(kind, match=said) as caught, translated(Path("kb.plait")):
        raise error
    assert "kb.plait" in str(caught.value)
    assert caught.value.__cause__ is error
    if isinstance(caught.value, StoreError):
        assert caught.value.store == "kb.plait"
        assert caught.value.transient is (code == sqlite3.SQLITE_FULL)


def test_mistakes_in_the_code_and_foreign_errors_pass_unchanged() -> None:
    with pytest.raises(sqlite3.ProgrammingError), translated(Path("kb")):
        raise sqlite3.ProgrammingError("wrong number of bindings")
    with pytest.raises(KeyError), translated(Path("kb")):
        raise KeyError("mine")
