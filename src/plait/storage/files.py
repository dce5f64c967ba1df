"""Files: what is asked of the file system, in one place, where a test can watch or fail it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from plait.errors import StoreError

__all__ = ["Files"]


class Files:
    """Files that are written whole or not at all, and removed.

    Errors of the operating system become ``StoreError``, transient if the disk is full.
    """

    def write(self, path: Path, pieces: Iterable[bytes | memoryview]) -> int:
        """Write a file that is not there yet, so that it is there whole or not at all.

        It is on disk, name and all, when this returns.

        Returns:
            Its size in bytes.

        Raises:
            StoreError: The disk is full, or the file cannot be written; nothing of it stays.
        """
        there = path.with_name(path.name + ".unfinished")
        size = 0
        try:
            with _translated(path, "written"):
                with there.open("wb") as file:
                    for piece in pieces:
                        size += file.write(piece)
                    file.flush()
                    os.fsync(file.fileno())
                there = there.replace(path)
                self._sync_folder(path.parent)
        except BaseException:
            with suppress(OSError):  # of a disk that failed; the first error is the one to tell
                there.unlink(missing_ok=True)
            raise
        return size

    def make_folder(self, path: Path) -> None:
        """Make a folder, if it is not there, in one that is."""
        with _translated(path, "made"):
            if not path.is_dir():
                path.mkdir(exist_ok=True)
                self._sync_folder(path.parent)

    def names(self, folder: Path) -> set[str]:
        """The names in a folder; none if it is not there."""
        with _translated(folder, "listed"):
            try:
                return set(os.listdir(folder))  # noqa: PTH208 (names, not paths)
            except FileNotFoundError:
                return set()

    def remove(self, path: Path) -> bool:
        """Remove a file; False if it stays, as one that is in use does on some systems."""
        with _translated(path, "removed"):
            try:
                path.unlink(missing_ok=True)
            except PermissionError:
                return False
            return True

    def remove_folder(self, path: Path) -> None:
        """Remove a folder if it is there and empty."""
        with _translated(path, "removed"):
            try:
                path.rmdir()
            except FileNotFoundError:
                pass
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise

    def _sync_folder(self, path: Path) -> None:
        """Have the names in a folder on disk."""
        if os.name == "nt":  # there a folder cannot be opened, and names need no syncing
            return
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _translated(path: Path, done: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        what = "the disk is full" if full else error.strerror or str(error)
        raise StoreError(
            f"{path} could not be {done}: {what}", str(path), transient=full
        ) from error
