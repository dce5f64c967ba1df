"""Columns: the metadata of the rows of a part, and which of them pass a filter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.bits import Bits, of_mask
from plait.columns.building import Builder, Path
from plait.columns.column import Column
from plait.filters import Filter
from plait.filters.nodes import And, Condition, Node, Not
from plait.storage import Arrays

__all__ = ["Columns"]

_CACHED = 64  # filters whose rows are kept, 125 KB each for a million rows

_Mask = NDArray[np.bool_]


class Columns:
    """The metadata of some rows, by field: each value a number into a sorted dictionary.

    A test is made once for each distinct value, and by bisection where it can be, so a filter costs
    about a millisecond for a million rows. Rows that columns do not hold exactly (lists that hold
    mappings or lists, ints beyond 2^53) are odd: those are kept as JSON, and asked one by one.

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
        self._columns: dict[Path, Column] | None = None
        self._kept: dict[Filter, Bits] = {}

    @staticmethod
    def build(metadata: Iterable[str]) -> dict[str, NDArray[Any]]:
        """The arrays for the metadata of rows, as JSON."""
        builder = Builder()
        for each in metadata:
            builder.add(each)
        return builder.arrays()

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
        builder = Builder()
        builder.grow(len(source))
        for number, part in enumerate(parts):
            rows = np.flatnonzero(source == number)
            part._move(ordinal[rows], rows, builder)  # noqa: SLF001 (another of its own)
        return builder.arrays()

    def passing(self, keep: Filter) -> Bits:
        """The rows that pass; read-only."""
        bits = self._kept.get(keep)
        if bits is None:
            mask = self._mask(keep.root)
            for row, metadata in self._odd():
                mask[row] = keep.matches(metadata)
            bits = of_mask(mask)
            bits.setflags(write=False)
            if len(self._kept) >= _CACHED:
                self._kept.clear()
            self._kept[keep] = bits
        return bits

    def fields(self) -> dict[str, int]:
        """In how many rows each field is, its keys joined by dots; odd rows are left out."""
        found: dict[str, int] = {}
        for path, column in self._by_path().items():
            name = ".".join(path)
            found[name] = found.get(name, 0) + int(np.count_nonzero(column.codes))
        return found

    def _by_path(self) -> dict[Path, Column]:
        if self._columns is None:
            directory = json.loads(self._arrays.read("columns.paths").tobytes())
            self._columns = {
                tuple(path): Column(self._arrays, f"columns.{number}")
                for number, path in enumerate(directory)
            }
        return self._columns

    def _mask(self, node: Node) -> _Mask:
        if isinstance(node, Condition):
            return self._of_condition(node)
        if isinstance(node, Not):
            return ~self._mask(node.child)
        mask = np.full(self._size, isinstance(node, And))
        for child in node.children:
            mask = mask & self._mask(child) if isinstance(node, And) else mask | self._mask(child)
        return mask

    def _of_condition(self, condition: Condition) -> _Mask:
        passing = np.zeros(self._size, dtype=np.bool_)
        absent = np.ones(self._size, dtype=np.bool_)
        columns = self._by_path()
        for path in _paths(condition.field):
            column = columns.get(path)
            if column is None:
                continue
            rows, present, passes = column.ask(condition)
            if rows is None:
                passing |= passes & absent
                absent &= ~present
            else:
                passing[rows] |= passes & absent[rows]
                absent[rows] = False
        if condition.matches({}):
            passing |= absent
        return passing

    def _odd(self) -> Iterator[tuple[int, Any]]:
        """The rows that columns do not hold, with their metadata."""
        for row, text in self._odd_texts():
            yield row, json.loads(text)

    def _odd_texts(self) -> Iterator[tuple[int, str]]:
        rows = self._arrays.read("columns.odd.rows").tolist()
        ends = self._arrays.read("columns.odd.ends").tolist()
        texts = self._arrays.read("columns.odd.texts").tobytes() if rows else b""
        for place, row in enumerate(rows):
            yield row, texts[ends[place] : ends[place + 1]].decode()

    def _move(self, ordinals: NDArray[np.int64], rows: NDArray[np.int64], builder: Builder) -> None:
        """Give the rows at these ordinals to a builder, as these rows."""
        target = np.full(self._size, -1, dtype=np.int64)
        target[ordinals] = rows
        for row, text in self._odd_texts():
            if target[row] >= 0:
                builder.put_odd(int(target[row]), text)
        for path, column in self._by_path().items():
            codes, at = column.codes, column.rows
            moved = target if at is None else target[at]
            kept = (moved >= 0) & (codes > 0)
            used, places = np.unique(codes[kept], return_inverse=True)
            builder.put(path, [column.value(code) for code in used.tolist()], places, moved[kept])


def _paths(field: str) -> Iterator[Path]:
    """The keys that a field may mean, in the order in which they are tried.

    Example:
        >>> list(_paths("a.b.c"))
        [('a.b.c',), ('a', 'b.c'), ('a', 'b', 'c')]
    """
    above: Path = ()
    while True:
        yield (*above, field)
        head, dot, field = field.partition(".")
        if not dot:
            return
        above = (*above, head)
