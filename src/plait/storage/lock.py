"""FileLock: one process at a time, for as long as it lives."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from plait.errors import StoreError

__all__ = ["FileLock"]

_RETRY = 0.01  # seconds


class FileLock:
    """A lock that the operating system keeps on a file, and lets go of when the process dies.

    It excludes other processes and other ``FileLock`` values of this one; a forked child does not
    hold what its parent holds.

    Args:
        path: The file; it is made if it is not there, and stays.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def held(self, timeout: float = 0.0) -> Iterator[bool]:
        """The lock until the block ends, if it is free within ``timeout`` seconds.

        Raises:
            StoreError: The file cannot be made.
        """
        try:
            file = self._path.open("ab")
        except OSError as error:
            raise StoreError(
                f"{self._path} cannot be locked: {error.strerror}", str(self._path)
            ) from error
        with file:
            deadline = time.monotonic() + timeout
            while not (free := _try_lock(file)) and time.monotonic() < deadline:
                time.sleep(_RETRY)
            try:
                yield free
            finally:
                if free:
                    _unlock(file)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        # On the open file, which a child shares that is forked meanwhile: it is let go of by hand.
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
