"""RowNumbers: which row of the collection's file is at which ordinal, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.storage import Arrays, Storable
from plait.table import Ordinals

__all__ = ["RowNumbers"]

_NUMBERS, _ORDER = "rows.numbers", "rows.order"


@dataclass(frozen=True, slots=True, eq=False)
class RowNumbers:
    """Row numbers by ordinal, looked at only where rows died.

    Example:
        >>> from plait.storage import MemoryArrays
        >>> numbers = RowNumbers(MemoryArrays(RowNumbers.build(np.array([7, 3, 5]))))
        >>> numbers.ordinals(np.array([5, 6, 7])).tolist()
        [2, 0]
    """

    arrays: Arrays

    @staticmethod
    def build(numbers: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The arrays for these row numbers, each once, shape (rows,)."""
        order = np.argsort(numbers).astype(np.uint32)
        return {_NUMBERS: numbers.astype(np.int64), _ORDER: order}

    @staticmethod
    def count(arrays: Mapping[str, Storable]) -> int:
        """How many rows these arrays are of."""
        return arrays[_NUMBERS].shape[0]

    def at(self, ordinals: Ordinals) -> NDArray[np.int64]:
        """The row numbers at these ordinals."""
        self.arrays.touch(_NUMBERS)
        found: NDArray[np.int64] = self.arrays[_NUMBERS][ordinals]
        return found

    def ordinals(self, wanted: NDArray[np.int64]) -> Ordinals:
        """Where these row numbers are; those that are not here are left out."""
        if not len(wanted):
            return np.zeros(0, dtype=np.int64)
        for name in (_NUMBERS, _ORDER):
            self.arrays.touch(name)
        numbers, order = self.arrays[_NUMBERS], self.arrays[_ORDER]
        places = np.searchsorted(numbers, wanted, sorter=order)
        inside = places < len(numbers)
        found = order[places[inside]].astype(np.int64)
        matching: Ordinals = found[numbers[found] == wanted[inside]]
        return matching
