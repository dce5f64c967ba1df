"""Vocabulary: a number for each term."""

from __future__ import annotations

import threading
from collections.abc import Iterable

__all__ = ["Vocabulary"]


class Vocabulary(dict[str, int]):
    """A number for each term, given when it is first asked for and never changed.

    Safe to share between threads and between versions of an index: numbers are only ever added.

    Example:
        >>> numbers = Vocabulary()
        >>> numbers["cat"], numbers["dog"], numbers["cat"]
        (0, 1, 0)
    """

    def __init__(self, terms: Iterable[str] = ()) -> None:
        super().__init__((term, number) for number, term in enumerate(terms))
        self._lock = threading.Lock()

    def __missing__(self, term: str) -> int:
        with self._lock:
            return self.setdefault(term, len(self))
