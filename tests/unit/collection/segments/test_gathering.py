"""What an iterator brings becomes a segment without being read again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plait.collection import Collection, writer
from plait.collection import open as open_collection
from plait.collection.reading import Reading
from plait.collection.segments import Gathering, Segment, gathering, keeper
from plait.collection.stored import StoredRow
from plait.dense import parse_metric
from plait.errors import ConfigurationError
from plait.storage import FileLock, MemoryArrays, Names
from plait.text import Analyzer
from plait.types import Chunk, Query

COSINE = parse_metric("cosine")
Open = Callable[..., Collection]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 3 chunks, segments of 6, so that these tests have some."""
    monkeypatch.setattr(writer, "BATCH", 3)
    monkeypatch.setattr(keeper, "TAIL", 3)
    monkeypatch.setattr(gathering, "_ROWS", 6)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    made: list[Collection] = []

    def make(**given: Any) -> Collection:
        made.append(open_collection(tmp_path / "kb", **given))
        return made[-1]

    yield make
    for kb in made:
        kb.close()


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the rows that are read again."""
    numbers: list[int] = []
    indexed = Reading.indexed

    def recorded(self: Reading, *given: Any, **more: Any) -> Iterator[StoredRow]:
        for row in indexed(self, *given, **more):
            numbers.append(row.row)
            yield row

    monkeypatch.setattr(Reading, "indexed", recorded)
    return numbers


def chunks(first: int, last: int, word: str = "cats") -> list[Chunk]:
    return [
        Chunk(f"{word} number {n} of {n % 3}", id=f"{99 - n:02}", metadata={"even": n % 2 == 0})
        for n in range(first, last)
    ]


def segments(kb: Collection) -> list[Segment]:
    with kb.snapshot() as snapshot:
        return [part for part in snapshot._view.index.parts if isinstance(part, Segment)]


def answers(kb: Collection) -> Any:
    return [
        [(hit.id, hit.score, hit.chunk) for hit in kb.search(query, top_k=50, filter=filter)]
        for query in ("cats number 2", "of 1", "dogs")
        for filter in (None, {"even": True})
    ]


def check(kb: Collection, expected: Iterable[Chunk], folder: Path) -> None:
    """It says what a new collection in memory would."""
    assert kb.verify() == ()
    embedder = None if kb.describe()["embedder"] is None else "hash(dim=8)"
    fresh = open_collection(folder / "fresh", embedder=embedder)
    with fresh, pytest.MonkeyPatch.context() as patch:
        patch.setattr(fresh._keeper, "settle", lambda *given: None)
        fresh.add(list(expected))
        assert not segments(fresh)
        assert answers(kb) == answers(fresh)


@pytest.mark.parametrize("embedder", [None, "hash(dim=8)"])
def test_an_iterator_becomes_segments_as_it_goes(
    opened: Open, unread: list[int], tmp_path: Path, embedder: str | None
) -> None:
    kb = opened(embedder=embedder)
    kb.add(iter(chunks(0, 14)))
    assert unread == []
    assert [part.span for part in segments(kb)] == [(0, 6), (6, 12)]
    assert unread == [13, 14]  # by the search: they are too few for a segment
    check(kb, chunks(0, 14), tmp_path)


def test_the_rest_is_a_segment_if_it_is_large_enough(opened: Open, unread: list[int]) -> None:
    kb = opened(embedder=None)
    kb.add(iter(chunks(0, 10)))
    assert [part.span for part in segments(kb)] == [(0, 6), (6, 10)]
    assert unread == []


def test_what_died_meanwhile_is_left_out_with_its_words(opened: Open, tmp_path: Path) -> None:
    kb = opened(embedder=None)
    kb.add(iter([*chunks(0, 3, "dogs"), *chunks(0, 5)]))
    (segment,) = segments(kb)
    assert segment.rows.size == 3
    assert "dogs" not in list(Names(segment.arrays, "terms.names"))
    check(kb, chunks(0, 5), tmp_path)


def test_what_is_written_between_is_read(
    opened: Open, unread: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, other = opened(embedder=None), opened(embedder=None)
    monkeypatch.setattr(other._keeper, "settle", lambda *given: None)

    def stream() -> Iterator[Chunk]:
        yield from chunks(0, 4)
        other.add(chunks(20, 22))
        yield from chunks(4, 16)

    kb.add(stream())
    assert unread == [1, 2, 3, 4, 5, 6, 7, 8]  # and from there on the iterator is alone
    assert [part.span for part in segments(kb)] == [(0, 8), (8, 14), (14, 18)]
    check(kb, [*chunks(0, 16), *chunks(20, 22)], tmp_path)


def test_vectors_brought_along_and_from_before(
    opened: Open, unread: list[int], tmp_path: Path
) -> None:
    kb = opened(embedder="hash(dim=8)")
    kb.add(chunks(0, 2))
    brought = [
        Chunk("cats", id=f"b{n}", embedding=np.arange(1, 9, dtype=np.float32)) for n in range(6)
    ]
    kb.add(iter(brought))
    assert unread == [1, 2, 3, 4, 5, 6, 7, 8]  # two lie before them
    del unread[:]
    again = [Chunk(chunk.content, id=f"a{chunk.id}") for chunk in chunks(0, 3)]
    kb.add(iter([*brought[:3], *again]))
    assert unread == [9, 10, 11]  # vectors of two of them were there, and were not made
    assert kb.verify() == ()
    found = kb.search(Query(embedding=np.arange(1, 9)), top_k=3, legs=["dense"])
    assert [hit.id for hit in found] == ["b0", "b1", "b2"]


def test_another_embedder_meanwhile(opened: Open, tmp_path: Path) -> None:
    kb = opened(embedder=None)

    def stream() -> Iterator[Chunk]:
        yield from chunks(0, 4)
        kb.reembed("hash(dim=8)")
        yield from chunks(4, 16)

    kb.add(stream())
    check(kb, chunks(0, 16), tmp_path)


def test_no_more_is_held_than_a_segment_takes_while_another_writer_is_at_them(
    opened: Open, unread: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = opened(embedder=None)
    held: list[int] = []
    add = Gathering.add

    def recorded(self: Gathering, rows: Sequence[StoredRow]) -> None:
        add(self, rows)
        held.append(len(self.numbers))

    monkeypatch.setattr(Gathering, "add", recorded)
    kb._keeper.folder.mkdir()
    with FileLock(kb._keeper.folder / "lock").held(0.0):
        kb.add(iter(chunks(0, 14)))
        assert held == [3, 6, 3, 6, 2]
        assert segments(kb) == []
    del unread[:]
    kb.add(iter(chunks(14, 18)))
    assert set(unread) == set(range(1, 19))
    check(kb, chunks(0, 18), tmp_path)


def test_a_tokenizer_that_fails_loses_nothing(
    opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(text: str) -> Any:
        return None if "7" in text else text.split()

    kb = opened(embedder=None, analyzer=Analyzer(tokenizer=failing))
    with caplog.at_level(logging.WARNING, "plait.collection"):
        kb.add(iter(chunks(0, 12)))
    assert kb.count() == 12
    assert "is not in segments" in caplog.text


def test_any_order_of_rows_and_any_of_them() -> None:
    rows = [
        StoredRow(3, "c", "cats and dogs", "{}", None),
        StoredRow(4, "a", "mice", '{"x":1}', None),
        StoredRow(7, "b", "dogs", "{}", None),
    ]
    gathered = Gathering(Analyzer())
    gathered.add(rows)
    assert gathered.holds([7, 3], None)
    assert not gathered.holds([7, 5], None)
    arrays = gathered.build([3, 7], COSINE)
    assert arrays["rows.numbers"].tolist() == [7, 3]
    memory = MemoryArrays(arrays)
    assert list(Names(memory, "ids")) == ["b", "c"]
    assert list(Names(memory, "terms.names")) == ["and", "cats", "dogs"]
    assert arrays["terms.docs"].tolist() == [1, 1, 0, 1]
    assert not gathered.holds([3], None)  # any more


def test_much_text_is_as_full_as_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "_LOAD", 100)
    gathered = Gathering(Analyzer())
    gathered.add([StoredRow(1, "a", "x" * 97, "{}", None)])
    assert not gathered.is_full
    gathered.add([StoredRow(2, "b", "x", "{}", None)])
    assert gathered.is_full


def test_a_wrong_tokenizer_is_told_when_it_is_asked() -> None:
    gathered = Gathering(Analyzer(tokenizer=lambda text: None))  # type: ignore[arg-type,return-value]
    gathered.add([StoredRow(1, "a", "x", "{}", None)])
    with pytest.raises(ConfigurationError, match="expected a list of str"):
        gathered.build([1], COSINE)
