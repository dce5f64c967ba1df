"""Streamed: an array that is made piece by piece when it is written, and never whole in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Storable", "Streamed", "neighbors"]


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """An array whose kind and size are known before its elements.

    Attributes:
        dtype: Its type, as ``numpy.dtype.str`` tells it.
        shape: Its shape.
        pieces: Makes its elements anew at each call: arrays of this type, one after the other along
            the first axis, however many and of whatever size.

    Example:
        >>> squares = Streamed("<i8", (4,), lambda: (np.array([n, n + 1]) ** 2 for n in (0, 2)))
        >>> squares.whole().tolist()
        [0, 1, 4, 9]
    """

    dtype: str
    shape: tuple[int, ...]
    pieces: Callable[[], Iterable[NDArray[Any]]]

    @property
    def nbytes(self) -> int:
        """How many bytes its elements take."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)

    def octets(self) -> Iterator[memoryview]:
        """The bytes of its elements, piece by piece.

        Raises:
            ValueError: The pieces are of another type, or have fewer or more elements than the
                shape tells; no byte too many is given.
        """
        left = self.nbytes
        for piece in self.pieces():
            if piece.dtype.str != self.dtype or piece.nbytes > left:
                raise ValueError(
                    f"a piece of {piece.dtype.str} of shape {piece.shape} came where {left} bytes "
                    f"were left of {self.dtype} of shape {self.shape}; pieces must have that type "
                    "and together that many elements"
                )
            left -= piece.nbytes
            yield np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
        if left:
            raise ValueError(
                f"the pieces of {self.dtype} of shape {self.shape} ended {left} bytes too early"
            )

    def whole(self) -> NDArray[Any]:
        """The array in memory.

        Raises:
            ValueError: As ``octets``.
        """
        array = np.empty(self.nbytes, dtype=np.uint8)
        at = 0
        for octets in self.octets():
            array[at : at + len(octets)] = octets
            at += len(octets)
        return array.view(self.dtype).reshape(self.shape)


Storable: TypeAlias = NDArray[Any] | Streamed
"""What can be written to a file of arrays."""


def neighbors(bounds: NDArray[np.uint64], most: int) -> Iterator[slice]:
    """Which neighbors to work on together, so that they have a bounded size.

    Args:
        bounds: Where each begins, and the end of the last, shape (n + 1,).
        most: What they may have together; one that has more is alone.

    Example:
        >>> list(neighbors(np.array([0, 3, 5, 12, 13], dtype=np.uint64), 6))
        [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    start, last = 0, len(bounds) - 1
    while start < last:
        enough = bounds[start] + np.uint64(most)
        stop = max(start + 1, int(np.searchsorted(bounds, enough, side="right")) - 1)
        yield slice(start, stop)
        start = stop
