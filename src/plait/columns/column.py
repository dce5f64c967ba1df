"""Column: the values under one path, each once, and a code for each row."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plait.columns.codes import FALSE, FIRST, MAPPING, TRUE
from plait.columns.integers import from_text, to_text
from plait.filters.nodes import Condition, Scalar
from plait.storage import Arrays, Names

__all__ = ["Column", "Inner"]

_Mask = NDArray[np.bool_]


class Inner(Protocol):
    """The mappings that stand in the lists of a column."""

    def mask(self, condition: Condition, /) -> _Mask:
        """Which of them pass."""
        ...

    def mappings(self) -> list[dict[str, Any]]:
        """All of them."""
        ...


class Column:
    """The values under one path of keys.

    ``codes`` has a code for each row, or for each of ``rows``; see ``plait.columns.codes``. The
    items of list i have the codes ``items[lists[i]:lists[i + 1]]``; mappings among them are rows of
    their own, each of the list that ``owners`` says.

    Args:
        arrays: Where the column is.
        name: What its arrays are called.
        inner: The mappings in its lists, if there are any.
    """

    def __init__(self, arrays: Arrays, name: str, inner: Inner | None) -> None:
        self._arrays = arrays
        self._name = name
        self._inner = inner
        self._texts = Names(arrays, f"{name}.texts")
        self._integers = Names(arrays, f"{name}.integers")
        self._first_number = FIRST + len(self._texts)
        self._first_integer = self._first_number + len(arrays[f"{name}.numbers"])
        self._first_list = self._first_integer + len(self._integers)
        self._end = self._first_list + len(arrays[f"{name}.lists"]) - 1

    @property
    def rows(self) -> NDArray[np.uint32] | None:
        """The rows that the codes are of, ascending; None for all."""
        return self._read("rows") if f"{self._name}.rows" in self._arrays else None

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """What the rows have."""
        return self._read("codes")

    @property
    def present(self) -> _Mask:
        """Whether each of the rows has the path."""
        return self.codes > 0

    def passing(self, condition: Condition) -> _Mask:
        """Which of the rows have a value that passes; not for ``$exists`` that is false."""
        passing = np.zeros(self._end, dtype=np.bool_)
        if condition.operator == "$exists":
            passing[MAPPING:] = True
        else:
            for codes in self._wanted(condition):
                passing[codes] = True
            self._pass_lists(passing)
            if condition.operator == "$contains":
                passing[: self._first_list] = False
        rows: _Mask = passing.take(self.codes)
        return rows

    def reaching(self, condition: Condition) -> _Mask:
        """Which of the rows have a list with a mapping that passes."""
        passing = np.zeros(self._end, dtype=np.bool_)
        if self._inner is not None:
            owners = self._read("owners")[self._inner.mask(condition)]
            passing[self._first_list + owners.astype(np.int64)] = True
        rows: _Mask = passing.take(self.codes)
        return rows

    def values(self) -> list[Any]:
        """The value of each code; None for what no row has, ``{}`` for any mapping."""
        values: list[Any] = [None, None, {}, False, True]
        values += self._texts
        values += self._read("numbers").tolist()
        values += map(from_text, self._integers)
        items = [values[code] for code in self._read("items").tolist()]
        lists = [items[low:high] for low, high in pairwise(self._read("lists").tolist())]
        if self._inner is not None:
            owners = self._read("owners").tolist()
            for owner, mapping in zip(owners, self._inner.mappings(), strict=True):
                lists[owner].append(mapping)
        return values + lists

    def _wanted(self, condition: Condition) -> list[slice]:
        """The codes of the texts, numbers, false and true that pass."""
        operator, operand = condition.operator, condition.operand
        if operator in ("$eq", "$in", "$contains"):
            operands = operand if isinstance(operand, tuple) else (operand,)
            return [codes for each in operands for codes in self._equal(each)]
        ranges = [self._text_range(operand)] if isinstance(operand, str) else self._ranges(operand)
        return [_compared(operator, *places) for places in ranges]

    def _equal(self, value: Scalar) -> list[slice]:
        if isinstance(value, bool):
            code = TRUE if value else FALSE
            return [slice(code, code + 1)]
        ranges = [self._text_range(value)] if isinstance(value, str) else self._ranges(value)
        return [slice(low, high) for _, low, high, _ in ranges]

    def _text_range(self, value: str) -> tuple[int, int, int, int]:
        """The first code of a kind, the first that is not less, that is greater, and the end."""
        low = FIRST + self._texts.bisect(value)
        found = low < self._first_number and self._texts.at(np.array([low - FIRST])) == [value]
        return FIRST, low, low + found, self._first_number

    def _ranges(self, value: Any) -> list[tuple[int, int, int, int]]:
        """The same of the numbers and of the ints that no float equals."""
        numbers = self._read("numbers")
        # As Python's numbers, which compare exactly whatever their size.
        low, high = bisect_left(numbers, value, key=float), bisect_right(numbers, value, key=float)
        first, middle, end = self._first_number, self._first_integer, self._first_list
        ranges = [(first, first + low, first + high, middle)]
        if middle < end:
            low = self._integers.bisect(to_text(math.ceil(value)))
            high = self._integers.bisect(to_text(math.floor(value) + 1))
            ranges.append((middle, middle + low, middle + high, end))
        return ranges

    def _pass_lists(self, passing: _Mask) -> None:
        """Let the lists pass that have an item which does."""
        if self._first_list < self._end:
            until = np.zeros(len(self._arrays[f"{self._name}.items"]) + 1, dtype=np.uint32)
            np.cumsum(passing.take(self._read("items")), out=until[1:])
            passing[self._first_list :] = np.diff(until[self._read("lists")]) > 0

    def _read(self, array: str) -> NDArray[Any]:
        return self._arrays.read(f"{self._name}.{array}")


def _compared(operator: str, first: int, low: int, high: int, end: int) -> slice:
    """The codes of what is less or greater."""
    return {
        "$gt": slice(high, end),
        "$gte": slice(low, end),
        "$lt": slice(first, low),
        "$lte": slice(first, high),
    }[operator]
