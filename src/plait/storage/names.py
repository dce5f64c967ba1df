"""Names: sorted strings in arrays, found by bisection, decoded only where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.kernels.names import bisect, gathered, locate, merge, put
from plait.storage.arrays import Arrays
from plait.storage.streamed import Storable, Streamed, neighbors

__all__ = ["Names", "Order"]

_PIECE = 1 << 22  # bytes of strings that are brought together at a time


class Order(NamedTuple):
    """Strings of several tables in ascending order, equal ones in that of the tables.

    Attributes:
        source: The number of each one's table, shape (strings,).
        ordinal: Its place there, likewise.
        fresh: Whether it is another one than the one before it, likewise.
    """

    source: NDArray[np.int32]
    ordinal: NDArray[np.int64]
    fresh: NDArray[np.bool_]


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

    @staticmethod
    def order(parts: Sequence[Names], picked: Sequence[NDArray[np.int64]]) -> Order:
        """Some strings of several tables in one order.

        Args:
            parts: The tables.
            picked: The places of the strings in each, ascending.
        """
        return Order(*merge([part.table() for part in parts], picked))

    @staticmethod
    def merge(
        parts: Sequence[Names],
        source: NDArray[np.int32],
        ordinal: NDArray[np.int64],
        name: str,
    ) -> dict[str, Storable]:
        """The arrays of distinct strings of several tables.

        Args:
            parts: Where they are.
            source: The number of each one's table, so that the strings ascend, shape (n,).
            ordinal: Its place there, likewise.
            name: What the arrays are called.

        Returns:
            What ``build`` makes of them. The text is read from the tables when it is written.
        """
        tables = [part.table() for part in parts]
        sizes = np.zeros(len(source) + 1, dtype=np.uint64)
        for number, (_, starts) in enumerate(tables):
            here = np.flatnonzero(source == number)
            places = ordinal[here]
            sizes[here + 1] = starts[places + 1] - starts[places]
        offsets = np.cumsum(sizes, dtype=np.uint64)

        def text() -> Iterator[NDArray[np.uint8]]:
            for some in neighbors(offsets, _PIECE):
                bounds = offsets[some.start : some.stop + 1] - offsets[some.start]
                piece = np.empty(int(bounds[-1]), dtype=np.uint8)
                for number, (strings, starts) in enumerate(tables):
                    here = np.flatnonzero(source[some] == number)
                    first = starts[ordinal[some][here]]
                    put(strings, first, bounds[here + 1] - bounds[here], bounds[here], piece)
                yield piece

        return {
            f"{name}.blob": Streamed("|u1", (int(offsets[-1]),), text),
            f"{name}.offsets": offsets,
        }

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[str]:
        """All strings, read at once."""
        self._touch()
        return iter(_cut(self._text.tobytes(), self._starts.tolist()))

    def table(self) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
        """The text of all strings, and where each begins, and the end; checked."""
        self._touch()
        return self._text, self._starts

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
