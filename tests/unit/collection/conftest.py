"""Collections in temporary folders, and an embedder that counts what it is asked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.embedders import CallableEmbedder, HashEmbedder

DIM = 32


class CountingEmbedder(CallableEmbedder):
    """A hash embedder under another name that remembers the texts that it was sent."""

    def __init__(self, name: str = "counting", dim: int = DIM, prefix: str = "") -> None:
        self.hash = HashEmbedder(dim=dim)
        self.sent: list[str] = []
        super().__init__(self._embed, name=name, dim=dim, passage_prefix=prefix)

    def _embed(self, texts: list[str]) -> Any:
        self.sent.extend(texts)
        return self.hash.embed_passages(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kb"


@pytest.fixture
def make(folder: Path) -> Iterator[Callable[..., Collection]]:
    """Opens the collection in ``folder``; everything that it opened is closed afterwards."""
    opened: list[Collection] = []

    def make(collection: str = "default", **given: Any) -> Collection:
        given.setdefault("embedder", f"hash(dim={DIM})")
        given.setdefault("lock_timeout", 5.0)
        made = open_collection(folder, collection, **given)
        opened.append(made)
        return made

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def kb(make: Callable[..., Collection]) -> Collection:
    return make()


@pytest.fixture
def counting() -> type[CountingEmbedder]:
    return CountingEmbedder


@pytest.fixture
def sql(folder: Path) -> Callable[..., list[tuple[Any, ...]]]:
    """Runs a statement on the file behind the collection's back."""

    def run(statement: str, values: Sequence[Any] = (), name: str = "default") -> list[Any]:
        with closing(sqlite3.connect(folder / f"{name}.plait")) as connection, connection:
            return connection.execute(statement, values).fetchall()

    return run
