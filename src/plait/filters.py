"""Filters over metadata: one language, parsed before any work, one reference evaluator.

Every index and store must give what ``Filter.matches`` gives.

A filter is a mapping from field to a value or to operators::

    {"product": "pro", "year": {"$gte": 2024}, "$or": [{"lang": "en"}, {"beta": True}]}

Types never mix: a bool is not a number, ``"1"`` is not ``1``; a comparison across types does not
match. Ints and floats compare by value, strings by code point. A list matches if one of its
elements does. ``$ne``, ``$nin`` and ``$not`` are exact negations, so they match when the field is
absent. A dotted field reaches into nested mappings; a field that itself has a dot in its name is
found by its whole name first. Empty ``$in`` and ``$or`` match nothing, ``$and`` of nothing and
``{}`` everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import datetime
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from plait.errors import QueryError
from plait.metadata import MAX_DEPTH, utc_text

__all__ = ["And", "Condition", "Filter", "FilterLike", "Not", "Or"]

Scalar: TypeAlias = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Condition:
    """One operator on one field. Lists and negation are handled around it."""

    field: str
    operator: str
    operand: Scalar | tuple[Scalar, ...]
    # With their kinds: 1 == True in Python, but not in a filter. So this tells tests apart too.
    _wanted: frozenset[tuple[type | None, Scalar]] = dataclass_field(init=False, repr=False)

    def __post_init__(self) -> None:
        operands = self.operand if isinstance(self.operand, tuple) else (self.operand,)
        wanted = frozenset((_kind(operand), operand) for operand in operands)
        object.__setattr__(self, "_wanted", wanted)

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Whether metadata passes."""
        return _TESTS[self.operator](_values(metadata, self.field), self)

    def wants(self, value: Any) -> bool:
        """Whether a value equals the operand, or one of them; as fast for thousands of them."""
        kind = _kind(value)
        return kind is not None and (kind, value) in self._wanted


@dataclass(frozen=True, slots=True)
class Not:
    """The exact negation of a filter."""

    child: Node

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Whether metadata passes."""
        return not self.child.matches(metadata)


@dataclass(frozen=True, slots=True)
class And:
    """All of the children; of no children: everything."""

    children: tuple[Node, ...]

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Whether metadata passes."""
        return all(child.matches(metadata) for child in self.children)


@dataclass(frozen=True, slots=True)
class Or:
    """One of the children; of no children: nothing."""

    children: tuple[Node, ...]

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Whether metadata passes."""
        return any(child.matches(metadata) for child in self.children)


Node: TypeAlias = Condition | Not | And | Or


@dataclass(frozen=True, slots=True)
class Filter:
    """A checked filter. Frozen and hashable, so that its answers can be cached.

    Example:
        >>> keep = Filter.parse({"product": "pro", "year": {"$gte": 2024}})
        >>> keep.matches({"product": "pro", "year": 2025})
        True
        >>> keep.matches({"product": "pro", "year": "2025"})
        False
    """

    root: Node

    @classmethod
    def parse(cls, source: FilterLike) -> Filter | None:
        """Check a filter given as a mapping; None stays None.

        Raises:
            QueryError: Not a mapping, an unknown operator, an operand of the wrong type, or
                nesting deeper than ``plait.metadata.MAX_DEPTH``.
        """
        if source is None or isinstance(source, Filter):
            return source
        return cls(_parse(source, 1))

    @property
    def is_empty(self) -> bool:
        """True for ``{}`` and for combinations of it: a filter without a test in the way."""
        return _is_empty(self.root)

    def matches(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a chunk with this metadata passes."""
        return self.root.matches(metadata)


FilterLike: TypeAlias = Mapping[str, Any] | Filter | None


def _is_empty(node: Node) -> bool:
    if isinstance(node, And):
        return all(map(_is_empty, node.children))
    return isinstance(node, Or) and any(map(_is_empty, node.children))


# Evaluation


def _values(metadata: Any, field: str) -> Iterator[Any]:
    """The values that a field has; none if it is absent."""
    if isinstance(metadata, list | tuple):
        for item in metadata:
            if isinstance(item, Mapping):
                yield from _values(item, field)
        return
    if not isinstance(metadata, Mapping):
        return
    if field in metadata:
        if metadata[field] is not None:  # None means absent
            yield metadata[field]
        return
    head, dot, rest = field.partition(".")
    if dot and head in metadata:
        yield from _values(metadata[head], rest)


def _scalars(values: Iterator[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from value
        else:
            yield value


def _kind(value: Any) -> type | None:
    """The type for comparison: int and float are one, bool is its own."""
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return str if isinstance(value, str) else None


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Iterator[Any], Condition], bool]:
    def test(values: Iterator[Any], condition: Condition) -> bool:
        operand = condition.operand
        kind = _kind(operand)
        return any(_kind(value) is kind and compare(value, operand) for value in _scalars(values))

    return test


def _equals(values: Iterator[Any], condition: Condition) -> bool:
    return any(map(condition.wants, _scalars(values)))


