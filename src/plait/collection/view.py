"""View: one state of a collection, pinned, for both legs and for the hits' contents."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from plait.collection.index import IndexState, LiveIndex
from plait.collection.store import Pin, Store
from plait.errors import IndexFormatError
from plait.types import Chunk

__all__ = ["View", "pin"]

T = TypeVar("T")


class View:
    """One state of a collection.

    The index is a value and stays usable for ever, also by a leg that comes late. The contents are
    read from the transaction, until the view is closed.

    Attributes:
        index: The index over this state.
    """

    def __init__(self, pinned: Pin, index: IndexState, live: LiveIndex) -> None:
        self.index = index
        self._pin = pinned
        self._live = live
        self._mending = threading.Lock()

    @property
    def generation(self) -> int:
        """Counts the commits up to this state."""
        return self.index.generation

    def ask(self, question: Callable[[IndexState], T]) -> T:
        """What the index answers. A segment that turns out to be damaged is done without.

        Raises:
            IndexFormatError: A row of the collection's file is damaged.
        """
        while True:
            index = self.index
            try:
                return question(index)
            except IndexFormatError as error:
                if not self._live.distrust(error):
                    raise
            with self._mending:  # the other leg may have come across it too
                if self.index is index:
                    with self._pin.reading() as reading:
                        self.index = self._live.anew(reading)

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids of the index, without vectors.

        Raises:
            IndexFormatError: One is damaged, or not found though the index has it.
        """
        found = self.find(ids)
        lost = next((name for name in ids if name not in found), None)
        if lost is not None:
            with self._pin.reading() as reading:
                raise reading.damaged(f"chunk {lost!r} is not found by its id")
        return found

    def find(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids, without vectors; ids that are not there are left out."""
        with self._pin.reading() as reading:
            return reading.chunks(ids)

    def document(self, document_id: str) -> tuple[Chunk, ...]:
        """The chunks of a document in reading order."""
        with self._pin.reading() as reading:
            return reading.part_of(document_id)

    def get(self, id: str) -> Chunk | None:
        """The chunk with this id, with its vector if it brought one along."""
        with self._pin.reading() as reading:
            return reading.get(id)

    def count(self) -> int:
        """How many chunks there are."""
        return self.index.count

    def lent(self) -> View:
        """The same for a user who does not close it."""
        return self.with_index(self.index)

    def with_index(self, index: IndexState) -> View:
        """Another index over the same contents, for a user who does not close it."""
        return _Lent(self._pin, index, self._live)

    def close(self) -> None:
        """Let the state go."""
        self._pin.close()


class _Lent(View):
    def close(self) -> None:
        """Leave that to the owner."""


def pin(store: Store, live: LiveIndex, *, long: bool = False) -> View:
    """A view of the newest state; ``long`` if it may stay open for long.

    Raises:
        IndexFormatError: A row is damaged.
    """
    pinned = store.pin(long=long)
    try:
        while True:
            with pinned.reading() as reading:
                index = live.at(reading)
            if index is not None:
                return View(pinned, index, live)
            pinned.renew()  # another thread has seen a newer state
    except BaseException:
        pinned.close()
        raise
