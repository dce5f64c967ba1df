"""Blocks: the data of a file under checksums, each block checked before it is first used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from plait.errors import IndexFormatError
from plait.kernels.sums import BLOCK, changed

__all__ = ["Blocks", "damaged"]


class Blocks:
    """Data in blocks of 4096 bytes. Threads that meet in a block check it twice, and agree.

    Args:
        path: The file that errors name.
        data: Bytes, shape (n * 4096,).
        expected: The CRC-32 of each block, shape (n,).
    """

    def __init__(
        self, path: Path, data: NDArray[np.uint8], expected: NDArray[np.unsignedinteger]
    ) -> None:
        self._path = path
        self._data = data
        self._expected = expected.astype(np.uint32)
        self._checked = np.zeros(len(expected), dtype=np.bool_)
        self._flags = self._checked.data  # the same, quicker for single ones

    def touch(self, start: int, stop: int) -> None:
        """Check the bytes from ``start`` up to ``stop``, at least one.

        Raises:
            IndexFormatError: They are not as they were written.
        """
        first, last = start // BLOCK, (stop - 1) // BLOCK
        flags = self._flags
        if last - first < 2 and flags[first] and flags[last]:
            return  # by far the most frequent
        self._check(np.array([first]), np.array([last]))

    def touch_spans(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> None:
        """The same for several spans, each of at least one byte, shape (n,) each.

        Raises:
            IndexFormatError: They are not as they were written.
        """
        self._check(starts // BLOCK, (stops - 1) // BLOCK)

    def touch_each(self, starts: NDArray[np.int64], size: int) -> None:
        """The same for ``size`` bytes, at least one, from each of some starts on.

        Raises:
            IndexError: A start is outside.
        """
        if starts.min(initial=0) < 0:
            raise IndexError(f"the bytes from {starts.min()} on are outside of the data")
        first, last = starts // BLOCK, (starts + (size - 1)) // BLOCK
        for step in range((size - 1) // BLOCK + 2):  # so many blocks they may reach into
            blocks = np.minimum(first + step, last) if step else first
            seen = self._checked[blocks]
            if not seen.all():
                unseen = np.unique(blocks[~seen])
                self._check(unseen, unseen)

    def check_all(self) -> None:
        """Check everything, whatever was checked before.

        Raises:
            IndexFormatError: Something is not as it was written.
        """
        anew = Blocks(self._path, self._data, self._expected)
        anew.touch_spans(np.zeros(1, np.int64), np.array([len(self._data)]))
        self._checked[:] = True

    def _check(self, firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> None:
        block = changed(self._data, self._expected, self._checked, firsts, lasts)
        if block is not None:
            raise damaged(self._path, f"the block at byte {block * BLOCK} of its data was changed")


def damaged(path: Path, what: str) -> IndexFormatError:
    """The error for a file that is not as it was written."""
    return IndexFormatError(
        f"{path} is damaged: {what}, so it is not the file of arrays that was written", str(path)
    )
