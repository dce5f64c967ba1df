"""What in-memory retrievers share: writes, states, compaction."""

import os
import sys
import threading
from dataclasses import dataclass

import pytest

from plait.errors import ConfigurationError, QueryError
from plait.memory import MemoryRetriever, check_chunks, check_deletion
from plait.types import Chunk, Ranking


@dataclass(frozen=True)
class Lengths:
    """An index of text lengths; None where a row was removed."""

    rows: tuple = ()

    def added(self, rows):
        return Lengths(self.rows + tuple(rows))

    def removed(self, ordinals):
        gone = set(ordinals.tolist())
        return Lengths(tuple(None if i in gone else row for i, row in enumerate(self.rows)))

    def compacted(self, ordinals):
        return Lengths(tuple(self.rows[ordinal] for ordinal in ordinals.tolist()))


class Longest(MemoryRetriever):
    """Ranks by length of text."""

    def __init__(self, chunks=()):
        super().__init__(Lengths(), name="longest")
        self.add(chunks)

    def rows(self, chunks):
        if any(chunk.content == "refused" for chunk in chunks):
            raise ConfigurationError("refused")
        return [len(chunk.content) for chunk in chunks]

    def rank(self, query, *, top_k, filter):
        state = self._state
        allowed = state.table.allow(filter).nonzero()[0].tolist()
        best = sorted(allowed, key=lambda row: (-state.index.rows[row], state.table.ids[row]))
        rows = best[:top_k]
        return Ranking(
            self.name,
            tuple(state.table.ids[row] for row in rows),
            tuple(float(state.index.rows[row]) for row in rows),
            tuple(state.chunks[row] for row in rows),
        )


