"""Filter: a checked filter, ready to be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from plait.filters.nodes import And, Node, Or
from plait.filters.parsing import parse

__all__ = ["Filter", "FilterLike"]


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
        return cls(parse(source))

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
