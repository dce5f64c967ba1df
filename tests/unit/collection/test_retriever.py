"""The hybrid over a collection: one state for a whole query, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from plait.collection import Collection, CollectionRetriever
from plait.collection import retriever as module
from plait.dense import DenseView
from plait.embedders import CallableEmbedder, HashEmbedder
from plait.errors import ConfigurationError, QueryError
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.text import Analyzer
from plait.types import Chunk, Query, SearchResult, Variant

Make = Callable[..., Collection]


def version(number: int) -> list[Chunk]:
    return [
        Chunk(f"cats purr in version {number}", id=str(n), metadata={"version": number})
        for n in range(8)
    ]


def versions(result: SearchResult) -> set[Any]:
    """Of the contents, and of every leg's copy of the metadata."""
    return {hit.chunk.metadata["version"] for hit in result} | {
        copy["version"] for hit in result for copy in hit.sources.values()
    }


class Interfering(HashEmbedder):
    """Writes to the collection in the middle of a query: when the query is embedded."""

    def __init__(self) -> None:
        super().__init__(dim=32)
        self.interfere: Callable[[], object] = lambda: None

    def embed_query(self, text: str) -> Any:
        self.interfere()
        return super().embed_query(text)


class TestMany:
    """``retrieve_many`` ranks vectors together and says what ``retrieve`` says."""

    @pytest.fixture
    def ranked(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """How many vectors were ranked at once, each time."""
        asked: list[int] = []
        plain = DenseView.rank_many

        def counted(self: DenseView, vectors: Any, **given: Any) -> Any:
            asked.append(len(vectors))
            return plain(self, vectors, **given)

        monkeypatch.setattr(DenseView, "rank_many", counted)
        return asked

    @pytest.fixture
    def hybrid(self, make: Make) -> CollectionRetriever:
        kb = make(embedder=HashEmbedder(dim=32))
        kb.add([Chunk(f"cats purr {n} times", id=f"{n:03}", metadata={"n": n}) for n in range(90)])
        return kb.retriever(top_k=3)

    def test_some_at_once(self, hybrid: CollectionRetriever, ranked: list[int]) -> None:
        queries = [f"purr {n}" for n in range(35)]
        vector = HashEmbedder(dim=32).embed_query("purr 7")
        queries[7], queries[9] = Query(embedding=vector), Query("cats", embedding=vector)
        for given in ({}, {"filter": {"n": {"$lt": 20}}, "fetch_k": 5}, {"fusion": "rsf"}):
            ranked.clear()
            many = hybrid.retrieve_many(queries, **given)
            assert ranked == [32, 3]
            for query, result in zip(queries, many, strict=True):
                one = hybrid.retrieve(query, **given)
                assert result.hits == one.hits
                assert (result.notes, result.total) == (one.notes, one.total)

    @pytest.mark.parametrize(
        "given", [{"deadline": 60.0}, {"legs": ["bm25"]}, {"options": {"dense": {"timeout": 60.0}}}]
    )
    def test_not_where_a_query_would_wait_for_others(
        self, given: dict[str, Any], hybrid: CollectionRetriever, ranked: list[int]
    ) -> None:
        assert len(hybrid.retrieve_many(["purr 1", "purr 2"], **given)) == 2
        assert set(ranked) <= {1}

    def test_a_query_that_the_leg_refuses_is_its_own_matter(
        self, hybrid: CollectionRetriever
    ) -> None:
        bad = Query(embedding=[1.0, 2.0])
        with pytest.raises(QueryError) as one:
            hybrid.retrieve(bad)
        with pytest.raises(QueryError) as many:
            hybrid.retrieve_many(["purr 1", "purr 2", bad])
        assert str(many.value) == str(one.value)

    def test_an_embedder_that_fails_degrades_each(self, make: Make) -> None:
        embedder = Interfering()
        kb = make(embedder=embedder)
        kb.add([Chunk("cats purr", id="a"), Chunk("dogs bark", id="b")])

        def fail() -> None:
            raise RuntimeError("no model")

        embedder.interfere = fail
        for result in kb.retriever().retrieve_many(["cats", "dogs"]):
            assert result.degraded
            assert len(result) == 1


class TestOneState:
    @pytest.fixture
    def embedder(self) -> Interfering:
        return Interfering()

    @pytest.mark.parametrize("legs", [None, ["bm25", "dense"], ["dense"]])
    def test_a_write_between_the_legs_cannot_tear_a_query(
        self, legs: list[str] | None, embedder: Interfering, make: Make
    ) -> None:
        kb, other = make(embedder=embedder), make(embedder="hash(dim=32)")
        kb.add(version(1))
        before = kb.search("cats", legs=["bm25"]).generation

        def write() -> None:
            embedder.interfere = lambda: None
            other.add(version(2))
            other.delete(ids=["3"])
            # The newest state is already known in this process when the first query goes on.
            assert versions(kb.search("cats", legs=["bm25"])) == {2}

        embedder.interfere = write
        result = kb.search("cats", top_k=8, legs=legs)
        assert versions(result) == {1}
        assert len(result) == 8
        assert result.generation == before
        assert not result.degraded
        after = kb.search("cats", top_k=8, legs=legs)
        assert versions(after) == {2}
        assert len(after) == 7
        assert after.generation is not None
        assert before is not None
        assert after.generation > before

    def test_even_a_compaction_cannot(self, embedder: Interfering, make: Make) -> None:
        kb, other = make(embedder=embedder), make(embedder="hash(dim=32)", lock_timeout=0.01)
        kb.add(version(1))

        def write() -> None:
            embedder.interfere = lambda: None
            other.clear()
            other.add(version(2))
            with pytest.raises(TimeoutError):
                other.compact()

        embedder.interfere = write
        assert versions(kb.search("cats")) == {1}
        assert versions(kb.search("cats")) == {2}

    def test_asynchronously_too(self, embedder: Interfering, make: Make) -> None:
        kb, other = make(embedder=embedder), make(embedder="hash(dim=32)")
        kb.add(version(1))

        def write() -> None:
            embedder.interfere = lambda: None
            other.add(version(2))

        embedder.interfere = write
        assert versions(asyncio.run(kb.asearch("cats"))) == {1}
        assert versions(asyncio.run(kb.asearch("cats"))) == {2}

    def test_for_all_variants_of_a_query(self, embedder: Interfering, make: Make) -> None:
        kb, other = make(embedder=embedder), make(embedder="hash(dim=32)")
        kb.add(version(1))
        hybrid = kb.retriever()
        variants = [Variant(Query("cats")), Variant(Query("purr"), name="rewrite")]

        def write() -> None:
            embedder.interfere = lambda: None
            other.add(version(2))

        embedder.interfere = write
        result = hybrid.retrieve_variants(variants, top_k=8)
        assert versions(result) == {1}
        assert [report.name for report in result.legs] == [
            "dense",
            "dense@rewrite",
            "bm25",
            "bm25@rewrite",
        ]
        assert "«cats»" in str(result[0].snippet)
        assert versions(asyncio.run(hybrid.aretrieve_variants(variants))) == {2}

    def test_thirty_two_threads_ask_while_one_writes(self, make: Make) -> None:
        kb = make()
        kb.add(version(0))
        done = threading.Event()

        def ask(_: int) -> list[tuple[int | None, Any]]:
            seen = []
            while True:
                last = done.is_set()
                result = kb.search("cats version", top_k=8)
                (only,) = versions(result)
                assert len(result) == 8
                seen.append((result.generation, only))
                if last:
                    return seen

        def write() -> None:
            for number in range(1, 12):
                kb.add(version(number))
            done.set()

        with ThreadPoolExecutor(33) as pool:
            writing = pool.submit(write)
            answers = list(pool.map(ask, range(32)))
            writing.result()
        by_generation = dict(pair for seen in answers for pair in seen)
        assert all(by_generation[g] == v for seen in answers for g, v in seen)
        assert {seen[-1][1] for seen in answers} == {11}
        for seen in answers:
            assert [v for _, v in seen] == sorted(v for _, v in seen)

    def test_two_collections_in_one_hybrid_do_not_mix(self, make: Make) -> None:
        one, two = make("one"), make("two")
        one.add([Chunk("cats in one", id="1")])
        two.add([Chunk("cats in two", id="2")])
        both = HybridRetriever([one.retriever(), two.retriever()])
        assert {hit.id for hit in both.retrieve("cats")} == {"1", "2"}
        assert {hit.id for hit in asyncio.run(both.aretrieve("cats"))} == {"1", "2"}
        assert [leg.name for leg in both.legs] == ["one", "two"]


class TestTheHybrid:
    def test_it_is_a_hybrid_with_the_collections_settings(self, kb: Collection) -> None:
        retriever = kb.retriever()
        assert isinstance(retriever, HybridRetriever)
        described = retriever.describe()
        assert described["fusion"] == "auto(coverage=0.5, lead=0.5)"
        assert described["weights"] == {"dense": 0.3, "bm25": 0.7}
        assert described["window"] == 200
        assert list(described["legs"]) == ["dense", "bm25"]
        assert described["legs"]["bm25"]["k1"] == 1.5
        assert described["legs"]["dense"]["metric"] == "cosine"
        assert described["legs"]["dense"]["embedder"]["weights"] == "code:hash-1"

    def test_what_is_given_goes_first(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a"), Chunk("cats purr", id="b")])
        retriever = kb.retriever(
            legs=["bm25"], fusion="rrf(k=5)", top_k=1, fetch_k=7, name="mine", weights=[2.0]
        )
        result = retriever.retrieve("cats")
        assert (result.fusion, result.fetch_k, len(result)) == ("rrf(k=5)", 7, 1)
        assert result[0].score == pytest.approx(2 / (5 + 1))
        assert retriever.name == "mine"

    def test_it_knows_whose_vectors_are_searched_and_gives_them(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a"), Chunk("dogs", id="b")])
        retriever = kb.retriever(name="mine")
        assert retriever.collection == kb.name == "default"
        dense = next(leg.retriever for leg in retriever.legs if leg.name == "dense")
        assert dense.embedder.spec == "hash(dim=32)"
        (found,) = retriever.vectors(["b", "nobody"]).values()
        assert found.tolist() == HashEmbedder(dim=32).embed_passages(["dogs"])[0].tolist()

    def test_there_may_be_no_vectors(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add([Chunk("cats", id="a")])
        assert kb.retriever().vectors(["a"]) == {}
        (dense,) = kb.retriever(legs=["dense"]).legs
        assert dense.retriever.embedder is None

    def test_unknown_legs_are_refused(self, kb: Collection) -> None:
        with pytest.raises(ConfigurationError, match="legs name 'sparse'"):
            kb.retriever(legs=["sparse"])
        with pytest.raises(QueryError, match="sparse"):
            kb.search("cats", legs=["sparse"])

    def test_it_always_answers_from_the_newest_state(self, kb: Collection) -> None:
        retriever = kb.retriever()
        assert len(retriever.retrieve("cats")) == 0
        kb.add([Chunk("cats", id="a")])
        assert [hit.id for hit in retriever.retrieve("cats")] == ["a"]

    def test_many_queries_are_answered_from_one_state(self, kb: Collection, make: Make) -> None:
        kb.add(version(1))
        other = make()

        def queries() -> Iterator[str]:
            yield "cats"
            other.add(version(2))
            yield "purr"

        answers = kb.retriever(top_k=3).retrieve_many(queries())
        assert [versions(result) for result in answers] == [{1}, {1}]
        assert [len(result) for result in answers] == [3, 3]
        assert answers[0].generation == answers[1].generation

    def test_writes_belong_to_the_collection(self, kb: Collection) -> None:
        with pytest.raises(ConfigurationError, match="no leg of this hybrid keeps an index"):
            kb.retriever().add([Chunk("x")])

    def test_its_signature_is_that_of_a_hybrid(self) -> None:
        for name in ("retrieve", "aretrieve"):
            assert inspect.signature(getattr(CollectionRetriever, name)) == inspect.signature(
                getattr(HybridRetriever, name)
            )

    def test_hits_carry_snippets_and_the_generation(self, kb: Collection) -> None:
        kb.add([Chunk("Error E1042: socket closed.", id="a")])
        result = kb.search("e1042")
        assert result[0].snippet == "Error «E1042»: socket closed."
        assert result.generation == 2
        assert kb.search(Query(embedding=[1.0] * 32))[0].snippet is None

    def test_snippets_show_the_rare_words_and_ask_for_the_terms_once(
        self, kb: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        kb.add([Chunk(f"the plan, the end {n}", id=f"n{n}") for n in range(9)])
        filler = "words " * 60
        kb.add([Chunk(f"the plan and the end {filler}, then E1042 {filler}", id="long")])
        found = [hit for hit in kb.search("the plan the end e1042") if hit.id == "long"]
        assert "«E1042»" in str(found[0].snippet)
        asked: list[str] = []
        query_terms = Analyzer.query_terms

        def counted(self: Analyzer, text: str) -> tuple[str, ...]:
            asked.append(text)
            return query_terms(self, text)

        monkeypatch.setattr(Analyzer, "query_terms", counted)
        few, many = (len(asked) for k in (1, 9) if kb.search("the plan", top_k=k))
        assert many == 2 * few  # whatever the number of hits

    def test_a_query_by_vector_alone_skips_the_words(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a")])
        result = kb.search(Query(embedding=HashEmbedder(dim=32).embed_query("cats")))
        assert [(each.name, each.status) for each in result.legs] == [
            ("dense", "ok"),
            ("bm25", "skipped"),
        ]
        assert not result.degraded
        with pytest.raises(QueryError, match="dimensions"):
            kb.search(Query(embedding=[1.0, 2.0]))

    def test_a_query_by_words_alone_skips_vectors_that_nobody_can_make(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add([Chunk("cats", id="a", embedding=[1.0, 2.0])])
        result = kb.search("cats")
        assert [(each.name, each.status) for each in result.legs] == [
            ("dense", "skipped"),
            ("bm25", "ok"),
        ]
        assert "Query(embedding=...)" in result.legs[0].notes[0]
        assert not result.degraded
        kb.clear()
        kb.add([Chunk("cats", id="a")])
        assert [each.name for each in kb.search("cats").legs] == ["bm25"]
        held = kb.retriever(legs=["dense", "bm25"])
        assert "has no vectors" in held.retrieve("cats").legs[0].notes[0]

    def test_where_the_embedder_sees_nothing_the_words_answer(self, make: Make) -> None:
        def only_dogs(texts: list[str]) -> list[list[float]]:
            return [[1.0 + text.count("o"), 1.0] if "dog" in text else [0.0, 0.0] for text in texts]

        kb = make(embedder=CallableEmbedder(only_dogs, name="dogs", normalize=False))
        kb.add([Chunk("dog E1042", id="a"), Chunk("dogs bark", id="b")])
        result = kb.search("e1042")
        assert [(each.name, each.status) for each in result.legs] == [
            ("dense", "error"),
            ("bm25", "ok"),
        ]
        assert result.degraded
        assert [(hit.id, hit.legs) for hit in result] == [("a", ("bm25",))]
        assert "sees nothing" in str(result.legs[0].error)

    def test_a_collection_becomes_a_leg(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a")])
        hybrid = HybridRetriever([kb.retriever(), BM25Retriever([Chunk("cats", id="a")])])
        assert set(hybrid.retrieve("cats")[0].legs) == {"default", "bm25"}

    def test_options_for_one_leg(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a")])
        assert kb.search("cats", options={"dense": {"exact": True}})[0].id == "a"
        with pytest.raises(QueryError, match="option"):
            kb.search("cats", options={"bm25": {"exact": True}})


class TestTheModel:
    def test_it_is_not_loaded_by_what_needs_no_vector(
        self, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make().add([Chunk("cats", id="a", metadata={"n": 1})])

        def refuse(*_: object) -> None:
            raise AssertionError("the embedder was built")

        monkeypatch.setattr("plait.collection.embedding.parse_embedder", refuse)
        kb = make(embedder=...)
        assert kb.get("a") is not None
        assert kb.count() == 1
        assert kb.describe()["embedder"] == "hash(dim=32)"
        assert kb.search("cats", legs=["bm25"])[0].id == "a"
        assert kb.retriever().describe()["legs"]
        assert kb.search(Query(embedding=[1.0] * 32))[0].id == "a"
        with kb.snapshot() as view:
            assert view.count() == 1
        kb.add([Chunk("cats", id="b")])  # its vector is there
        assert kb.delete(filter={"n": 1}) == 1
        kb.clear()
        assert len(kb.search("cats")) == 0  # nothing to compare with

    def test_a_query_is_embedded_once(self, make: Make) -> None:
        embedder = Interfering()
        asked: list[None] = []
        embedder.interfere = lambda: asked.append(None)
        kb = make(embedder=embedder)
        kb.add([Chunk("cats", id="a")])
        kb.search("cats")
        kb.search("cats", top_k=1, filter={"x": 1})
        assert len(asked) == 1


class TestCancelling:
    def test_a_view_that_nobody_waits_for_any_more_is_closed(
        self, kb: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started, go = threading.Event(), threading.Event()
        views: list[Any] = []

        def slow() -> Any:
            started.set()
            go.wait(5)
            views.append(kb._pin())
            return views[0]

        async def cancel() -> None:
            task = asyncio.create_task(module.pinned(slow))
            await asyncio.to_thread(started.wait, 5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            go.set()
            while not views or kb._store._connections._lent:
                await asyncio.sleep(0.001)

        asyncio.run(asyncio.wait_for(cancel(), 10))

    def test_every_query_gives_its_connection_back(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a")])
        kb.search("cats")
        asyncio.run(kb.asearch("cats"))
        kb.retriever().retrieve("cats")
        asyncio.run(kb.retriever().aretrieve("cats"))
        for wrong in ({"fusion": "nothing"}, {"filter": {"a": {"$b": 1}}}, {"top_k": 0}):
            with pytest.raises((QueryError, ConfigurationError)):
                kb.search("cats", **wrong)  # type: ignore[arg-type]
            with pytest.raises((QueryError, ConfigurationError)):
                asyncio.run(kb.asearch("cats", **wrong))  # type: ignore[arg-type]
        assert kb._store._connections._lent == {}