@pytest.fixture
def quick_switches():
    """Threads take turns often, so that they meet in the middle of things."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def ids(retriever, **options):
    return [hit.id for hit in retriever.retrieve("q", top_k=99, **options)]


class TestAdd:
    def test_a_chunk_without_id_gets_the_one_that_plait_makes(self):
        retriever = Longest([Chunk("text", document_id="doc", index=3)])
        assert ids(retriever) == ["doc#3"]
        assert retriever.get("doc#3").id_made

    def test_a_known_id_replaces_its_chunk(self):
        retriever = Longest([Chunk("first", id="a"), Chunk("b", id="b")])
        assert retriever.add([Chunk("second one", id="a")]) == 1
        assert retriever.count() == 2
        assert retriever.get("a").content == "second one"
        assert retriever.retrieve("q")[0].chunk.content == "second one"

    def test_the_same_chunk_twice_in_one_call_counts_once(self):
        chunk = Chunk("same text")
        retriever = Longest()
        assert retriever.add([chunk, chunk]) == 1
        assert (retriever.count(), len(ids(retriever))) == (1, 1)

    def test_of_a_repeated_id_the_last_one_stays(self):
        retriever = Longest([Chunk("long text", id="a"), Chunk("x", id="a")])
        assert retriever.get("a").content == "x"

    def test_no_chunks_are_no_work(self):
        retriever = Longest()
        assert retriever.add([]) == 0
        assert retriever.add(iter(())) == 0
        assert ids(retriever) == []

    def test_nothing_is_written_if_one_is_refused(self):
        retriever = Longest([Chunk("here", id="a")])
        with pytest.raises(ConfigurationError, match="refused"):
            retriever.add([Chunk("new", id="b"), Chunk("refused", id="a")])
        assert (retriever.count(), retriever.get("b")) == (1, None)
        assert retriever.get("a").content == "here"

    def test_nothing_is_written_if_the_index_refuses(self):
        class Full(Lengths):
            def added(self, rows):
                if len(self.rows) + len(rows) > 1:
                    raise ConfigurationError("full")
                return Full(self.rows + tuple(rows))

        retriever = Longest()
        retriever._empty = Full()
        retriever.clear()
        with pytest.raises(ConfigurationError, match="full"):
            retriever.add([Chunk("one", id="a"), Chunk("two", id="b")])
        assert (retriever.count(), retriever.get("a"), retriever.get("b")) == (0, None, None)
        retriever.add([Chunk("three", id="c")])
        assert retriever.get("c").content == "three"
        assert retriever.retrieve("q")[0].chunk.content == "three"

    def test_what_is_prepared_is_written_when_it_is_called(self):
        retriever = Longest()
        write = retriever.prepare([Chunk("x", id="a")])
        assert retriever.count() == 0
        assert write() == 1
        assert ids(retriever) == ["a"]

    @pytest.mark.parametrize("name", ["", None, 3])
    def test_a_name_is_text(self, name):
        with pytest.raises(ConfigurationError, match="name is"):
            MemoryRetriever(Lengths(), name=name)


class TestDelete:
    def chunks(self):
        return [Chunk("x" * size, id=f"c{size}", metadata={"size": size}) for size in range(1, 5)]

    def test_by_id_passes_over_what_is_not_there(self):
        retriever = Longest(self.chunks())
        assert retriever.delete(ids=["c2", "nothing", "c2"]) == 1
        assert ids(retriever) == ["c4", "c3", "c1"]
        assert retriever.get("c2") is None
        assert retriever.delete(ids=["c2"]) == 0

    def test_by_filter(self):
        retriever = Longest(self.chunks())
        assert retriever.delete(filter={"size": {"$gte": 3}}) == 2
        assert ids(retriever) == ["c2", "c1"]

    def test_no_ids_delete_nothing(self):
        retriever = Longest(self.chunks())
        assert retriever.delete(ids=[]) == 0
        assert retriever.delete(filter={"size": {"$in": []}}) == 0
        assert retriever.count() == 4

    def test_clear_deletes_everything_and_says_how_much(self):
        retriever = Longest(self.chunks())
        assert retriever.clear() == 4
        assert (retriever.count(), ids(retriever), retriever.clear()) == (0, [], 0)
        retriever.add(self.chunks())
        assert retriever.count() == 4

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({}, ConfigurationError),
            ({"ids": ["c1"], "filter": {"size": 1}}, ConfigurationError),
            ({"ids": "c1"}, ConfigurationError),
            ({"ids": 3}, ConfigurationError),
            ({"ids": ["c1", 3]}, ConfigurationError),
            ({"filter": {}}, QueryError),
            ({"filter": {"$and": []}}, QueryError),
            ({"filter": {"size": {"$near": 3}}}, QueryError),
        ],
        ids=str,
    )
    def test_an_unclear_target_is_refused_and_nothing_is_deleted(self, given, error):
        retriever = Longest(self.chunks())
        with pytest.raises(error):
            retriever.delete(**given)
        assert retriever.count() == 4


class TestStates:
    def test_a_state_does_not_see_later_writes(self):
        retriever = Longest([Chunk("old", id="a"), Chunk("x", id="b")])
        state = retriever._state
        retriever.add([Chunk("new text", id="a"), Chunk("third", id="c")])
        retriever.delete(ids=["b"])
        assert (state.table.count, state.table.alive.tolist()) == (2, [True, True])
        assert [state.chunks[row].content for row in range(state.table.size)] == ["old", "x"]
        retriever.clear()
        assert state.chunks[0].content == "old"

    def test_dead_rows_are_compacted_when_they_outweigh_live_ones(self):
        retriever = Longest([Chunk(f"text {number}", id=str(number)) for number in range(10)])
        retriever.delete(ids=[str(number) for number in range(5)])
        assert retriever._state.table.size == 10
        retriever.delete(ids=["5"])
        assert retriever._state.table.size == 4
        assert retriever._state.index.rows == (6, 6, 6, 6)
        assert ids(retriever) == ["6", "7", "8", "9"]
        assert retriever.get("7").content == "text 7"
        assert retriever.add([Chunk("more text", id="7")]) == 1
        assert ids(retriever) == ["7", "6", "8", "9"]

    def test_replacing_one_chunk_for_ever_keeps_the_index_small(self):
        retriever = Longest()
        for number in range(50):
            retriever.add([Chunk(f"version {number}", id="a")])
        assert retriever._state.table.size <= 2
        assert retriever.retrieve("q")[0].chunk.content == "version 49"

    def test_chunks_of_a_ranking_from_elsewhere(self):
        retriever = Longest([Chunk("here", id="a")])
        ranking = Ranking("other", ("a", "gone"), (2.0, 1.0))
        assert [chunk and chunk.content for chunk in retriever.chunks(ranking)] == ["here", None]

    @pytest.mark.usefixtures("quick_switches")
    def test_32_readers_see_whole_writes_only(self):
        """Every chunk of an answer is of the same write."""
        retriever = Longest()

        def write(version):
            retriever.add([Chunk(f"version {version:03}", id=str(n)) for n in range(20)])

        write(0)
        torn, done = [], threading.Event()

        def read():
            while not done.is_set():
                seen = {hit.chunk.content for hit in retriever.retrieve("q", top_k=20)}
                if len(seen) != 1:
                    torn.append(seen)

        readers = [threading.Thread(target=read) for _ in range(32)]
        for reader in readers:
            reader.start()
        for version in range(1, 20):
            write(version)
        done.set()
        for reader in readers:
            reader.join()
        assert torn == []
        assert retriever.count() == 20

    @pytest.mark.usefixtures("quick_switches")
    def test_writers_wait_for_one_another(self):
        retriever = Longest()

        def write(start):
            for number in range(start, start + 25):
                retriever.add([Chunk("x" * number, id=str(number))])

        writers = [threading.Thread(target=write, args=(start,)) for start in range(0, 200, 25)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert retriever.count() == 200
        assert ids(retriever)[:3] == ["199", "198", "197"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_write_that_is_under_way_at_a_fork_has_not_happened_in_the_child(monkeypatch) -> None:
    made = Longest([Chunk("a", id="a"), Chunk("bb", id="b")])
    half_done, forked = threading.Event(), threading.Event()
    publish = Longest._publish

    def wait_before(self, index):
        half_done.set()
        forked.wait(10)
        publish(self, index)

    monkeypatch.setattr(Longest, "_publish", wait_before)
    writing = threading.Thread(target=made.add, args=([Chunk("new", id="c")],))
    writing.start()
    assert half_done.wait(10)
    monkeypatch.undo()
    child = os.fork()
    if not child:
        code = 1
        try:
            before = made.get("c") is None and made.count() == 2
            made.add([Chunk("dddd", id="d")])
            found = [hit.chunk.content for hit in made.retrieve("q", top_k=5)]
            code = 0 if before and found == ["dddd", "bb", "a"] else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    forked.set()
    writing.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert made.count() == 3


class TestCheckChunks:
    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("text", "put it in a list"),
            (Chunk("x"), "put it in a list"),
            (None, "NoneType, expected several"),
            ([Chunk("x"), "text"], r"chunks\[1\] is str, expected plait.Chunk; wrap text"),
        ],
    )
    def test_what_is_not_chunks_is_refused(self, given, message):
        with pytest.raises(ConfigurationError, match=message):
            check_chunks(given)

    def test_any_iterable_will_do(self):
        assert [chunk.id for chunk in check_chunks(Chunk("x", id=name) for name in "ab")] == [
            "a",
            "b",
        ]


def test_check_deletion_gives_a_parsed_filter():
    named, keep = check_deletion(None, {"lang": "de"})
    assert named == []
    assert keep.matches({"lang": "de"})
