"""Writing through a collection: what is checked, what is embedded, what is committed when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plait.collection import Collection, Progress
from plait.collection.reading import Reading
from plait.collection.vectors import BATCH as EMBEDDED
from plait.collection.writer import BATCH
from plait.embedders import CallableEmbedder, HashEmbedder
from plait.errors import ConfigurationError, EmbeddingError, LockedError, QueryError
from plait.types import Chunk, Query

Make = Callable[..., Collection]
Sql = Callable[..., list[tuple[Any, ...]]]


def vector(*values: float) -> Any:
    return np.array(values, np.float32)


def many(count: int, word: str = "text") -> list[Chunk]:
    return [Chunk(f"{word} {number}", id=f"{word}{number}") for number in range(count)]


class TestAdd:
    def test_it_counts_each_id_once(self, kb: Collection) -> None:
        assert kb.add([]) == 0
        assert kb.add([Chunk("a", id="x"), Chunk("b", id="x"), Chunk("c", id="y")]) == 2
        assert kb.count() == 2
        assert kb.get("x") == Chunk("b", id="x")

    def test_a_list_that_has_one_bad_chunk_writes_nothing(self, kb: Collection) -> None:
        good = Chunk("a", id="a")
        bad: list[Any] = [
            "text",
            None,
            Chunk("x", id="x", embedding=[1.0, 2.0]),
            Chunk("x", id="x", embedding=[0.0] * 32),
        ]
        for wrong in bad:
            with pytest.raises(ConfigurationError):
                kb.add([good, wrong])
        assert kb.count() == 0
        with kb.snapshot() as view:
            assert view.generation == 1  # that of the settings

    def test_a_list_is_one_transaction_however_long(self, make: Make, counting: Any) -> None:
        embedder = counting()
        kb = make(embedder=embedder)
        given = many(3 * EMBEDDED)
        seen: list[int] = []
        kb.add(given, progress=lambda progress: seen.append(make(embedder=embedder).count()))
        assert set(seen) == {0}
        assert kb.count() == len(given)

    def test_an_iterator_is_written_in_batches(self, kb: Collection) -> None:
        counts = []

        def stream() -> Iterator[Chunk]:
            for chunk in many(2 * BATCH + 5):
                counts.append(kb.count())
                yield chunk

        assert kb.add(stream()) == 2 * BATCH + 5
        assert sorted(set(counts)) == [0, BATCH, 2 * BATCH]

    def test_an_iterator_that_breaks_keeps_its_earlier_batches(self, kb: Collection) -> None:
        def stream() -> Iterator[Any]:
            yield from many(BATCH + 1)
            yield "no chunk"

        with pytest.raises(ConfigurationError, match=r"chunks\[1\] is str"):
            kb.add(stream())
        assert kb.count() == BATCH

    def test_progress_ends_with_all_of_them(self, kb: Collection) -> None:
        told: list[Progress] = []
        kb.add([*many(EMBEDDED + 10), Chunk("text 1", id="the same text")], progress=told.append)
        assert told[-1] == Progress(EMBEDDED + 11, EMBEDDED + 11, "chunks", EMBEDDED + 11)
        assert [each.done for each in told] == sorted(each.done for each in told)
        kb.add(iter(many(3)), progress=told.append)
        assert told[-1] == Progress(3, None, "chunks", 3)


class TestEmbedding:
    def test_nothing_is_embedded_twice(self, make: Make, counting: Any) -> None:
        embedder = counting()
        kb = make(embedder=embedder)
        kb.add([Chunk("one", id="a"), Chunk("two", id="b"), Chunk("one", id="c")])
        assert sorted(embedder.sent) == ["one", "two"]
        kb.add([Chunk("two", id="b", metadata={"new": 1}), Chunk("three", id="a")])
        assert embedder.sent[2:] == ["three"]
        kb.delete(ids=["b"])
        kb.clear()
        kb.close()
        kb = make(embedder=embedder)
        kb.add([Chunk("two", id="d"), Chunk("one", id="a")])
        assert embedder.sent[3:] == []
        kb.compact()
        kb.delete(ids=["d"])
        kb.compact()
        kb.add([Chunk("two", id="d")])  # its vector went with the text
        assert embedder.sent[3:] == ["two"]

    def test_title_and_section_are_embedded_too_and_the_prefix_sent(
        self, make: Make, counting: Any
    ) -> None:
        embedder = counting(prefix="passage: ")
        make(embedder=embedder).add([Chunk("text", id="a", title="Title", section="Part")])
        assert embedder.sent == ["passage: Title\nPart\ntext"]

    def test_what_was_embedded_before_an_interruption_is_kept(self, make: Make) -> None:
        sent: list[str] = []
        hashed = HashEmbedder(dim=8)

        def breaks(texts: list[str]) -> Any:
            if any("600" in text for text in texts) and len(sent) < 10_000:
                raise ConnectionError("the service went away")
            sent.extend(texts)
            return hashed.embed_passages(texts)

        embedder = CallableEmbedder(breaks, name="breaks", dim=8, batch_size=EMBEDDED)
        kb = make(embedder=embedder)
        with pytest.raises(EmbeddingError, match="ConnectionError"):
            kb.add(many(EMBEDDED + 200))
        assert kb.count() == 0
        assert len(sent) == EMBEDDED
        sent += [""] * 10_000
        kb.add(many(EMBEDDED + 200))
        assert len(sent) == EMBEDDED + 10_000 + 200

    def test_the_lock_is_not_held_while_embedding(self, make: Make) -> None:
        hashed = HashEmbedder(dim=8)

        def embed(texts: list[str]) -> Any:
            if "slow" in texts[0]:
                make(embedder=embedder, lock_timeout=0.01).add([Chunk("quick", id="quick")])
            return hashed.embed_passages(texts)

        embedder = CallableEmbedder(embed, name="mine", dim=8)
        kb = make(embedder=embedder)
        kb.add([Chunk("slow", id="slow")])
        assert kb.count() == 2

    def test_vectors_that_were_pruned_meanwhile_are_made_again(self, make: Make) -> None:
        """The first batch is committed before its chunks are; a compaction may sweep it away."""
        hashed = HashEmbedder(dim=8)
        sent: list[str] = []

        def embed(texts: list[str]) -> Any:
            if sent and len(sent) < 2 * EMBEDDED:
                make(embedder=embedder).compact()
            sent.extend(texts)
            return hashed.embed_passages(texts)

        embedder = CallableEmbedder(embed, name="mine", dim=8, batch_size=EMBEDDED)
        kb = make(embedder=embedder)
        kb.add(many(EMBEDDED + 1))
        assert len(sent) == 2 * EMBEDDED + 1
        assert kb.search("text 7", legs=["dense"]).total > 0

    @pytest.mark.parametrize(
        ("made", "error", "said"),
        [
            ([[np.nan] * 4], EmbeddingError, "NaN"),
            ([[1.0] * 3], EmbeddingError, "shape"),
            ([[0.0] * 4], ConfigurationError, "the text 'a': the vector is all zeros"),
        ],
    )
    def test_a_bad_vector_from_the_embedder_writes_nothing(
        self, made: Any, error: type[Exception], said: str, make: Make
    ) -> None:
        kb = make(embedder=CallableEmbedder(lambda texts: made, name="bad", dim=4, normalize=False))
        with pytest.raises(error, match=said):
            kb.add([Chunk("a", id="a")])
        assert kb.count() == 0

    def test_a_damaged_vector_is_made_again_when_its_chunk_is_added(
        self, make: Make, counting: Any, sql: Sql
    ) -> None:
        embedder = counting()
        kb = make(embedder=embedder)
        kb.add([Chunk("one", id="a")])
        sql("UPDATE vector SET data = zeroblob(128)")
        kb.add([Chunk("one", id="a")])
        assert embedder.sent == ["one", "one"]
        assert kb.search("one")[0].id == "a"


class TestBroughtAlong:
    def test_it_is_not_embedded_and_comes_back(self, make: Make, counting: Any) -> None:
        embedder = counting()
        kb = make(embedder=embedder)
        mine = vector(*range(1, 33))
        kb.add([Chunk("one", id="a", embedding=mine), Chunk("one", id="b")])
        assert embedder.sent == ["one"]
        found = kb.get("a")
        assert found is not None
        assert found.embedding is not None
        assert found.embedding.tobytes() == mine.tobytes()
        assert kb.search(Query(embedding=mine))[0].id == "a"

    def test_the_first_chunks_decide_where_there_is_no_embedder(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add([Chunk("a", id="a", embedding=[1.0, 0.0]), Chunk("b", id="b", embedding=[0.0, 1.0])])
        assert [hit.id for hit in kb.search(Query(embedding=[0.1, 0.9]))] == ["b", "a"]
        with pytest.raises(ConfigurationError, match=r"chunk 'c' brings no embedding.*reembed"):
            kb.add([Chunk("c", id="c")])
        with pytest.raises(ConfigurationError, match=r"chunk 'c': 3 dimensions.*vectors of 2"):
            kb.add(
                [Chunk("d", id="d", embedding=[1.0, 2.0]), Chunk("c", id="c", embedding=[1, 2, 3])]
            )
        assert kb.count() == 2
        kb.clear()
        kb.add([Chunk("c", id="c")])
        with pytest.raises(ConfigurationError, match=r"'d' brings an embedding.*chunks without"):
            kb.add([Chunk("d", id="d", embedding=[1.0, 2.0])])
        kb.delete(ids=["c"])
        kb.add([Chunk("d", id="d", embedding=[1.0, 2.0, 3.0])])
        assert kb.search(Query(embedding=[1.0, 2.0, 3.0]))[0].id == "d"

    def test_some_with_and_some_without_are_refused(self, make: Make) -> None:
        kb = make(embedder=None)
        with pytest.raises(ConfigurationError, match="chunk 'b' brings no embedding while others"):
            kb.add([Chunk("a", id="a", embedding=[1.0]), Chunk("b", id="b")])
        assert kb.count() == 0

    def test_one_text_with_two_vectors(self, make: Make) -> None:
        kb = make(embedder=None)
        one = Chunk("text", id="a", embedding=[1.0, 0.0])
        kb.add([one, replace(one, id="b", embedding=[0.0, 1.0])])
        scores = {
            hit.id: hit.score
            for hit in kb.retriever(legs=["dense"], fusion="convex()").retrieve(
                Query(embedding=[1.0, 0.0])
            )
        }
        assert scores["a"] != scores["b"]


class TestDelete:
    def test_by_id_and_by_filter(self, kb: Collection) -> None:
        kb.add([Chunk("x", id=str(n), metadata={"n": n}) for n in range(6)])
        assert kb.delete(ids=["0", "nobody", "0"]) == 1
        assert kb.delete(filter={"n": {"$gte": 4}}) == 2
        assert kb.delete(filter={"n": 99}) == 0
        assert kb.count() == 3

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({}, ConfigurationError),
            ({"ids": "0"}, ConfigurationError),
            ({"ids": [0]}, ConfigurationError),
            ({"ids": ["0"], "filter": {"n": 1}}, ConfigurationError),
            ({"filter": {}}, QueryError),
            ({"filter": {"n": {"$foo": 1}}}, QueryError),
        ],
    )
    def test_mistakes(self, given: Any, error: type[Exception], kb: Collection) -> None:
        kb.add([Chunk("x", id="0", metadata={"n": 1})])
        with pytest.raises(error):
            kb.delete(**given)
        assert kb.count() == 1

    def test_by_filter_with_an_index_in_memory_that_is_behind(self, make: Make) -> None:
        kb, other = make(), make()
        kb.add([Chunk("x", id=str(n), metadata={"n": 1}) for n in range(4)])
        kb.search("x")
        other.add([Chunk("y", id="0", metadata={"n": 2}), Chunk("x", id="new", metadata={"n": 1})])
        other.delete(ids=["1"])
        assert kb.delete(filter={"n": 1}) == 3  # 2, 3 and new
        assert kb.get("0") is not None
        assert kb.count() == 1
        other.clear()
        other.add([Chunk("x", id="again", metadata={"n": 2})])
        assert kb.delete(filter={"n": {"$ne": 1}}) == 1

    @pytest.mark.parametrize("built", [False, True])
    def test_what_was_added_during_the_scan_is_deleted_too(
        self, built: bool, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kb, other = make(), make()
        kb.add([Chunk("x", id="old", metadata={"n": 1}), Chunk("x", id="gone", metadata={"n": 1})])
        if built:
            kb.search("x")
        last_row = Reading.last_row

        def interfere(self: Reading) -> int:
            monkeypatch.undo()  # once: what comes between asks for the last row too
            seen = last_row(self)
            other.add([Chunk("x", id="new", metadata={"n": 1}), Chunk("x", id="stays")])
            other.add([Chunk("y", id="old", metadata={"n": 2})])
            other.delete(ids=["gone"])
            return seen

        monkeypatch.setattr(Reading, "last_row", interfere)
        assert kb.delete(filter={"n": 1}) == 1  # old is another chunk by then
        assert [kb.get(name) is not None for name in ("old", "new", "gone", "stays")] == [
            True,
            False,
            False,
            True,
        ]


class TestReembed:
    def test_queries_use_the_old_vectors_until_the_switch(self, make: Make, counting: Any) -> None:
        kb = make(embedder="hash(dim=32)")
        kb.add(many(10))
        other = make(embedder="hash(dim=32)")
        dims = []

        def embed(texts: list[str]) -> Any:
            dims.append(other.describe()["dim"])
            return HashEmbedder(dim=16).embed_passages(texts)

        assert kb.reembed(CallableEmbedder(embed, name="new", dim=16)) == 10
        assert set(dims) == {32}
        assert kb.describe()["dim"] == 16
        assert kb.search("text 3", legs=["dense"])[0].id == "text3"

    def test_interrupted_it_goes_on_where_it_stopped(self, make: Make) -> None:
        sent: list[str] = []
        hashed = HashEmbedder(dim=8)

        def breaks(texts: list[str]) -> Any:
            if len(sent) == BATCH:
                sent.append("once")
                raise ConnectionError
            sent.extend(texts)
            return hashed.embed_passages(texts)

        embedder = CallableEmbedder(breaks, name="breaks", dim=8, batch_size=EMBEDDED)
        kb = make()
        kb.add(many(BATCH + 7))
        with pytest.raises(EmbeddingError, match="ConnectionError"):
            kb.reembed(embedder)
        assert kb.describe()["embedder"] == "hash(dim=32)"
        kb.compact()  # keeps what is being made
        told: list[Progress] = []
        assert kb.reembed(embedder, progress=told.append) == 7
        assert told[-1] == Progress(7, 7, "chunks", 7)
        assert len(sent) == BATCH + 1 + 7
        assert kb.describe()["dim"] == 8

    def test_chunks_written_meanwhile_are_embedded_too(self, make: Make) -> None:
        kb, other = make(), make()
        kb.add(many(5))

        def embed(texts: list[str]) -> Any:
            if other.count() == 5:
                other.add([Chunk("late", id="late")])
            return HashEmbedder(dim=8).embed_passages(texts)

        assert kb.reembed(CallableEmbedder(embed, name="new", dim=8)) == 6
        assert kb.search("late", legs=["dense"])[0].id == "late"

    def test_two_changes_at_once_and_a_compaction_between(self, make: Make) -> None:
        """The last one to finish stays; nothing that was swept away is pointed at."""
        kb, other = make(), make()
        kb.add(many(3))
        once: list[None] = [None]

        def embed(texts: list[str]) -> Any:
            if once:
                once.pop()
                other.reembed("hash(dim=16)")
                other.compact()
            return HashEmbedder(dim=8).embed_passages(texts)

        kb.reembed(CallableEmbedder(embed, name="new", dim=8))
        assert kb.describe()["dim"] == 8
        assert kb.search("text 1", legs=["dense"])[0].id == "text1"

    def test_a_chunk_that_comes_at_the_last_moment(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kb, other = make(), make()
        kb.add(many(3))
        unembedded = Reading.unembedded
        late = [Chunk("late", id="late")]

        def interfere(self: Reading, *args: Any, **given: Any) -> Any:
            found = unembedded(self, *args, **given)
            if not found and late:
                other.add([late.pop()])  # behind the transaction that found nothing
            return found

        monkeypatch.setattr(Reading, "unembedded", interfere)
        assert kb.reembed("hash(dim=16)") == 4
        assert kb.search("late", legs=["dense"])[0].id == "late"

    def test_a_collection_by_words_only_gets_vectors(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add(many(3))
        assert [report.name for report in kb.search("text").legs] == ["bm25"]
        kb.reembed("hash(dim=16)")
        assert [report.name for report in kb.search("text").legs] == ["dense", "bm25"]
        kb.close()
        assert make(embedder=...).describe()["embedder"] == "hash(dim=16)"

    def test_vectors_brought_along_are_made_from_the_text(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add([Chunk("one", id="a", embedding=[1.0]), Chunk("one", id="b", embedding=[2.0])])
        kb.reembed("hash(dim=16)")
        found = kb.get("a")
        assert found is not None
        assert found.embedding is None
        scores = [hit.contributions[0].raw_score for hit in kb.search("one")]
        assert scores == [1.0, 1.0]

    def test_another_process_follows_if_it_can(self, make: Make, counting: Any) -> None:
        kb, other = make(), make(embedder=...)
        kb.add(many(3))
        assert other.search("text 1", legs=["dense"])[0].id == "text1"
        kb.reembed("hash(dim=16)")
        assert other.search("text 1", legs=["dense"])[0].id == "text1"
        other.add([Chunk("from the other", id="o")])
        kb.reembed(counting())
        with pytest.raises(ConfigurationError, match="'counting', which is code"):
            other.search("text 1")
        with pytest.raises(ConfigurationError, match="'counting', which is code"):
            other.add([Chunk("y", id="y")])
        assert [hit.id for hit in other.search("other", legs=["bm25"])] == ["o"]

    def test_a_write_that_was_embedding_when_the_embedder_changed(self, make: Make) -> None:
        """It starts over with the new one: no chunk is left without a vector of the new space."""
        switched: list[str] = []

        class Switching(HashEmbedder):
            def embed_passages(self, texts: Any, *, progress: Any = None) -> Any:
                if not switched:
                    switched.append("now")
                    other.reembed("hash(dim=16)")
                return super().embed_passages(texts, progress=progress)

        other = make(embedder="hash(dim=32)")
        other.add(many(3))
        kb = make(embedder=Switching(dim=32))
        kb.add([Chunk("late", id="late")])
        assert kb.search("late", legs=["dense"])[0].id == "late"
        assert kb.describe()["dim"] == 16

    def test_none_is_no_embedder(self, kb: Collection) -> None:
        with pytest.raises(ConfigurationError, match="embedder is None"):
            kb.reembed(None)  # type: ignore[arg-type]


def test_a_writer_that_waits_too_long_is_told(make: Make) -> None:
    kb, other = make(), make(lock_timeout=0.05)
    kb.add(many(1))
    with kb._store.writing(), pytest.raises(LockedError, match="longer lock_timeout"):
        other.delete(ids=["text0"])
    assert other.delete(ids=["text0"]) == 1
