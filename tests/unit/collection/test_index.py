"""The index in memory: built once, kept up, exactly of the state that a transaction sees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from plait.collection.index import IndexState, LiveIndex
from plait.collection.rows import VectorRow, encode
from plait.collection.segments import Keeper
from plait.collection.settings import Settings
from plait.collection.store import Store
from plait.collection.tail import Tail
from plait.errors import IndexFormatError
from plait.filters import Filter
from plait.text import Analyzer, TermRows
from plait.types import Chunk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "default.plait")
    yield made
    made.close()


@pytest.fixture
def memory(store: Store) -> LiveIndex:
    names = ("analyzer", "bm25", "metric", "chunking", "fusion", "window")
    settings = Settings.of(dict.fromkeys(names))
    return LiveIndex(settings, Keeper(store, settings.analyzer, settings.metric))


def put(store: Store, *texts: str, dim: int | None = None) -> None:
    """Chunks named by their first word; vectors count letters."""
    rows = [encode(Chunk(text, id=text.split()[0])) for text in texts]
    with store.writing() as writing:
        writing.put(rows)
        if dim is not None:
            space = writing.space_for(None, None, dim)
            if writing.state().space != space:
                writing.use_space(space)
            writing.put_vectors(
                space,
                [
                    VectorRow.of(
                        row.key,
                        np.array([1 + row.text.count(c) for c in "abcdef"[:dim]], np.float32),
                    )
                    for row in rows
                ],
            )


def state(store: Store, memory: LiveIndex) -> IndexState:
    with store.reading() as reading:
        found = memory.at(reading)
    assert found is not None
    return found


def tail_of(index: IndexState) -> Tail:
    """The part in memory, which is all while there are no segments."""
    (tail,) = index.parts
    assert isinstance(tail, Tail)
    return tail


def found(index: IndexState, text: str) -> Sequence[str | None]:
    return index.lexical.rank(text, top_k=99).ids


def test_an_empty_collection(store: Store, memory: LiveIndex) -> None:
    with store.writing():
        pass
    index = state(store, memory)
    assert index.count == 0
    assert index.dense is None
    assert found(index, "anything") == ()


def test_it_is_built_and_kept_up(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats", "b dogs")
    first = state(store, memory)
    assert found(first, "cats dogs") == ("a", "b")
    put(store, "a dogs", "c cats")
    with store.writing() as writing:
        writing.delete(["b"])
    second = state(store, memory)
    assert found(second, "dogs") == ("a",)
    assert found(second, "cats") == ("c",)
    assert tail_of(second).numbers.tolist() == [3, 4]
    assert tail_of(second).rows.alive.tolist() == [True, True]
    assert (tail_of(second).terms.count, tail_of(second).terms.length) == (2, 4)
    # The state before it is a value: nothing of this shows in it.
    assert found(first, "cats dogs") == ("a", "b")


def test_a_state_that_is_known_is_not_built_again(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats")
    assert state(store, memory) is state(store, memory)


def test_only_what_is_new_is_read(
    store: Store, memory: LiveIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a cats", "b dogs")
    state(store, memory)
    analyzed: list[str] = []
    count = Analyzer.count

    def counted(self: Analyzer, texts: list[str]) -> TermRows:
        analyzed.extend(texts)
        return count(self, texts)

    monkeypatch.setattr(Analyzer, "count", counted)
    put(store, "c birds")
    with store.writing() as writing:
        writing.delete(["a"])
    state(store, memory)
    assert analyzed == ["c birds"]


def test_an_older_transaction_is_told_to_take_a_new_one(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats")
    pin = store.pin()
    with pin.reading() as reading:
        assert reading.count() == 1
        put(store, "b dogs")
        newer = state(store, memory)
        assert memory.at(reading) is None
    pin.renew()
    with pin.reading() as reading:
        assert memory.at(reading) is newer
    pin.close()


def test_rows_that_came_and_went_between_two_looks(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats")
    state(store, memory)
    put(store, "b dogs")
    put(store, "b birds")
    with store.writing() as writing:
        writing.delete(["b", "a"])
    put(store, "b fish")
    index = state(store, memory)
    assert found(index, "cats dogs birds fish") == ("b",)
    assert index.count == 1


def test_after_clear_and_after_pruning_it_starts_anew(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats", "b dogs")
    state(store, memory)
    with store.writing() as writing:
        writing.clear()
    put(store, "c cats")
    assert found(state(store, memory), "cats dogs") == ("c",)
    with store.writing() as writing:
        writing.put([encode(Chunk("d dogs", id="d"))])
        writing.delete(["c"])
        writing.prune()
    index = state(store, memory)
    assert found(index, "cats dogs") == ("d",)
    assert tail_of(index).numbers.tolist() == [4]


def test_a_pruning_that_it_has_seen_all_of_costs_nothing(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats", "b dogs")
    with store.writing() as writing:
        writing.delete(["a"])
    before = state(store, memory)
    with store.writing() as writing:
        writing.prune()
    assert state(store, memory) is before
    put(store, "c birds")
    assert tail_of(state(store, memory)).numbers.tolist() == [2, 3]


def test_dead_rows_do_not_pile_up(store: Store, memory: LiveIndex) -> None:
    for number in range(20):
        put(store, f"a cats {number}", "b dogs", dim=3)
        index = state(store, memory)
        tail = tail_of(index)
        assert tail.rows.size <= 2 * index.count
        assert found(index, "cats dogs") == ("b", "a")
        assert tail.vectors is not None
        assert tail.vectors.index.size == tail.rows.size == len(tail.numbers)


def test_vectors_stand_at_the_same_rows(store: Store, memory: LiveIndex) -> None:
    put(store, "a aa", "b bb", dim=2)
    put(store, "c aaa", dim=2)
    with store.writing() as writing:
        writing.delete(["a"])
    index = state(store, memory)
    assert index.dense is not None
    ranking = index.dense.rank(np.array([1, 0], np.float32), top_k=9)
    assert ranking.ids == ("c", "b")
    # c: 1 + 3 times a, 1 times no b; b: 1 and 1 + 3 times b
    assert ranking.scores == pytest.approx((4 / (4**2 + 1) ** 0.5, 1 / (1 + 4**2) ** 0.5))


def test_what_passes_a_filter_among_what_it_knows(store: Store, memory: LiveIndex) -> None:
    keep = Filter.parse({"n": 1})
    assert keep is not None
    assert memory.matching(keep) == ([], 0)
    with store.writing() as writing:
        writing.put([encode(Chunk(str(n), id=str(n), metadata={"n": n % 2})) for n in range(4)])
        writing.delete(["1"])
    state(store, memory)
    put(store, "later")
    assert memory.matching(keep) == ([4], 4)


def test_another_space_is_another_index(store: Store, memory: LiveIndex) -> None:
    put(store, "a aa", "b bb", dim=2)
    old = state(store, memory)
    put(store, "a aa", "b bb", dim=3)
    new = state(store, memory)
    assert old.dense is not None
    assert new.dense is not None
    assert (old.dense.dim, new.dense.dim) == (2, 3)
    with store.writing() as writing:
        writing.use_space(None)
    assert state(store, memory).dense is None


def test_a_damaged_row_leaves_the_index_as_it_was(store: Store, memory: LiveIndex) -> None:
    put(store, "a cats")
    before = state(store, memory)
    put(store, "b dogs", "c birds")
    with store.writing() as writing:
        writing.delete(["a"])
        writing.connection.execute("UPDATE chunk SET content = 'x' WHERE id = 'c'")
    for _ in range(2):
        with pytest.raises(IndexFormatError, match="chunk 'c' is damaged"):
            state(store, memory)
    assert found(before, "cats") == ("a",)
    put(store, "c birds")  # mends it
    assert found(state(store, memory), "cats dogs birds") == ("b", "c")
