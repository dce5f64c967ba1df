"""CRC-32 of blocks by zlib."""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "changed", "sums"]

BLOCK = 4096
"""Bytes of a block."""


def sums(data: NDArray[np.uint8], blocks: NDArray[np.int64]) -> NDArray[np.uint32]:
    """See ``plait.kernels.sums.sums``."""
    view = data.data
    starts = (blocks * BLOCK).tolist()
    return np.fromiter(
        (zlib.crc32(view[start : start + BLOCK]) for start in starts),
        dtype=np.uint32,
        count=len(starts),
    )


def changed(
    data: NDArray[np.uint8],
    expected: NDArray[np.uint32],
    checked: NDArray[np.bool_],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> int | None:
    """See ``plait.kernels.sums.changed``."""
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        blocks = np.flatnonzero(~checked[first : last + 1]) + first
        right = sums(data, blocks) == expected[blocks]
        wrong = int(right.argmin()) if not right.all() else len(blocks)
        checked[blocks[:wrong]] = True
        if wrong < len(blocks):
            return int(blocks[wrong])
    return None
