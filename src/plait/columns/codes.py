"""Codes: the numbers that stand in a column for its values.

In this order: 0 for nothing, those of null, any mapping, false and true, and then those of the
texts, of the numbers, of the ints that no float equals, and of the lists. Texts, numbers and ints
ascend, so what is less or greater than a value is a range of codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from plait.metadata import MAX_DEPTH

__all__ = ["FALSE", "FIRST", "MAPPING", "NULL", "TRUE", "Path", "meanings", "smallest"]

NULL, MAPPING, FALSE, TRUE, FIRST = range(1, 6)
"""Codes that mean the same in every column, and the first that does not."""

Path: TypeAlias = tuple[str, ...]
"""The keys from the outside in under which a value stands."""


def smallest(highest: int) -> str:
    """The dtype of numbers from 0 up to a highest one."""
    return next(kind for kind in ("|u1", "<u2", "<u4", "<u8") if highest <= np.iinfo(kind).max)


def meanings(field: str) -> Iterator[tuple[Path, str | None]]:
    """Where the values of a field may stand: the first place that a row has is the one that counts.

    Yields:
        The path of a value, and None; or that of a list, and the field of the mappings in it.

    Example:
        >>> list(meanings("a.b"))
        [(('a.b',), None), (('a',), 'b'), (('a', 'b'), None)]
    """
    above: Path = ()
    for _ in range(MAX_DEPTH):
        yield (*above, field), None
        head, dot, field = field.partition(".")
        if not dot:
            return
        above = (*above, head)
        yield above, field
