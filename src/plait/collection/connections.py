"""The SQLite connections of one file: lent, taken back, closed before a fork.

SQLite must not be carried across a fork: its bookkeeping of file locks is copied, the locks
are not. So idle connections are closed before a fork, and a child whose parent was using the file
at that moment is refused, since it could neither read nor write it safely.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plait.errors import ConfigurationError, IndexFormatError, LockedError, PlaitError, StoreError

__all__ = ["Connections", "translated"]

_KEPT = 8  # idle connections kept open
_FORK_WAIT = 1.0  # seconds that a fork waits for queries and commits to end


class Connections:
    """Connections to one file, each used by one borrower at a time.

    Args:
        path: The SQLite file.
        options: Options of the file's URI, such as ``mode=rw``.
        timeout: Seconds to wait for a lock.
    """

    def __init__(self, path: Path, options: str, timeout: float) -> None:
        self.path = path
        self.timeout = timeout
        self._place = path.resolve()  # one file, however its path is spelled
        self._uri = f"{path.absolute().as_uri()}?{options}"
        self._file: tuple[int, int] | None = None  # the file that was opened, when it was there
        self._closed = False
        self._idle: list[sqlite3.Connection] = []
        self._reset()
        weakref.finalize(self, _close_all, self._idle)
        _every.add(self)

    def _reset(self) -> None:
        self._condition = threading.Condition()
        self._lent: dict[sqlite3.Connection, bool] = {}
        self._forking = False

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """A connection for the length of the block; errors of SQLite become plait's."""
        with translated(self.path):
            connection = self.take()
            try:
                yield connection
            finally:
                self.give_back(connection)

    def take(self, *, pinned: bool = False) -> sqlite3.Connection:
        """A connection until it is given back; ``pinned`` if that may be long."""
        with self._condition:
            self._condition.wait_for(lambda: not self._forking)
            if self._closed:
                raise ConfigurationError(f"the collection in {self.path} is closed; open it again")
            self.check_still_there()
            connection = self._idle.pop() if self._idle else self._connect()
            self._lent[connection] = pinned
        return connection

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Take a connection back; an unfinished transaction is rolled back."""
        if not self.holds(connection):
            return  # lent before a fork: it is the parent's
        try:
            if connection.in_transaction:
                connection.rollback()
        finally:
            with self._condition:
                del self._lent[connection]
                if self._closed or len(self._idle) >= _KEPT:
                    connection.close()
                else:
                    self._idle.append(connection)
                self._condition.notify_all()

    def holds(self, connection: sqlite3.Connection) -> bool:
        """Whether a connection is lent and of this process."""
        return connection in self._lent

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def close(self) -> None:
        """Close what is idle now and what is lent when it comes back."""
        with self._condition:
            self._closed = True
            _close_all(self._idle)

    def check_still_there(self) -> None:
        """Refuse a file that is another one now: what is written to the old one would be lost."""
        try:
            status = self.path.stat()
            found = status.st_dev, status.st_ino
        except OSError:
            found = None
        if self._file is not None and found != self._file:
            raise StoreError(
                f"{self.path} was removed or replaced while it was open; open the collection again",
                str(self.path),
            )
        self._file = found

    def _connect(self) -> sqlite3.Connection:
        if self._place in _unsafe:
            raise StoreError(
                f"{self.path} was in use when this process was forked, so SQLite cannot use it "
                "here; fork while no query, write or snapshot is running, or start the process "
                "with multiprocessing's 'spawn'",
                str(self.path),
            )
        connection = sqlite3.connect(
            self._uri,
            uri=True,
            timeout=self.timeout,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def before_fork(self) -> None:
        """Let short work end, close what is idle, and lend nothing until the fork is done."""
        self._condition.acquire()
        self._forking = True  # waiting lets go of the lock, and under load there is always a next
        self._condition.wait_for(lambda: all(self._lent.values()), timeout=_FORK_WAIT)
        _close_all(self._idle)

    def after_fork_in_parent(self) -> None:
        """Lend again."""
        self._forking = False
        self._condition.notify_all()
        self._condition.release()

    def after_fork_in_child(self) -> None:
        """Start anew; remember what the parent was using."""
        if self._lent:
            _unsafe.add(self._place)
            _leaked.extend(self._lent)
        self._reset()


def _close_all(connections: list[sqlite3.Connection]) -> None:
    while connections:
        connections.pop().close()


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn errors of SQLite inside the block into plait's, naming the file."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a mistake in this code, not in the file
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second: names of damaged tables
        raise _plait_error(error, path) from error


def _plait_error(error: sqlite3.Error | UnicodeDecodeError, path: Path) -> PlaitError:
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LockedError(
            f"{path} stayed locked by another writer ({error}); try again, or open it with a "
            "longer lock_timeout"
        )
    # Text that is not UTF-8 comes without a code; a table that lacks a column is an SQLITE_ERROR.
    if primary in (
        sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, None
    ):  # fmt: skip
        return IndexFormatError(
            f"{path} is damaged ({error}); restore it from a copy or index again into a new folder",
            str(path),
        )
    if primary == sqlite3.SQLITE_FULL:
        return StoreError(
            f"{path} could not be written, the disk is full; nothing of this write was kept",
            str(path),
            transient=True,
        )
    hint = ""
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        hint = "; where nothing may be written, open it with read_only=True"
    return StoreError(f"{path} could not be used: {error}{hint}", str(path))


_every: weakref.WeakSet[Connections] = weakref.WeakSet()
_forking: list[Connections] = []
_fork_lock = threading.Lock()
_unsafe: set[Path] = set()
_leaked: list[sqlite3.Connection] = []  # closing them would touch the parent's files


def _before_fork() -> None:
    _fork_lock.acquire()
    _forking.extend(_every)
    for connections in _forking:
        connections.before_fork()


def _after_fork_in_parent() -> None:
    for connections in _forking:
        connections.after_fork_in_parent()
    _forking.clear()
    _fork_lock.release()


def _after_fork_in_child() -> None:
    for connections in _forking:
        connections.after_fork_in_child()
    _forking.clear()
    _fork_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
