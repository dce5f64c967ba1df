"""The file of one collection: many read it, one writes, each transaction sees one state."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plait.collection.connections import Connections, translated
from plait.collection.reading import Reading
from plait.collection.schema import check, create, use_wal
from plait.collection.writing import Writing
from plait.errors import ConfigurationError, LockedError, StoreError

__all__ = ["Pin", "Store"]

_RETRY = 0.01  # seconds


class Store:
    """The file of one collection.

    Args:
        path: The file; it is made if it is not there, unless ``read_only``.
        read_only: Never write. On read-only media, where SQLite cannot make its side files, the
            file is read as one that nobody changes.
        timeout: Seconds to wait for another writer.

    Raises:
        ConfigurationError: No such file to read, or a file system that WAL cannot work on.
        IndexFormatError: The file is damaged, of a newer format, or not plait's.
        StoreError: The file cannot be opened.
    """

    def __init__(self, path: Path, *, read_only: bool = False, timeout: float = 30.0) -> None:
        self.path = path
        self.read_only = read_only
        self.timeout = timeout
        self._frozen: object = None
        if read_only:
            self._connections = self._open_to_read()
        else:
            self._connections = Connections(path, "mode=rwc", timeout)
            self._settle_journal()

    def _settle_journal(self) -> None:
        """Check before changing anything, then switch to WAL, which does not wait by itself."""
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                with self._connections.lend() as connection:
                    check(connection, self.path)
                    use_wal(connection, self.path)
                return
            except LockedError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_RETRY)

    def _open_to_read(self) -> Connections:
        if not self.path.is_file():
            raise ConfigurationError(
                f"{self.path} does not exist, and read_only=True does not make it"
            )
        connections = Connections(self.path, "mode=ro", self.timeout)
        try:
            with connections.lend() as connection:
                made = check(connection, self.path)
        except StoreError as error:
            connections.close()
            if _log_size(self.path):
                raise StoreError(
                    f"{self.path} has commits in {self.path.name}-wal, which cannot be read where "
                    "nothing can be written; open the collection once where it can, close it, and "
                    "copy the folder again",
                    str(self.path),
                ) from error
            self._frozen = _signature(self.path)
            connections = Connections(self.path, "mode=ro&immutable=1", self.timeout)
            with connections.lend() as connection:
                made = check(connection, self.path)
        if not made:
            raise ConfigurationError(f"{self.path} is empty, and read_only=True does not fill it")
        return connections

    def is_made(self) -> bool:
        """Whether the tables are there."""
        with self._connections.lend() as connection:
            return check(connection, self.path)

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """One read transaction."""
        with self._connections.lend() as connection:
            self._check_frozen()
            connection.execute("BEGIN")
            yield Reading(connection, self.path)

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """One write transaction, committed at the end of the block unless it raises.

        The lock is held for the length of the block, so nothing slow belongs into it.

        Raises:
            LockedError: Another writer held the lock for longer than the timeout.
            StoreError: The commit failed, on a full disk for example; nothing of it is kept.
        """
        if self.read_only:
            raise ConfigurationError(
                f"the collection in {self.path} is open with read_only=True; open it without to "
                "change it"
            )
        with self._connections.lend() as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._connections.check_still_there()  # it may have been removed while this waited
            if not check(connection, self.path):
                create(connection)
            writing = Writing(connection, self.path)
            yield writing
            writing.finish()
            connection.execute("COMMIT")

    def remove_if_empty(self) -> bool:
        """Remove the file if it holds no chunk and no document. Nobody can write meanwhile.

        Raises:
            LockedError: Another writer held the lock for longer than the timeout.
        """
        with self.writing() as writing:
            if writing.count() or writing.count_documents():
                return False
            # The file itself last: whoever opens it without its log finds it empty as well.
            for suffix in ("-wal", "-shm", ""):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            return True

    def pin(self, *, long: bool = False) -> Pin:
        """A read transaction that stays open until it is closed; ``long`` if that may take."""
        self._check_frozen()
        return Pin(self._connections, long=long)

    def size(self) -> int:
        """Bytes on disk, the log included."""
        return self.path.stat().st_size + _log_size(self.path)

    def vacuum(self) -> None:
        """Rewrite the file without what was deleted, if anything was, and empty the log.

        Raises:
            LockedError: A reader kept an older state for longer than the timeout, so the log
                could not be emptied.
        """
        with self._connections.lend() as connection:
            (leftovers,) = connection.execute("SELECT leftovers FROM state").fetchone()
            if leftovers:
                connection.execute("VACUUM")
                # Others may have deleted more since: that is still in the file.
                connection.execute("UPDATE state SET leftovers = leftovers - ?", (leftovers,))
            deadline = time.monotonic() + self.timeout
            # SQLite waits for readers by itself, and not at all for another checkpoint.
            while busy := connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    break
                time.sleep(_RETRY)
        if busy:
            raise LockedError(
                f"{self.path} was compacted, but a reader still holds an older state, so deleted "
                "text may still be in its log; close snapshots and compact again"
            )

    @property
    def is_closed(self) -> bool:
        """Whether it was closed."""
        return self._connections.is_closed

    def close(self) -> None:
        """Close every connection; the last one of all processes folds the log into the file."""
        self._connections.close()

    def _check_frozen(self) -> None:
        if self._frozen is not None and self._frozen != _signature(self.path):
            raise StoreError(
                f"{self.path} was opened where it cannot be written, as a file that nobody "
                "changes, and has been changed; open it again",
                str(self.path),
            )


class Pin:
    """One state of the file, held by a read transaction; threads take turns in reading it."""

    def __init__(self, connections: Connections, *, long: bool) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        with translated(connections.path):
            self._connection = connections.take(pinned=long)
        self.renew()

    def renew(self) -> None:
        """Let the state go and hold the newest one."""
        with translated(self._connections.path):
            if self._connection.in_transaction:
                self._connection.rollback()
            self._connection.execute("BEGIN")

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """The transaction, for the length of the block.

        Raises:
            StoreError: The pin was closed, or comes from a process that forked this one.
        """
        path = self._connections.path
        with self._lock, translated(path):
            if not self._connections.holds(self._connection):
                raise StoreError(
                    f"this view of {path} is closed, or belongs to the process that forked this "
                    "one; take a new one",
                    str(path),
                )
            yield Reading(self._connection, path)

    def close(self) -> None:
        """Let the state go."""
        with self._lock:
            self._connections.give_back(self._connection)


def _log_size(path: Path) -> int:
    try:
        return path.with_name(path.name + "-wal").stat().st_size
    except FileNotFoundError:
        return 0


def _signature(path: Path) -> tuple[int, int, int, int]:
    """What changes when somebody writes to the file or to its log."""
    status = path.stat()
    return (status.st_ino, status.st_size, status.st_mtime_ns, _log_size(path))
