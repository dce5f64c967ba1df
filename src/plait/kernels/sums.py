"""Sums: CRC-32 of blocks of 4096 bytes, as zlib has it."""

from __future__ import annotations

import ctypes
import functools

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.native import address as _at
from plait.kernels.reference import sums as reference
from plait.kernels.reference.sums import BLOCK

__all__ = ["BLOCK", "changed", "sums"]

_FEW = 64  # blocks that take microseconds


def sums(data: NDArray[np.uint8], blocks: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The CRC-32 of some blocks.

    Args:
        data: Contiguous, shape (n * 4096,).
        blocks: Which blocks, each in 0 to n - 1, shape (m,).

    Returns:
        Shape (m,).

    Example:
        >>> hex(sums(np.zeros(8192, np.uint8), np.array([1]))[0])
        '0xc71c0011'
    """
    lib = native.library() if len(blocks) > _FEW else native.quick()
    if lib is not None:
        blocks = np.ascontiguousarray(blocks, dtype=np.int64)
        found = np.empty(len(blocks), dtype=np.uint32)
        if _declared(lib).plait_sums(_at(data), _at(blocks), len(blocks), _at(found)):
            return found
    return reference.sums(data, blocks)


def changed(
    data: NDArray[np.uint8],
    expected: NDArray[np.uint32],
    checked: NDArray[np.bool_],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> int | None:
    """The first block of some spans that is not as expected.

    Args:
        data: As ``sums`` has it.
        expected: The CRC-32 of each block, contiguous, shape (n,).
        checked: Which blocks need no look; those that are found right are set, shape (n,).
        firsts: The first block of each span, contiguous, shape (m,).
        lasts: The last one, likewise.

    Returns:
        Its number, None if all are right.

    Example:
        >>> data, checked = np.zeros(8192, np.uint8), np.zeros(2, np.bool_)
        >>> given = data, np.uint32([0xC71C0011, 7]), checked
        >>> changed(*given, np.array([0]), np.array([0])), checked.tolist()
        (None, [True, False])
        >>> changed(*given, np.array([0]), np.array([1]))
        1
    """
    many = int((lasts - firsts).sum()) > _FEW
    lib = native.library() if many else native.quick()
    if lib is not None:
        found: int = _declared(lib).plait_sums_changed(
            _at(data), _at(expected), _at(checked), _at(firsts), _at(lasts), len(firsts)
        )
        if found >= -1:
            return None if found < 0 else found
    return reference.changed(data, expected, checked, firsts, lasts)


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    at = ctypes.c_void_p
    lib.plait_sums.argtypes = [at, at, ctypes.c_int64, at]
    lib.plait_sums.restype = ctypes.c_int
    lib.plait_sums_changed.argtypes = [at, at, at, at, at, ctypes.c_int64]
    lib.plait_sums_changed.restype = ctypes.c_int64
    return lib
