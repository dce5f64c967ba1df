import asyncio
import threading

import pytest

from plait.errors import ConfigurationError, PartialWriteError, QueryError
from plait.hybrid import HybridRetriever
from plait.retriever import Retriever
from plait.types import Chunk, SearchResult

CHUNKS = [Chunk("one", id="1"), Chunk("two", id="2")]


class Store(Retriever):
    """A leg that keeps an index, and fails where it is told to."""

    def __init__(self, name, fails=None):
        self.name = name
        self.fails = fails
        self.held = {}

    def retrieve(self, query, *, top_k=5, filter=None):
        return SearchResult()

    def prepare(self, chunks):
        if self.fails == "prepare":
            raise ConfigurationError("chunk '1' brings no embedding")

        def write():
            if self.fails == "write":
                raise OSError("disk full")
            self.held.update({chunk.id: chunk for chunk in chunks})
            return len(chunks)

        return write

    def add(self, chunks):
        return self.prepare(chunks)()

    def delete(self, ids=None, filter=None):
        if self.fails == "write":
            raise OSError("disk full")
        gone = [id for id in (ids or self.held) if self.held.pop(id, None)]
        return len(gone)

    def clear(self):
        count = len(self.held)
        self.held.clear()
        return count


class AddOnly(Store):
    """A third party's leg, which knows nothing of preparing."""

    prepare = None

    def add(self, chunks):
        self.held.update({chunk.id: chunk for chunk in chunks})
        return len(chunks)


def test_writes_reach_every_leg_that_keeps_an_index():
    one, two = Store("one"), AddOnly("two")
    hybrid = HybridRetriever([one, two, lambda text: []], weights=[1, 0, 1])
    assert hybrid.add(CHUNKS) == 2
    assert set(one.held) == set(two.held) == {"1", "2"}
    assert hybrid.delete(ids=["1", "9"]) == 1
    assert set(one.held) == set(two.held) == {"2"}
    assert hybrid.clear() == 1
    assert not one.held
    assert not two.held


def test_index_adds():
    store = Store("one")
    hybrid = HybridRetriever([store])
    hybrid.index(CHUNKS[:1])
    hybrid.index(CHUNKS[1:])
    assert set(store.held) == {"1", "2"}


def test_no_chunks_are_no_work():
    assert HybridRetriever([Store("one", fails="prepare")]).add([]) == 0


def test_what_one_leg_refuses_is_written_nowhere():
    one, two = Store("one"), Store("two", fails="prepare")
    with pytest.raises(ConfigurationError, match="brings no embedding"):
        HybridRetriever([one, two]).add(CHUNKS)
    assert not one.held


def test_a_failure_after_a_write_names_what_is_done_and_what_is_not():
    one, two = Store("one"), Store("two", fails="write")
    with pytest.raises(PartialWriteError) as caught:
        HybridRetriever([one, two]).add(CHUNKS)
    assert caught.value.done == ("one",)
    assert isinstance(caught.value.failed["two"], OSError)
    assert set(one.held) == {"1", "2"}
    with pytest.raises(PartialWriteError):
        HybridRetriever([one, two]).delete(ids=["1"])


def test_the_failure_of_the_only_leg_is_itself():
    with pytest.raises(OSError, match="disk full"):
        HybridRetriever([Store("one", fails="write")]).add(CHUNKS)


def test_a_hybrid_without_an_index_cannot_be_written():
    with pytest.raises(ConfigurationError, match="no leg of this hybrid keeps an index"):
        HybridRetriever([lambda text: []]).add(CHUNKS)


def test_what_is_no_chunk_is_refused_before_any_work():
    with pytest.raises(ConfigurationError, match=r"expected plait\.Chunk"):
        HybridRetriever([Store("one")]).add(["text"])


def test_deleting_needs_a_target():
    hybrid = HybridRetriever([Store("one")])
    with pytest.raises(QueryError, match="clear"):
        hybrid.delete(filter={})
    with pytest.raises(ConfigurationError):
        hybrid.delete()


def test_nested_hybrids_pass_writes_on():
    inner = Store("inner", fails=None)
    outer = Store("outer")
    hybrid = HybridRetriever([HybridRetriever([inner]), outer])
    hybrid.add(CHUNKS)
    assert set(inner.held) == {"1", "2"}
    inner.fails = "prepare"
    with pytest.raises(ConfigurationError):
        hybrid.add([Chunk("three", id="3")])
    assert "3" not in outer.held


def test_the_async_forms():
    store = Store("one")
    hybrid = HybridRetriever([store])

    async def main():
        return (
            await hybrid.aadd(CHUNKS),
            await hybrid.aindex(CHUNKS),
            await hybrid.adelete(ids=["1"]),
            await hybrid.aclear(),
        )

    assert asyncio.run(main()) == (2, 2, 1, 1)


def test_a_nested_hybrid_that_keeps_no_index_is_passed_over():
    store = Store("one")
    reading = HybridRetriever([lambda text: []], name="reading")
    hybrid = HybridRetriever([HybridRetriever([reading], name="deeper"), store])
    assert hybrid.add(CHUNKS) == 2
    assert hybrid.clear() == 2


def test_a_foreign_object_that_keeps_an_index_is_written_too():
    class Foreign:
        def __init__(self):
            self.held = {}

        def retrieve(self, text):
            return list(self.held.values())

        add, delete, clear = AddOnly.add, Store.delete, Store.clear
        fails = None

    foreign, store = Foreign(), Store("one")
    HybridRetriever([foreign, store]).add(CHUNKS)
    assert foreign.held == store.held


def test_an_index_that_cannot_be_cleared_is_named_before_any_other_is_cleared():
    class NoClear(Store):
        clear = None

    store = Store("one")
    hybrid = HybridRetriever([store, NoClear("two")])
    hybrid.add(CHUNKS)
    with pytest.raises(ConfigurationError, match="leg 'two' keeps an index but has no clear"):
        hybrid.clear()
    assert len(store.held) == 2


def test_two_writes_at_once_reach_the_legs_in_one_order():
    one, two = Store("one"), Store("two")
    first_is_in = threading.Event()
    second_is_done = threading.Event()
    prepare = Store.prepare

    def slowly(self, chunks):
        write = prepare(self, chunks)

        def late():
            if chunks[0].content == "first" and self is two:
                first_is_in.set()
                second_is_done.wait(0.2)  # without an order, the second would be done by then
            return write()

        return late

    one.prepare, two.prepare = slowly.__get__(one), slowly.__get__(two)
    hybrid = HybridRetriever([one, two])
    writing = threading.Thread(target=hybrid.add, args=([Chunk("first", id="1")],))
    writing.start()
    assert first_is_in.wait(5)
    hybrid.add([Chunk("second", id="1")])
    second_is_done.set()
    writing.join()
    assert one.held["1"].content == two.held["1"].content == "second"
