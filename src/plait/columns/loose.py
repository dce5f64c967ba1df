"""Loose: values under paths that have no column, since there are too many paths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.columns.codes import Path
from plait.filters.nodes import Condition
from plait.storage import Arrays, Names

__all__ = ["Loose", "LooseColumn"]


@dataclass(frozen=True, slots=True)
class LooseColumn:
    """The values under one path, asked one by one.

    Attributes:
        rows: The rows that have a value, ascending.
        values: What they have, ``{}`` for any mapping.
    """

    rows: NDArray[np.uint32]
    values: list[Any]

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether each of the rows has the path: all do."""
        return np.ones(len(self.rows), dtype=np.bool_)

    def passing(self, condition: Condition) -> NDArray[np.bool_]:
        """Which of the rows have a value that passes."""
        named = replace(condition, field="value")
        return np.array([named.matches({"value": value}) for value in self.values], dtype=np.bool_)

    def reaching(self, condition: Condition) -> NDArray[np.bool_]:
        """Which of the rows have a list with a mapping that passes."""
        named = replace(condition, field=f"value.{condition.field}")
        return np.array([named.matches({"value": value}) for value in self.values], dtype=np.bool_)


class Loose:
    """What is under each path that has no column.

    ``starts`` says where the entries of a path begin; an entry is a row and the JSON of its value,
    which ends where ``ends`` says.

    Args:
        arrays: Where they are.
        name: What their arrays are called.
    """

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._arrays = arrays
        self._name = name
        self._paths = Names(arrays, f"{name}.paths")

    def get(self, path: Path) -> LooseColumn | None:
        """What is under a path."""
        place = int(self._paths.locate([json.dumps(path)])[0])
        return None if place < 0 else self._at(place)

    def items(self) -> Iterator[tuple[Path, LooseColumn]]:
        """All of it."""
        for place, path in enumerate(self._paths):
            yield tuple(json.loads(path)), self._at(place)

    def _at(self, place: int) -> LooseColumn:
        start, stop = self._arrays.read(f"{self._name}.starts", place, place + 2).tolist()
        ends = self._arrays.read(f"{self._name}.ends", start, stop + 1).tolist()
        text = self._arrays.read(f"{self._name}.texts", ends[0], ends[-1]).tobytes()
        values = [json.loads(text[low - ends[0] : high - ends[0]]) for low, high in pairwise(ends)]
        return LooseColumn(self._arrays.read(f"{self._name}.rows", start, stop), values)
