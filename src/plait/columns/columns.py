"""Columns: the metadata of the rows of a part, and which of them pass a filter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.bits import Bits, of_mask
from plait.columns.building import Level, build
from plait.columns.fields import Fields, Mask
from plait.filters import Filter
from plait.filters.nodes import And, Condition, Node, Not
from plait.storage import Arrays

__all__ = ["Columns"]

_PREFIX = "columns"
_KEPT = 64  # filters whose rows are kept, 125 KB each for a million rows


class Columns:
    """The metadata of some rows, by field: each value a number into a sorted dictionary.

    A test is made once for each distinct value, and by bisection where it can be, so a filter costs
    a few milliseconds for a million rows, whatever the values are: what is in lists and in the
    mappings of lists has columns too. Only paths beyond the first thousand have none; what is under
    these is kept as JSON, and looked at when it is asked for.

    Args:
        arrays: Where the columns are.
        size: How many rows there are.

    Example:
        >>> from plait.storage import MemoryArrays
        >>> columns = Columns(MemoryArrays(Columns.build(['{"year": 2024}', "{}"])), 2)
        >>> columns.passing(Filter.parse({"year": {"$gte": 2020}})).tolist()
        [1]
    """

    def __init__(self, arrays: Arrays, size: int) -> None:
        self._arrays = arrays
        self._size = size
        self._kept: dict[Filter, Bits] = {}

    @staticmethod
    def build(metadata: Iterable[str]) -> dict[str, NDArray[Any]]:
        """The arrays for the metadata of rows, as JSON."""
        return build(metadata, _PREFIX)

    @staticmethod
    def merge(
        parts: Sequence[Columns], source: NDArray[np.int32], ordinal: NDArray[np.int64]
    ) -> dict[str, NDArray[Any]]:
        """The arrays for rows of several parts; values that no row has any more are gone.

        Args:
            parts: Where the rows are now.
            source: The part of each new row, shape (rows,).
            ordinal: Its place there, likewise.
        """
        level = Level()
        for number, part in enumerate(parts):
            rows = np.flatnonzero(source == number)
            target = np.full(part._size, -1, dtype=np.int64)  # noqa: SLF001 (another of its own)
            target[ordinal[rows]] = rows
            part._fields.move(target, level)
        level.size = len(source)
        return level.arrays(_PREFIX)

    def passing(self, keep: Filter) -> Bits:
        """The rows that pass, shape ((size + 63) // 64,); read-only.

        Raises:
            IndexFormatError: The columns are not as they were written.
        """
        bits = self._kept.get(keep)
        if bits is None:
            bits = of_mask(self._mask(keep.root))
            bits.setflags(write=False)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[keep] = bits
        return bits

    def fields(self) -> dict[str, int]:
        """The fields that a filter can name, and how many rows have each.

        Example:
            >>> from plait.storage import MemoryArrays
            >>> metadata = ['{"product": {"tier": 1}}', '{"product": {}, "lang": "en"}']
            >>> Columns(MemoryArrays(Columns.build(metadata)), 2).fields()
            {'product': 2, 'product.tier': 1, 'lang': 1}
        """
        return {name: rows for name, rows in self._fields.counts().items() if rows}

    @cached_property
    def _fields(self) -> Fields:
        return Fields(self._arrays, _PREFIX, self._size)

    def _mask(self, node: Node) -> Mask:
        if isinstance(node, Condition):
            return self._fields.mask(node)
        if isinstance(node, Not):
            return ~self._mask(node.child)
        every = isinstance(node, And)
        mask = np.full(self._size, every)
        for child in node.children:
            mask = mask & self._mask(child) if every else mask | self._mask(child)
        return mask