_TESTS: dict[str, Callable[[Iterator[Any], Condition], bool]] = {
    "$eq": _equals,
    "$gt": _compared(gt),
    "$gte": _compared(ge),
    "$lt": _compared(lt),
    "$lte": _compared(le),
    "$in": _equals,
    "$contains": lambda values, condition: any(
        condition.wants(item)
        for value in values
        if isinstance(value, list | tuple)
        for item in value
    ),
    "$exists": lambda values, condition: any(True for _ in values) is condition.operand,
}

_NEGATIONS = {"$ne": "$eq", "$nin": "$in"}
_ORDERED = ("$gt", "$gte", "$lt", "$lte")
_OPERATORS = (*_TESTS, *_NEGATIONS, "$not")


# Parsing


def _parse(source: Any, depth: int) -> Node:
    if not isinstance(source, Mapping):
        raise QueryError(
            f"a filter is {type(source).__name__} ({source!r:.60}), expected a mapping such as "
            '{"product": "pro"}'
        )
    if depth > MAX_DEPTH:
        raise QueryError(f"the filter is nested deeper than {MAX_DEPTH} levels; flatten it")
    return _all([_parse_entry(key, value, depth) for key, value in source.items()])


def _all(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


def _parse_entry(key: Any, value: Any, depth: int) -> Node:
    if not isinstance(key, str) or not key:
        raise QueryError(f"a filter names the field {key!r}, expected a non-empty str")
    if key == "$not":
        return Not(_parse(value, depth + 1))
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple):
            raise QueryError(f"{key} is {type(value).__name__}, expected a list of filters")
        children = tuple(_parse(child, depth + 1) for child in value)
        return And(children) if key == "$and" else Or(children)
    if key.startswith("$"):
        raise QueryError(f"unknown operator {key!r}; beside fields stand $and, $or, $not")
    if isinstance(value, Mapping):
        return _parse_operators(key, value, depth)
    return Condition(key, "$eq", _scalar(key, "$eq", value))


def _parse_operators(field: str, operators: Mapping[Any, Any], depth: int) -> Node:
    if not operators:
        raise QueryError(
            f"the filter on {field!r} is empty; give a value, or one of {', '.join(_OPERATORS)}"
        )
    if depth > MAX_DEPTH:
        raise QueryError(f"the filter is nested deeper than {MAX_DEPTH} levels; flatten it")
    return _all(
        [
            _parse_operator(field, operator, operand, depth)
            for operator, operand in operators.items()
        ]
    )


def _parse_operator(field: str, operator: Any, operand: Any, depth: int) -> Node:
    if operator == "$not":
        if not isinstance(operand, Mapping):
            raise QueryError(
                f'$not on {field!r} is {operand!r:.60}, expected operators such as {{"$gt": 3}}'
            )
        return Not(_parse_operators(field, operand, depth + 1))
    if operator not in _OPERATORS:
        hint = ""
        if not (isinstance(operator, str) and operator.startswith("$")):
            hint = f'; write "{field}.{operator}" to reach into a nested mapping'
        raise QueryError(
            f"unknown operator {operator!r} on {field!r}; known: {', '.join(_OPERATORS)}{hint}"
        )
    value = _operand(field, operator, operand)
    if operator in _NEGATIONS:
        return Not(Condition(field, _NEGATIONS[operator], value))
    return Condition(field, operator, value)


def _operand(field: str, operator: str, value: Any) -> Scalar | tuple[Scalar, ...]:
    if operator == "$exists" and not isinstance(value, bool):
        raise QueryError(f"$exists on {field!r} is {value!r:.60}, expected True or False")
    if operator in ("$in", "$nin"):
        if not isinstance(value, list | tuple | set | frozenset):
            raise QueryError(f"{operator} on {field!r} is {value!r:.60}, expected a list")
        return tuple(_scalar(field, operator, item) for item in value)
    if operator in _ORDERED and isinstance(value, bool):
        raise QueryError(f"{operator} on {field!r} is {value!r}; true and false have no order")
    return _scalar(field, operator, value)


def _scalar(field: str, operator: str, value: Any) -> Scalar:
    if isinstance(value, datetime):
        try:
            return utc_text(value)
        except OverflowError as error:
            raise QueryError(f"{operator} on {field!r} is {value!r}: {error}") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise QueryError(f"{operator} on {field!r} is {value!r}, expected a finite number")
    # A subclass, such as a member of an enum, is kept as what it equals: it may hash otherwise.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    hint = ""
    if value is None:
        hint = f'; None is stored as absent, so write {{"{field}": {{"$exists": false}}}}'
    elif isinstance(value, list | tuple):
        hint = f'; write {{"{field}": {{"$in": [...]}}}} for any of several values'
    raise QueryError(
        f"{operator} on {field!r} is {type(value).__name__} ({value!r:.60}), "
        f"expected str, bool, int, float or datetime{hint}"
    )
