"""Names: sorted strings in arrays, found by bisection, decoded only where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.kernels.names import bisect, gathered, locate
from plait.storage.arrays import Arrays

__all__ = ["Names"]


class Names:
    """Distinct strings in ascending order; that of str and of UTF-8 bytes is the same.

    Args:
        arrays: Where they are.
        name: What their arrays are called.

    Example:
        >>> from plait.storage import MemoryArrays
        >>> names = Names(MemoryArrays(Names.build(["ant", "bee", "zoë"], "ids")), "ids")
        >>> names.at(np.array([2, 0])), names.locate(["bee", "cow"]).tolist()
        (['zoë', 'ant'], [1, -1])
    """

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._arrays = arrays
        self._blob, self._offsets = f"{name}.blob", f"{name}.offsets"
        self._text: NDArray[np.uint8] = arrays[self._blob]
        self._starts: NDArray[np.uint64] = arrays[self._offsets]

    @staticmethod
    def build(names: Iterable[str], name: str) -> dict[str, NDArray[Any]]:
        """The arrays of distinct strings that ascend."""
        encoded = [each.encode() for each in names]
        offsets = np.fromiter(
            accumulate(map(len, encoded), initial=0), dtype=np.uint64, count=len(encoded) + 1
        )
        return {
            f"{name}.blob": np.frombuffer(b"".join(encoded), dtype=np.uint8),
            f"{name}.offsets": offsets,
        }

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[str]:
        """All strings, read at once."""
        self._touch()
        return iter(_cut(self._text.tobytes(), self._starts.tolist()))

    def at(self, ordinals: NDArray[np.integer]) -> list[str]:
        """The strings at these places, shape (n,)."""
        self._touch()
        places = np.ascontiguousarray(ordinals, dtype=np.int64)
        text, ends = gathered(self._text, self._starts, places)
        return _cut(text, [0, *ends])

    def locate(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """Where these strings are, -1 for those that are not there; shape (n,)."""
        self._touch()
        return locate(self._text, self._starts, [each.encode() for each in wanted])

    def bisect(self, wanted: str) -> int:
        """How many of the strings are less."""
        self._touch()
        return bisect(self._text, self._starts, wanted.encode())

    def _touch(self) -> None:
        """Check all: a bisection jumps about, and strings are small beside what they name."""
        self._arrays.touch(self._offsets)
        self._arrays.touch(self._blob)


def _cut(text: bytes, places: list[int]) -> list[str]:
    """The strings between one place and the next."""
    if text.isascii():
        letters = text.decode()
        return [letters[start:end] for start, end in pairwise(places)]
    return [text[start:end].decode() for start, end in pairwise(places)]
