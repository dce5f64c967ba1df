"""Column: the values of one field, and which rows have one that passes a test."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plait.filters.nodes import Condition, Scalar
from plait.storage import Arrays, Names

__all__ = ["Column", "Held"]


class Held(NamedTuple):
    """What a column says to a condition.

    Attributes:
        rows: Which rows, ascending; None for all.
        present: Whether these have the field.
        passing: Whether these pass; False where the field is absent.
    """

    rows: NDArray[np.uint32] | None
    present: NDArray[np.bool_]
    passing: NDArray[np.bool_]


class Column:
    """The values under one path of keys.

    ``codes`` has a number for each row, or for each of ``rows``: 0 for none, then those of the
    texts in ascending order, of the numbers, of false and true, of lists, and one for any nested
    mapping, whose inside has columns of its own. ``items`` are the codes of the lists' elements;
    the elements of list i are those from ``lists[i]`` up to ``lists[i + 1]``.

    Args:
        arrays: Where the column is.
        name: What its arrays are called.
    """

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._arrays = arrays
        self._name = name
        self._texts = Names(arrays, f"{name}.texts")
        self._numbers = arrays[f"{name}.numbers"]
        self._first_number = 1 + len(self._texts)
        self._false = self._first_number + len(self._numbers)
        self._first_list = self._false + 2
        self._object = self._first_list + len(arrays[f"{name}.lists"]) - 1

    @property
    def rows(self) -> NDArray[np.uint32] | None:
        """The rows that the codes are of, ascending; None for all."""
        name = f"{self._name}.rows"
        return self._arrays.read(name) if name in self._arrays else None

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """What the rows have."""
        return self._arrays.read(f"{self._name}.codes")

    def ask(self, condition: Condition) -> Held:
        """Which rows have a value, and which have one that passes."""
        codes = self.codes
        passing = self._passing(condition)
        return Held(self.rows, codes > 0, passing[codes])

    def value(self, code: int) -> Any:
        """The value of a code; ``{}`` for any mapping."""
        if code < self._first_number:
            return self._texts.at(np.array([code - 1]))[0]
        if code < self._false:
            place = code - self._first_number
            return float(self._arrays.read(f"{self._name}.numbers", place, place + 1)[0])
        if code < self._first_list:
            return code > self._false
        if code < self._object:
            place = code - self._first_list
            start, stop = self._arrays.read(f"{self._name}.lists", place, place + 2).tolist()
            items = self._arrays.read(f"{self._name}.items", start, stop).tolist()
            return [self.value(item) for item in items]
        return {}

    def _passing(self, condition: Condition) -> NDArray[np.bool_]:
        """Whether each code passes, shape (codes,)."""
        passing = np.zeros(self._object + 1, dtype=np.bool_)
        if condition.operator == "$exists":
            passing[1:] = bool(condition.operand)
            return passing
        if condition.operator in ("$eq", "$in", "$contains"):
            operand = condition.operand
            for each in operand if isinstance(operand, tuple) else (operand,):
                passing[self._equal(each)] = True
        else:
            passing[self._range(condition.operator, condition.operand)] = True
        if self._object > self._first_list:
            items = passing[self._arrays.read(f"{self._name}.items")]
            until = np.concatenate([[0], np.cumsum(items)])
            bounds = until[self._arrays.read(f"{self._name}.lists").astype(np.int64)]
            passing[self._first_list : self._object] = np.diff(bounds) > 0
        if condition.operator == "$contains":
            passing[: self._first_list] = False
        return passing

    def _equal(self, value: Scalar) -> slice:
        """The code of a value; empty if no row has it."""
        if isinstance(value, bool):
            return slice(self._false + value, self._false + value + 1)
        low, high = self._bounds(value)
        return slice(low, high)

    def _range(self, operator: str, value: Any) -> slice:
        """The codes of what is greater or less, of the same kind."""
        low, high = self._bounds(value)
        text = isinstance(value, str)
        first = 1 if text else self._first_number
        end = self._first_number if text else self._false
        return {
            "$gt": slice(high, end),
            "$gte": slice(low, end),
            "$lt": slice(first, low),
            "$lte": slice(first, high),
        }[operator]

    def _bounds(self, value: str | float) -> tuple[int, int]:
        """The first code that is not less, and the first that is greater."""
        if isinstance(value, str):
            place = self._texts.bisect(value)
            found = place < len(self._texts) and self._texts.at(np.array([place])) == [value]
            return 1 + place, 1 + place + found
        numbers = self._arrays.read(f"{self._name}.numbers")
        # As Python's numbers, which compare exactly whatever their size.
        low = bisect_left(numbers, value, key=float)
        high = bisect_right(numbers, value, key=float)
        return self._first_number + low, self._first_number + high
