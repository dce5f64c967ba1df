"""Fields: the columns of some rows, by path, and which rows pass a condition."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.columns.building import Level
from plait.columns.codes import Path, meanings
from plait.columns.column import Column
from plait.columns.loose import Loose, LooseColumn
from plait.filters.nodes import Condition
from plait.storage import Arrays

__all__ = ["Fields", "Mask"]

Mask: TypeAlias = NDArray[np.bool_]


class Fields:
    """The columns of some rows.

    ``paths`` is a JSON list of the columns' paths; the place of one is in the names of its arrays.

    Args:
        arrays: Where they are.
        prefix: What the names of their arrays begin with.
        size: How many rows there are.
    """

    def __init__(self, arrays: Arrays, prefix: str, size: int) -> None:
        self._size = size
        self._columns: dict[Path, Column] = {}
        self._inner: dict[Path, Fields] = {}
        for number, keys in enumerate(json.loads(arrays.read(f"{prefix}.paths").tobytes())):
            path, name = tuple(keys), f"{prefix}.{number}"
            if f"{name}.owners" in arrays:
                owners = len(arrays[f"{name}.owners"])
                self._inner[path] = Fields(arrays, f"{name}.inner", owners)
            self._columns[path] = Column(arrays, name, self._inner.get(path))
        loose = f"{prefix}.loose"
        self._loose = Loose(arrays, loose) if f"{loose}.starts" in arrays else None

    def mask(self, condition: Condition) -> Mask:
        """Which rows pass, shape (size,)."""
        if condition.operator == "$exists" and not condition.operand:
            return ~self.mask(replace(condition, operand=True))
        passing, undecided = np.zeros(self._size, np.bool_), np.ones(self._size, np.bool_)
        for path, field in meanings(condition.field):
            for column in self._under(path):
                rows = slice(None) if column.rows is None else column.rows
                if field is not None:
                    asked = replace(condition, field=field)
                    passing[rows] |= column.reaching(asked) & undecided[rows]
                else:
                    passing[rows] |= column.passing(condition) & undecided[rows]
                    undecided[rows] &= ~column.present
        return passing

    def counts(self) -> dict[str, int]:
        """How many rows have each field."""
        found: dict[str, int] = {}
        for name in dict.fromkeys(self._names()):
            mask = self.mask(Condition(name, "$exists", operand=True))
            found[name] = int(np.count_nonzero(mask))
        loose: defaultdict[str, set[int]] = defaultdict(set)
        for path, column in self._loose.items() if self._loose is not None else ():
            loose[".".join(path)].update(column.rows.tolist())
        return {name: len(rows) for name, rows in loose.items()} | found

    def mappings(self) -> list[dict[str, Any]]:
        """What the rows have, as far as a field can reach it."""
        made: list[dict[str, Any]] = [{} for _ in range(self._size)]
        for path, values, rows, which in self._entries():
            for row, at in zip(rows.tolist(), which.tolist(), strict=True):
                mapping = made[row]
                for key in path[:-1]:
                    mapping = mapping.setdefault(key, {})
                if isinstance(values[at], Mapping):  # what is in it has paths of its own
                    mapping.setdefault(path[-1], {})
                else:
                    mapping[path[-1]] = values[at]
        return made

    def move(self, target: NDArray[np.int64], level: Level) -> None:
        """Add rows to others.

        Args:
            target: The new place of each row, -1 to leave it out; shape (size,).
            level: Where to add them.
        """
        for path, values, rows, which in self._entries(target >= 0):
            level.put(path, values, target[rows], which)

    def _entries(
        self, kept: Mask | None = None
    ) -> Iterator[tuple[Path, list[Any], NDArray[np.int64], NDArray[np.int64]]]:
        """For each path the values that are in use, the rows that have one, and which."""
        kept = np.ones(self._size, dtype=np.bool_) if kept is None else kept
        for path, column in self._columns.items():
            codes = column.codes
            rows = np.arange(self._size) if column.rows is None else column.rows.astype(np.int64)
            here = kept[rows] & (codes > 0)
            used, which = np.unique(codes[here], return_inverse=True)
            values = column.values()
            yield path, [values[code] for code in used.tolist()], rows[here], which
        for path, loose in self._loose.items() if self._loose is not None else ():
            places = np.flatnonzero(kept[loose.rows])
            values = [loose.values[place] for place in places.tolist()]
            yield path, values, loose.rows[places].astype(np.int64), np.arange(len(places))

    def _names(self) -> Iterator[str]:
        """The fields that have columns, as filters name them; some come more than once."""
        for path in self._columns:
            yield ".".join(path)
            if path in self._inner:
                for name in self._inner[path]._names():  # noqa: SLF001 (another of its own)
                    yield ".".join((*path, name))

    def _under(self, path: Path) -> Iterator[Column | LooseColumn]:
        if path in self._columns:
            yield self._columns[path]
        if self._loose is not None and (loose := self._loose.get(path)) is not None:
            yield loose
