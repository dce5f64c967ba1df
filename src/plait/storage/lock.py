"""FileLock: one process at a time, for as long as it lives."""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path

from plait.errors import StoreError

__all__ = ["FileLock"]

_RETRY = 0.01  # seconds
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class FileLock:
    """A lock that the operating system keeps on a file, and lets go of when the process dies.

    It excludes other processes and other holders in this one, of the same thread too. A forked
    child does not hold what its parent holds, and cannot let go of it.

    Args:
        path: The file; it is made if it is not there, and stays.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self, timeout: float = 0.0) -> Iterator[bool]:
        """The lock until the block ends, if it is free within ``timeout`` seconds.

        Raises:
            StoreError: The file cannot be made, or its file system has no locks.
        """
        file = self._open()
        free = False
        try:
            deadline = time.monotonic() + timeout
            while not (free := self._try(file)) and time.monotonic() < deadline:
                time.sleep(_RETRY)
            yield free
        finally:
            if free and not file.closed:  # it is in a child that was forked meanwhile
                _unlock(file)
            _files.discard(file)
            file.close()

    def _open(self) -> FileIO:
        with _forking:
            try:
                file = FileIO(self._path, "a")
            except OSError as error:
                raise self._failed(error) from error
            _files.add(file)
        return file

    def _try(self, file: FileIO) -> bool:
        try:
            _lock(file)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise self._failed(error) from error
        return True

    def _failed(self, error: OSError) -> StoreError:
        return StoreError(f"{self._path} cannot be locked: {error.strerror}", str(self._path))


if sys.platform == "win32":
    import msvcrt

    def _lock(file: FileIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file: FileIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


# The lock is that of the open file, which a forked child shares: it would let go of what its parent
# holds, or keep it when the parent is dead. So a child closes its copies before anything else.
_files: set[FileIO] = set()
_forking = threading.Lock()


def _after_fork_in_child() -> None:
    while _files:
        _files.pop().close()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_forking.acquire,
        after_in_parent=_forking.release,
        after_in_child=_after_fork_in_child,
    )
