"""Progress: how far a long write has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

__all__ = ["Progress", "Progressing", "Teller"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long write has come.

    Attributes:
        done: How much is done.
        total: Out of how much, None where that is not known: an iterator of chunks.
        unit: What is counted: ``"chunks"``, or ``"bytes"`` of the files that are read.
        chunks: Chunks whose vectors are there, new or found again.
    """

    done: int
    total: int | None
    unit: Literal["bytes", "chunks"] = "chunks"
    chunks: int = 0


Progressing: TypeAlias = Callable[[Progress], object]


class Teller:
    """Counts for a ``progress`` callback, which may be None."""

    def __init__(self, progress: Progressing | None, start: Progress) -> None:
        self._progress = progress
        self._state = start

    def tell(self, done: int, chunks: int = 0) -> None:
        """Say that so much more is done."""
        state = self._state
        self._state = replace(state, done=state.done + done, chunks=state.chunks + chunks)
        if self._progress is not None:
            self._progress(self._state)
