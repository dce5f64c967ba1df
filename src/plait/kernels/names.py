"""Names: strings in the order of their bytes, and where others are among them.

String i is ``text[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.native import address as _at
from plait.kernels.reference import names as reference
from plait.kernels.reference.names import bisect

__all__ = ["bisect", "gathered", "locate", "merge", "put"]

_USUAL = 48  # bytes of a string


def locate(
    text: NDArray[np.uint8], offsets: NDArray[np.uint64], wanted: Sequence[bytes]
) -> NDArray[np.int64]:
    """Where some strings are.

    Args:
        text: The strings, one after the other.
        offsets: Where each begins, and the end of the last, shape (strings + 1,).
        wanted: What is looked for.

    Returns:
        Places, -1 for what is not there; shape (wanted,).

    Example:
        >>> text = np.frombuffer(b"antbee", np.uint8)
        >>> locate(text, np.array([0, 3, 6], np.uint64), [b"bee", b"b"]).tolist()
        [1, -1]
    """
    if (lib := native.quick()) is None:
        return reference.locate(text, offsets, wanted)
    joined = b"".join(wanted)
    ends = np.fromiter(accumulate(map(len, wanted)), dtype=np.uint64, count=len(wanted))
    places = np.empty(len(wanted), dtype=np.int64)
    _declared(lib).plait_names_locate(
        _at(text), _at(offsets), len(offsets) - 1, joined, _at(ends), len(wanted), _at(places)
    )
    return places


def gathered(
    text: NDArray[np.uint8], offsets: NDArray[np.uint64], places: NDArray[np.int64]
) -> tuple[bytes, list[int]]:
    """The strings at some places, one after the other, and where each ends.

    Args:
        text: As ``locate`` has it, as the next.
        offsets: Likewise.
        places: Of strings, contiguous, shape (n,).

    Raises:
        IndexError: There is no such place.

    Example:
        >>> text = np.frombuffer(b"antbee", np.uint8)
        >>> gathered(text, np.array([0, 3, 6], np.uint64), np.array([1, 0]))
        (b'beeant', [3, 6])
    """
    if (lib := native.quick()) is None:
        return reference.gathered(text, offsets, places)
    count = len(offsets) - 1
    ends = np.empty(len(places), dtype=np.int64)
    room = _USUAL * len(places)
    while True:
        found = np.empty(room, dtype=np.uint8)
        size: int = _declared(lib).plait_names_gather(
            _at(text), _at(offsets), count, _at(places), len(places), _at(ends), _at(found), room
        )
        if size < 0:
            raise IndexError(f"{places} has places that are not among {count}")
        if size <= room:
            return found[:size].tobytes(), ends.tolist()
        room = size


def put(
    text: NDArray[np.uint8],
    starts: NDArray[np.uint64],
    sizes: NDArray[np.uint64],
    targets: NDArray[np.uint64],
    into: NDArray[np.uint8],
) -> None:
    """Write some of the strings, each to a place of its own; arguments contiguous.

    Args:
        text: The strings, one after the other.
        starts: Where each begins, shape (n,).
        sizes: How many bytes it has, likewise.
        targets: Where it goes, likewise.
        into: What is written to.
    """
    if (lib := native.library()) is None:
        reference.put(text, starts, sizes, targets, into)
        return
    _declared(lib).plait_names_put(
        _at(text), _at(starts), _at(sizes), _at(targets), len(starts), _at(into)
    )


def merge(
    tables: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint64]]],
    picked: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Some strings of several tables in one order, equal ones in that of the tables.

    Args:
        tables: Text and offsets of each, as ``locate`` has them.
        picked: The places of the strings in each, ascending, contiguous.

    Returns:
        For each string the number of its table, its place there, and whether it is another one than
        the one before it; shape (strings,).

    Example:
        >>> tables = [(np.frombuffer(b"antbee", np.uint8), np.array([0, 3, 6], np.uint64))] * 2
        >>> source, places, fresh = merge(tables, [np.array([0, 1]), np.array([1])])
        >>> source.tolist(), places.tolist(), fresh.tolist()
        ([0, 0, 1], [0, 1, 1], [True, True, False])
    """
    if (lib := native.library()) is None:
        return reference.merge(tables, picked)
    counts = np.array([len(each) for each in picked], dtype=np.int64)
    total = int(counts.sum())
    source, places = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int64)
    fresh = np.empty(total, dtype=np.bool_)
    at, queue = np.empty(len(tables), np.int64), np.empty(len(tables), np.int64)
    texts = np.array([_at(text) for text, _ in tables], dtype=np.uintp)
    offsets = np.array([_at(offsets) for _, offsets in tables], dtype=np.uintp)
    at_picked = np.array([_at(each) for each in picked], dtype=np.uintp)
    _declared(lib).plait_names_merge(
        len(tables), _at(texts), _at(offsets), _at(at_picked), _at(counts), _at(at), _at(queue),
        _at(source), _at(places), _at(fresh),
    )  # fmt: skip
    return source, places, fresh


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    at, number = ctypes.c_void_p, ctypes.c_int64
    lib.plait_names_locate.argtypes = [at, at, number, ctypes.c_char_p, at, number, at]
    lib.plait_names_locate.restype = None
    lib.plait_names_gather.argtypes = [at, at, number, at, number, at, at, number]
    lib.plait_names_gather.restype = number
    lib.plait_names_put.argtypes = [at, at, at, at, number, at]
    lib.plait_names_put.restype = None
    lib.plait_names_merge.argtypes = [number, *[at] * 9]
    lib.plait_names_merge.restype = None
    return lib
