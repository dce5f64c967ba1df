"""Sorted strings in Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

__all__ = ["bisect", "gathered", "locate"]


def locate(
    text: NDArray[np.uint8], offsets: NDArray[np.uint64], wanted: Sequence[bytes]
) -> NDArray[np.int64]:
    """See ``plait.kernels.names.locate``."""
    count = len(offsets) - 1
    places = []
    for name in wanted:
        place = bisect(text, offsets, name)
        found = place < count and _string(text, offsets, place) == name
        places.append(place if found else -1)
    return np.array(places, dtype=np.int64)


def bisect(text: NDArray[np.uint8], offsets: NDArray[np.uint64], wanted: bytes) -> int:
    """How many of the strings are less."""
    low, high = 0, len(offsets) - 1
    while low < high:
        middle = (low + high) // 2
        if _string(text, offsets, middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def gathered(
    text: NDArray[np.uint8], offsets: NDArray[np.uint64], places: NDArray[np.int64]
) -> tuple[bytes, list[int]]:
    """See ``plait.kernels.names.gathered``."""
    count = len(offsets) - 1
    if ((places < 0) | (places >= count)).any():
        raise IndexError(f"{places} has places that are not among {count}")
    strings = [_string(text, offsets, place) for place in places.tolist()]
    return b"".join(strings), list(accumulate(map(len, strings)))


def _string(text: NDArray[np.uint8], offsets: NDArray[np.uint64], place: int) -> bytes:
    return text[int(offsets[place]) : int(offsets[place + 1])].tobytes()
