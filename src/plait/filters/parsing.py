"""From a mapping to the nodes of a filter; every mistake in it is named here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from plait.errors import QueryError
from plait.filters.nodes import TESTS, And, Condition, Node, Not, Or, Scalar
from plait.metadata import MAX_DEPTH, utc_text

__all__ = ["parse"]

_NEGATIONS = {"$ne": "$eq", "$nin": "$in"}
_ORDERED = ("$gt", "$gte", "$lt", "$lte")
_OPERATORS = (*TESTS, *_NEGATIONS, "$not")


def parse(source: Any, depth: int = 1) -> Node:
    """The nodes of a filter that stands ``depth`` levels deep, all checked.

    Raises:
        QueryError: Not a mapping, an unknown operator, an operand of the wrong type, or nesting
            deeper than ``plait.metadata.MAX_DEPTH``.
    """
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
        return Not(parse(value, depth + 1))
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple):
            raise QueryError(f"{key} is {type(value).__name__}, expected a list of filters")
        children = tuple(parse(child, depth + 1) for child in value)
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
