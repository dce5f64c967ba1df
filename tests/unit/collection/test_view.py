"""A view is of one state: the index in memory and the file agree on which."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from plait.collection import Collection
from plait.collection.index import IndexState, LiveIndex
from plait.collection.reading import Reading
from plait.collection.view import pin
from plait.errors import IndexFormatError
from plait.types import Chunk

Make = Callable[..., Collection]


def test_a_view_that_another_thread_has_overtaken_is_taken_again(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, other = make(), make()
    kb.add([Chunk("cats", id="a")])
    at = LiveIndex.at
    asked: list[int] = []

    def overtaken(self: LiveIndex, reading: Reading) -> IndexState | None:
        asked.append(reading.count())
        if len(asked) == 1:  # another thread commits and brings the index up to date
            other.add([Chunk("dogs", id="b")])
            kb.snapshot().close()
        return at(self, reading)

    monkeypatch.setattr(LiveIndex, "at", overtaken)
    view = pin(kb._store, kb._live)
    assert asked == [1, 2, 2]
    assert view.count() == 2
    assert list(view.chunks(["b"])) == ["b"]
    with pytest.raises(IndexFormatError, match="chunk 'nobody' is not found by its id"):
        view.chunks(["b", "nobody"])
    assert view.get("a") == Chunk("cats", id="a")
    view.close()


def test_an_error_gives_the_connection_back(
    kb: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: LiveIndex, reading: Reading) -> None:
        raise KeyError

    monkeypatch.setattr(LiveIndex, "at", fail)
    with pytest.raises(KeyError):
        pin(kb._store, kb._live)
    assert kb._store._connections._lent == {}
