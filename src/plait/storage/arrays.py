"""Arrays by name, in memory or in a file: what the immutable parts of an index are made of.

An array that lies in a file is mapped, not read, so what is never looked at costs nothing. Before
its bytes may decide an answer they are checked: ``touch`` the elements, then use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plait.storage.streamed import Storable, Streamed

__all__ = ["Arrays", "MemoryArrays"]


class Arrays(Protocol):
    """Arrays by name, read-only; safe to use from any number of threads."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """What was written beside the arrays, JSON values."""
        ...

    def __contains__(self, name: str) -> bool: ...

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The array as it lies there, not yet checked.

        Raises:
            KeyError: There is none of this name.
        """
        ...

    def touch(self, name: str, start: int = 0, stop: int | None = None) -> None:
        """Check the elements ``start`` to ``stop`` along the first axis, once for each block.

        Raises:
            IndexFormatError: They are not as they were written; names the file.
        """
        ...

    def touch_spans(
        self, names: Iterable[str], starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> None:
        """The same for several spans of some arrays, all inside and none empty, shape (n,) each."""
        ...

    def touch_rows(self, name: str, rows: NDArray[np.integer]) -> None:
        """The same for single elements along the first axis, shape (n,)."""
        ...

    def read(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The elements ``start`` to ``stop``, checked."""
        ...


class MemoryArrays:
    """Arrays that a process has just made: nothing to check. What is streamed is made whole.

    Example:
        >>> MemoryArrays({"rows": np.arange(3)}).read("rows", 1).tolist()
        [1, 2]
    """

    def __init__(
        self, arrays: Mapping[str, Storable], meta: Mapping[str, Any] | None = None
    ) -> None:
        self._arrays = {
            name: array.whole() if isinstance(array, Streamed) else array
            for name, array in arrays.items()
        }
        self.meta: Mapping[str, Any] = dict(meta or {})

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def touch(self, name: str, start: int = 0, stop: int | None = None) -> None:
        """Nothing to check."""

    def touch_spans(
        self, names: Iterable[str], starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> None:
        """Nothing to check."""

    def touch_rows(self, name: str, rows: NDArray[np.integer]) -> None:
        """Nothing to check."""

    def read(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """The elements ``start`` to ``stop``."""
        return self._arrays[name][start:stop]
