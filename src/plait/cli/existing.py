"""Opening a collection that has to be there already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.collection import Collection

__all__ = ["open_existing"]


def open_existing(folder: Path, name: str) -> Collection:
    """A collection, to read from it; a context manager.

    Raises:
        ConfigurationError: There is none of that name; says which there are, or how to make one.
        IndexFormatError, StoreError: It cannot be read.
    """
    from plait.collection import collections
    from plait.collection import open as open_collection

    names = collections(folder)
    if name not in names:
        raise ConfigurationError(_missing(folder, name, names))
    return open_collection(folder, name, read_only=True)


def _missing(folder: Path, name: str, names: Sequence[str]) -> str:
    if names:
        known = ", ".join(map(repr, names))
        return f"there is no collection {name!r} in {folder}, which has {known}"
    return f"there is no collection in {folder}; make one with: plait index PATHS --to {folder}"
