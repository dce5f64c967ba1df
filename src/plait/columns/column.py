"""Column: the values under one path, each once, and a code for each row."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plait.columns.codes import FALSE, FIRST, MAPPING, TRUE
from plait.columns.integers import from_text, has_float, to_text
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
            self._pass_scalars(passing, condition.operator, condition.operand)
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

    def _pass_scalars(self, passing: _Mask, operator: str, operand: Any) -> None:
        """Let the texts, numbers, false and true pass that are wanted."""
        if operator in ("$eq", "$in", "$contains"):
            passing[self._equal(operand if isinstance(operand, tuple) else (operand,))] = True
        elif isinstance(operand, str):
            low = FIRST + self._texts.bisect(operand)
            high = low + int(np.count_nonzero(self._texts.locate([operand]) >= 0))
            passing[_compared(operator, FIRST, low, high, self._first_number)] = True
        else:
            numbers = self._read("numbers")
            # As Python's numbers, which compare exactly whatever their size.
            low = self._first_number + bisect_left(numbers, operand, key=float)
            high = self._first_number + bisect_right(numbers, operand, key=float)
            first, middle, end = self._first_number, self._first_integer, self._first_list
            passing[_compared(operator, first, low, high, middle)] = True
            if middle < end:
                low = middle + self._integers.bisect(to_text(math.ceil(operand)))
                high = middle + self._integers.bisect(to_text(math.floor(operand) + 1))
                passing[_compared(operator, middle, low, high, end)] = True

    def _equal(self, wanted: Sequence[Scalar]) -> NDArray[np.int64]:
        """The codes of values; those that no row has are left out."""
        flags = [TRUE if each else FALSE for each in wanted if isinstance(each, bool)]
        numbers = [each for each in wanted if not isinstance(each, str | bool)]
        floats = np.array([each for each in numbers if has_float(each)], dtype=np.float64)
        low = np.searchsorted(self._read("numbers"), floats)
        high = np.searchsorted(self._read("numbers"), floats, side="right")
        integers = [to_text(int(each)) for each in numbers if not has_float(each)]
        texts = [each for each in wanted if isinstance(each, str)]
        found = [np.array(flags, dtype=np.int64), self._first_number + low[low < high]]
        for names, first, given in (
            (self._texts, FIRST, texts),
            (self._integers, self._first_integer, integers),
        ):
            if given:
                places = names.locate(given)
                found.append(first + places[places >= 0])
        return np.concatenate(found)

    def _pass_lists(self, passing: _Mask) -> None:
        """Let the lists pass that have an item which does."""
        if self._first_list < self._end:
            until = np.zeros(len(self._arrays[f"{self._name}.items"]) + 1, dtype=np.uint32)
            np.cumsum(passing.take(self._read("items")), out=until[1:])
            passing[self._first_list :] = np.diff(until.take(self._read("lists"))) > 0

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
