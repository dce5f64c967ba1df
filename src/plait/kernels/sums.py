"""Sums: CRC-32 of blocks of 4096 bytes, as zlib has it."""

from __future__ import annotations

import ctypes
import functools

import numpy as np
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.reference import sums as reference
from plait.kernels.reference.sums import BLOCK

__all__ = ["BLOCK", "sums"]

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


def _at(array: NDArray[np.generic]) -> int:
    """Where an array's data is."""
    address: int = array.__array_interface__["data"][0]
    return address


@functools.cache
def _declared(lib: ctypes.CDLL) -> ctypes.CDLL:
    at = ctypes.c_void_p
    lib.plait_sums.argtypes = [at, at, ctypes.c_int64, at]
    lib.plait_sums.restype = ctypes.c_int
    return lib
