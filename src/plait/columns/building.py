"""From metadata to columns: each value a number, and the values sorted in a dictionary."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.storage import Names

__all__ = ["EXACT", "MOST", "Builder", "Path"]

Path: TypeAlias = tuple[str, ...]
"""The keys from the outside in under which a value stands."""

EXACT = 2**53
"""Up to here every int is a float of the same value."""

MOST = 1024
"""Columns of a segment. Rows with further fields are odd."""

_SPARSE = 8  # a column that one row in so many has is kept as a list of rows
_CACHED = 1 << 16  # metadata that is kept to be recognized
_TEXT, _NUMBER, _FLAG, _LIST, _OBJECT = range(5)
_SHIFT = 40  # provisional numbers are a kind and a place


class Odd(Exception):  # noqa: N818 (not an error)
    """Metadata that columns do not hold."""


class _Column:
    """One column while rows are added."""

    def __init__(self) -> None:
        self.rows = array("I")
        self.values = array("q")
        self.texts: dict[str, int] = {}
        self.numbers: dict[float, int] = {}
        self.lists: dict[tuple[int, ...], int] = {}

    def number_of(self, value: Any) -> int:
        """The provisional number of a value."""
        if isinstance(value, str):
            return self.texts.setdefault(value, len(self.texts))
        if isinstance(value, bool):
            return _FLAG << _SHIFT | value
        if isinstance(value, int | float):
            if isinstance(value, int) and not -EXACT <= value <= EXACT:
                raise Odd
            return _NUMBER << _SHIFT | self.numbers.setdefault(float(value), len(self.numbers))
        if isinstance(value, Mapping):
            return _OBJECT << _SHIFT
        if any(not isinstance(item, str | int | float) for item in value):
            raise Odd
        items = tuple(self.number_of(item) for item in value)
        return _LIST << _SHIFT | self.lists.setdefault(items, len(self.lists))

    def arrays(self, name: str, size: int) -> dict[str, NDArray[Any]]:
        """The arrays of a column, see ``plait.columns.column``."""
        texts = sorted(self.texts)
        numbers = np.array(sorted(self.numbers), dtype=np.float64)
        final = [
            _places(self.texts, texts) + 1,
            _places(self.numbers, numbers.tolist()) + 1 + len(texts),
            np.arange(2) + 1 + len(texts) + len(numbers),
        ]
        flags_end = 3 + len(texts) + len(numbers)
        final.append(np.arange(len(self.lists)) + flags_end)
        final.append(np.array([flags_end + len(self.lists)]))
        values = np.frombuffer(self.values, dtype=np.int64)
        codes = np.zeros(len(values), dtype=np.int64)
        _renumber(values, final, codes)
        width = np.dtype(_smallest(flags_end + len(self.lists)))
        rows = np.frombuffer(self.rows, dtype=np.uint32)
        order = np.argsort(rows, kind="stable")  # of several parts, they come mixed
        rows, codes = rows[order], codes[order]
        items = np.fromiter((i for each in self.lists for i in each), dtype=np.int64)
        elements = np.zeros(len(items), dtype=np.int64)
        _renumber(items, final, elements)
        lengths = np.fromiter(map(len, self.lists), dtype=np.int64, count=len(self.lists))
        made = {
            **Names.build(texts, f"{name}.texts"),
            f"{name}.numbers": numbers,
            f"{name}.lists": np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64),
            f"{name}.items": elements.astype(np.uint32),
        }
        if len(rows) * _SPARSE <= size:
            return made | {f"{name}.rows": rows, f"{name}.codes": codes.astype(width)}
        whole = np.zeros(size, dtype=width)
        whole[rows] = codes
        return made | {f"{name}.codes": whole}


class Builder:
    """Takes the metadata of rows, one after the other or field by field."""

    def __init__(self) -> None:
        self._columns: dict[Path, _Column] = {}
        self._known: dict[str, list[tuple[_Column, int]] | None] = {}
        self._odd: list[tuple[int, str]] = []
        self._size = 0

    def add(self, metadata: str) -> None:
        """The next row, its metadata as JSON."""
        known = self._known
        if metadata in known:
            entries = known[metadata]
        else:
            entries = self._entries(metadata)
            if len(known) >= _CACHED:
                known.clear()
            known[metadata] = entries
        if entries is None:
            self._odd.append((self._size, metadata))
        else:
            for column, value in entries:
                column.rows.append(self._size)
                column.values.append(value)
        self._size += 1

    def grow(self, size: int) -> None:
        """Make room for rows that ``put`` and ``put_odd`` say of what they have."""
        self._size = size

    def put_odd(self, row: int, metadata: str) -> None:
        """What columns cannot hold, as JSON."""
        self._odd.append((row, metadata))

    def put(
        self,
        path: Path,
        values: Sequence[Any],
        places: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> None:
        """The values of a field.

        Args:
            path: Its keys.
            values: Distinct values that columns can hold.
            places: Which of them each row has, shape (n,).
            rows: The rows, likewise.
        """
        if not len(rows):
            return
        column = self._columns.setdefault(path, _Column())
        numbers = np.array([column.number_of(value) for value in values], dtype=np.int64)
        column.rows.frombytes(rows.astype(np.uint32).tobytes())
        column.values.frombytes(numbers[places].tobytes())

    def _entries(self, metadata: str) -> list[tuple[_Column, int]] | None:
        if metadata == "{}":
            return []
        found: list[tuple[Path, Any]] = []
        _flatten((), json.loads(metadata), found)
        entries = []
        for path, value in found:
            column = self._columns.get(path)
            if column is None:
                if len(self._columns) >= MOST:
                    return None
                column = self._columns[path] = _Column()
            try:
                entries.append((column, column.number_of(value)))
            except Odd:
                return None
        return entries

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of all rows."""
        used = {path: column for path, column in self._columns.items() if column.rows}
        directory = json.dumps(list(used)).encode()
        self._odd.sort()
        odd = [text.encode() for _, text in self._odd]
        made: dict[str, NDArray[Any]] = {
            "columns.paths": np.frombuffer(directory, dtype=np.uint8),
            "columns.odd.rows": np.array([row for row, _ in self._odd], dtype=np.uint32),
            "columns.odd.ends": np.cumsum([0, *map(len, odd)]).astype(np.uint64),
            "columns.odd.texts": np.frombuffer(b"".join(odd), dtype=np.uint8),
        }
        for number, column in enumerate(used.values()):
            made |= column.arrays(f"columns.{number}", self._size)
        return made


def _flatten(path: Path, value: Any, found: list[tuple[Path, Any]]) -> None:
    if path:
        found.append((path, value))
    if isinstance(value, Mapping):
        for key, inner in value.items():
            _flatten((*path, key), inner, found)


def _places(given: Mapping[Any, int], ordered: Iterable[Any]) -> NDArray[np.int64]:
    """For each provisional place the place in order."""
    places = np.zeros(len(given), dtype=np.int64)
    for place, value in enumerate(ordered):
        places[given[value]] = place
    return places


def _renumber(
    provisional: NDArray[np.int64], final: list[NDArray[np.int64]], codes: NDArray[np.int64]
) -> None:
    kinds = provisional >> _SHIFT
    inside = provisional & ((1 << _SHIFT) - 1)
    for kind, mapping in enumerate(final):
        here = kinds == kind
        codes[here] = mapping[inside[here]]


def _smallest(highest: int) -> str:
    return "|u1" if highest < 1 << 8 else "<u2" if highest < 1 << 16 else "<u4"
