"""Metadata of chunks: JSON values, checked once, then read-only.

Metadata is shared between an index and the results it returns. It is frozen when a chunk
is built, so that no caller can change what an index holds by changing a result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Any, NoReturn

import numpy as np

from plait.errors import ConfigurationError

__all__ = ["EMPTY", "MAX_DEPTH", "FrozenDict", "FrozenList", "freeze", "utc_text", "value_at"]

MAX_DEPTH = 64
"""Levels of nesting that metadata and filters may have; more is damage or an attack."""

_CONVERSIONS = (
    ((set, frozenset), "list(...)"),
    ((np.generic,), ".item()"),
    ((np.ndarray,), ".tolist()"),
    ((date, time), ".isoformat()"),
)


def _read_only(*_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("metadata of a chunk is read-only; build a new chunk with dataclasses.replace")


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed: equal to a dict, and serialized like one."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _read_only
    clear = pop = popitem = setdefault = update = _read_only

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[Any]):
    """A list that cannot be changed: equal to a list, and serialized like one."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _read_only
    append = clear = extend = insert = pop = remove = reverse = sort = _read_only

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenList, (list(self),))


EMPTY = FrozenDict()


def freeze(metadata: Mapping[str, Any] | None) -> FrozenDict:
    """Check metadata and return a read-only copy.

    Args:
        metadata: A mapping from field name to str, bool, int, finite float, datetime, a
            list or tuple of these, or a nested mapping. None values are dropped: None means absent.
            Datetimes become UTC ISO-8601 text; one without a zone is taken as UTC.

    Returns:
        The frozen copy.

    Raises:
        ConfigurationError: A value of another type, a non-finite float, a datetime that UTC
            cannot hold, a key that is not a valid string, nesting deeper than ``MAX_DEPTH``; the
            message names the field.

    Example:
        >>> freeze({"product": "pro", "note": None, "tags": ["a", "b"]})
        {'product': 'pro', 'tags': ['a', 'b']}
    """
    if metadata is None:
        return EMPTY
    if type(metadata) is FrozenDict:
        return metadata
    if not isinstance(metadata, Mapping):
        raise ConfigurationError(
            f"metadata is {type(metadata).__name__}, expected a mapping from field name to value"
        )
    return _freeze_mapping(metadata, "", 1)


def value_at(metadata: Mapping[str, Any], path: str) -> Any:
    """The value of a field, dots reaching into nested mappings; None if there is none.

    A field that itself has a dot in its name is found by its whole name first. None is as good as
    absent there too, so it hides nothing that the dots lead to.

    Example:
        >>> value_at({"product": {"tier": 1}}, "product.tier")
        1
        >>> value_at({"product": {"tier": 1}, "product.tier": None}, "product.tier")
        1
    """
    value: Any = metadata.get(path)
    if value is not None:
        return value
    value = metadata
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def utc_text(moment: datetime) -> str:
    """A datetime as UTC ISO-8601 text, whose order is that of time; no zone counts as UTC.

    Raises:
        OverflowError: In UTC it is outside the years 1 to 9999.
    """
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return aware.astimezone(UTC).isoformat()
    except OverflowError as error:
        raise OverflowError("in UTC that is outside the years 1 to 9999") from error


def _freeze_mapping(mapping: Mapping[Any, Any], path: str, depth: int) -> FrozenDict:
    frozen = {}
    for key, value in mapping.items():
        if not isinstance(key, str):
            raise ConfigurationError(
                f"metadata field {path}{key!r} is named by a {type(key).__name__}, expected a str"
            )
        name = _freeze_text(key, f"{path}{key}")
        if value is not None:
            frozen[name] = _freeze_value(value, f"{path}{key}", depth)
    return FrozenDict(frozen)


def _freeze_text(text: str, path: str) -> str:
    # A subclass, such as a member of a str enum, is kept as the text that it equals.
    plain = str.__str__(text)
    if not plain.isascii():
        try:
            plain.encode()
        except UnicodeEncodeError as error:
            raise ConfigurationError(
                f"metadata field {path!r} holds a lone surrogate at position {error.start}, "
                "which is not text; decode the source with errors='replace' first"
            ) from error
    return plain


def _freeze_value(value: Any, path: str, depth: int) -> Any:
    kind = type(value)
    if isinstance(value, str):
        return _freeze_text(value, path)
    if kind is int or kind is bool:
        return value
    if kind is float:
        if math.isfinite(value):
            return value
        raise ConfigurationError(f"metadata field {path!r} is {value!r}, expected a finite number")
    if isinstance(value, datetime):
        try:
            return utc_text(value)
        except OverflowError as error:
            raise ConfigurationError(f"metadata field {path!r} is {value!r}: {error}") from error
    if isinstance(value, Mapping | list | tuple) and depth == MAX_DEPTH:
        raise ConfigurationError(
            f"metadata field {path!r:.60} is nested deeper than {MAX_DEPTH} levels; flatten it"
        )
    if isinstance(value, Mapping):
        return _freeze_mapping(value, f"{path}.", depth + 1)
    if isinstance(value, list | tuple):
        # None inside a list is dropped as it is elsewhere: None means absent.
        return FrozenList(
            _freeze_value(item, path, depth + 1) for item in value if item is not None
        )
    raise ConfigurationError(
        f"metadata field {path!r} is a {kind.__name__} ({value!r:.60}), expected str, bool, int, "
        "float, datetime, a list of these or a nested mapping; convert it first"
        f"{_conversion(value)}"
    )


def _conversion(value: Any) -> str:
    """How to convert a value of a common type that JSON has none for."""
    for kinds, how in _CONVERSIONS:
        if isinstance(value, kinds):
            return f", with {how}"
    return ""
