"""Sorted strings in Python."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["bisect", "gathered", "locate", "merge", "put"]


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


def put(
    text: NDArray[np.uint8],
    starts: NDArray[np.uint64],
    sizes: NDArray[np.uint64],
    targets: NDArray[np.uint64],
    into: NDArray[np.uint8],
) -> None:
    """See ``plait.kernels.names.put``."""
    from_, to = text.data, into.data
    for start, size, target in zip(starts.tolist(), sizes.tolist(), targets.tolist(), strict=True):
        to[target : target + size] = from_[start : start + size]


def merge(
    tables: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint64]]],
    picked: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """See ``plait.kernels.names.merge``."""
    found = sorted(
        (_string(text, offsets, place), table, place)
        for table, ((text, offsets), places) in enumerate(zip(tables, picked, strict=True))
        for place in places.tolist()
    )
    fresh = np.ones(len(found), dtype=np.bool_)
    fresh[1:] = [one[0] != other[0] for one, other in pairwise(found)]
    source = np.array([table for _, table, _ in found], dtype=np.int32)
    return source, np.array([place for _, _, place in found], dtype=np.int64), fresh


def _string(text: NDArray[np.uint8], offsets: NDArray[np.uint64], place: int) -> bytes:
    return text[int(offsets[place]) : int(offsets[place + 1])].tobytes()
