"""Nodes of a filter, and whether metadata passes them: the reference of every index and store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

__all__ = ["TESTS", "And", "Condition", "Node", "Not", "Or", "Scalar"]

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
        return TESTS[self.operator](_values(metadata, self.field), self)

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


def _values(metadata: Any, field: str) -> Iterator[Any]:
    """The values that a field has; none if it is absent."""
    if isinstance(metadata, list | tuple):
        for item in metadata:
            if isinstance(item, Mapping):
                yield from _values(item, field)
        return
    if not isinstance(metadata, Mapping):
        return
    value = metadata.get(field)
    if value is not None:  # None means absent, so it hides nothing that the dots lead to
        yield value
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


TESTS: dict[str, Callable[[Iterator[Any], Condition], bool]] = {
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
