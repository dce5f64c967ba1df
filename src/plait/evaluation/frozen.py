"""A mapping that cannot be changed, checked once when it is built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from plait.errors import ConfigurationError
from plait.types.checks import check_text

__all__ = ["FrozenMapping", "check_count", "check_id", "check_mapping"]

V = TypeVar("V")


class FrozenMapping(Mapping[str, V]):
    """A read-only mapping by id, in the order given; equal to any mapping with the same entries."""

    __slots__ = ("_entries",)

    def __init__(self, entries: Mapping[str, V]) -> None:
        self._entries = dict(entries)

    def __getitem__(self, key: str) -> V:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return repr(self._entries)


def check_mapping(value: Any, what: str) -> Mapping[Any, Any]:
    """Refuse what is no mapping; ``what`` begins the message."""
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"{what} is {type(value).__name__}, expected a mapping by id")
    return value


def check_id(value: Any, what: str) -> str:
    """Refuse an id that is not a non-empty str; numbers are not turned into text."""
    if not isinstance(value, str) or not value:
        raise ConfigurationError(f"{what} is {value!r:.60}, expected a non-empty str")
    check_text(value, what)
    return value


def check_count(value: Any, what: str) -> None:
    """Refuse what is not an int >= 1; bool is none."""
    if type(value) is not int or value < 1:
        raise ConfigurationError(f"{what} is {value!r}, expected an int >= 1")
