"""evaluate: any system, asked for enough, its failures told and never averaged away."""

from pathlib import Path
from typing import Any

import pytest

import plait
from plait.errors import (
    ConfigurationError,
    EmbeddingError,
    MissingDependencyError,
    QueryError,
    RetrievalError,
)
from plait.evaluation import Qrels, Topics, evaluate, record, score_run
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.retriever import Retriever
from plait.types import Chunk, Hit, Query, SearchResult

TOPICS = Topics({"1": "cats", "2": "dogs"})
QRELS = Qrels({"1": {"a": 1}, "2": {"b": 1}})
CHUNKS = (
    Chunk("cats purr", id="a0", document_id="a", index=0),
    Chunk("cats sleep", id="a1", document_id="a", index=1),
    Chunk("dogs bark", id="b0", document_id="b", index=0),
    Chunk("cats and dogs", id="c"),
)


class Pinned(Retriever):
    name = "pinned"

    def retrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        return SearchResult(tuple(Hit(c, None, rank=n) for n, c in enumerate(CHUNKS, 1))[:top_k])


class Later(Retriever):
    name = "later"

    async def aretrieve(self, query: Any, *, top_k: int = 5, filter: Any = None) -> SearchResult:
        return SearchResult((Hit(CHUNKS[0], 0.5, rank=1), Hit(CHUNKS[2], 0.4, rank=2)))


class RagLike:
    """An object with ``retrieve``, whose order is that of a reranker."""

    def retrieve(self, query: str, top_k: int) -> SearchResult:
        hits = (Hit(CHUNKS[2], 0.1, rank=1, rerank_score=0.1), Hit(CHUNKS[0], 0.9, rank=2))
        return SearchResult(hits)


async def answer(text: str) -> list[str]:
    return ["b", "a"]


@pytest.mark.parametrize(
    ("source", "name", "reciprocal"),
    [
        (lambda text: ["x", "a"] if text == "cats" else ["b"], "leg", {"1": 1 / 2, "2": 1}),
        (lambda text: [("b", 3.0), ("a", 1)], "leg", {"1": 1 / 2, "2": 1}),
        (answer, "answer", {"1": 1 / 2, "2": 1}),
        (Pinned(), "pinned", {"1": 1, "2": 1 / 2}),
        (Later(), "later", {"1": 1, "2": 1 / 2}),
        (RagLike(), "raglike", {"1": 1 / 2, "2": 1}),
        (BM25Retriever(CHUNKS), "bm25", {"1": 1, "2": 1}),
        (HybridRetriever([BM25Retriever(CHUNKS)]), "hybrid", {"1": 1, "2": 1}),
    ],
)
def test_any_system(source: Any, name: str, reciprocal: dict[str, float]) -> None:
    found = evaluate(source, TOPICS, QRELS, measures=["RR"])
    assert found.name == found.run.name == name
    assert {topic: row["RR"] for topic, row in found.per_query.items()} == reciprocal
    assert found.failures == {}
    assert evaluate(source, TOPICS, QRELS, measures=["RR"], name="mine").name == "mine"


def test_several_chunks_of_a_document_are_one_result() -> None:
    found = evaluate(Pinned(), TOPICS, QRELS, measures=["P@2"], top_k=2)
    assert [each for each, _ in found.run.rankings["1"]] == ["a", "b"]
    assert found.means["P@2"].mean == 1 / 2


def test_by_chunk() -> None:
    qrels = Qrels({"1": {"a1": 1}})
    found = evaluate(Pinned(), TOPICS, qrels, measures=["RR"], by="chunk")
    assert found.means["RR"].mean == 1 / 2


def test_a_reranked_order_holds_whatever_its_scores() -> None:
    found = evaluate(RagLike(), TOPICS, QRELS, measures=["RR"])
    assert found.run.rankings["1"] == (("b", 1.0), ("a", 0.5))


def test_what_is_asked_of_a_system() -> None:
    asked: list[int] = []

    def source(text: str, top_k: int) -> list[str]:
        asked.append(top_k)
        return ["a"]

    for given in ({}, {"top_k": 300}, {"fetch_k": 150}):
        evaluate(source, Topics({"1": "x"}), QRELS, **given)
    assert asked == [200, 300, 150]


@pytest.mark.parametrize(
    ("options", "given", "reach"),
    [
        ({}, {}, 100),  # its window
        ({"window": 250}, {}, 250),
        ({"window": 30}, {}, 120),  # doubled until it covers top_k
        ({"fetch_k": 40}, {}, 100),  # top_k
        ({"fetch_k": 400}, {}, 400),
        ({"fetch_k": 40}, {"fetch_k": 160}, 160),
    ],
)
def test_what_is_asked_of_the_legs_of_a_hybrid(
    options: dict[str, int], given: dict[str, int], reach: int
) -> None:
    asked: list[int] = []

    def leg(text: str, top_k: int) -> list[str]:
        asked.append(top_k)
        return ["a"]

    hybrid = HybridRetriever([Leg("leg", leg, ids_only=True)], **options)
    evaluate(hybrid, Topics({"1": "x"}), QRELS, **given)
    assert asked == [reach]


def test_topics_without_judgments_are_not_asked() -> None:
    asked = []

    def system(text: str) -> list[str]:
        asked.append(text)
        return ["a"]

    topics = Topics({**TOPICS, "3": "nobody judged this", "4": "nor this"})
    found = evaluate(system, topics, Qrels({**QRELS, "4": {}}))
    assert asked == ["cats", "dogs"]
    assert found.notes == ("2 topics (3, 4) without judgments left out",)


def test_a_filter_reaches_the_system() -> None:
    chunks = [Chunk("cats", id=name, metadata={"lang": name}) for name in "ab"]
    for source in (BM25Retriever(chunks), HybridRetriever([BM25Retriever(chunks)])):
        found = evaluate(source, TOPICS, QRELS, measures=["RR"], filter={"lang": "b"})
        assert [each for each, _ in found.run.rankings["1"]] == ["b"]


def test_an_embedding_reaches_the_system() -> None:
    seen: list[Query] = []

    def source(text: str, query: Query) -> list[str]:
        seen.append(query)
        return ["a"]

    evaluate(source, Topics({"1": Query("x", embedding=[1.0])}), QRELS)
    assert seen[0].embedding is not None


class TestFailures:
    @staticmethod
    def sometimes(text: str) -> list[str]:
        if text == "dogs":
            raise OSError("gone")
        return ["a"]

    def test_a_topic_that_fails_counts_0_and_is_told(self) -> None:
        found = evaluate(self.sometimes, TOPICS, QRELS, measures=["RR"])
        assert found.means["RR"].mean == 1 / 2
        assert found.failures == {"2": "OSError: gone"}
        assert found.notes[0].startswith("1 topic (2) failed")

    def test_a_degraded_answer_counts_and_is_told(self) -> None:
        hybrid = HybridRetriever(
            {"a": Leg("a", self.sometimes, ids_only=True), "b": Leg("b", answer, ids_only=True)}
        )
        found = evaluate(hybrid, TOPICS, QRELS, measures=["RR"])
        assert found.failures == {"2": "degraded inside: a: OSError: gone"}
        assert found.per_query["2"]["RR"] == 1.0

    def test_many_failures_do_not_open_a_circuit(self) -> None:
        topics = Topics({str(n): "dogs" if n < 20 else "cats" for n in range(30)})
        found = evaluate(self.sometimes, topics, Qrels({t: {"a": 1} for t in topics}))
        assert len(found.failures) == 20
        assert set(found.failures.values()) == {"OSError: gone"}

    def test_nothing_but_failures_is_an_error(self) -> None:
        def boom(text: str) -> list[str]:
            raise EmbeddingError("no model")

        with pytest.raises(RetrievalError, match=r"every topic failed, .*no model"):
            evaluate(boom, TOPICS, QRELS)

    def test_nan_scores_are_a_failure(self) -> None:
        def source(text: str) -> list[tuple[str, float]]:
            return [("a", float("nan") if text == "dogs" else 1.0)]

        found = evaluate(source, TOPICS, QRELS, measures=["RR"])
        assert "score nan at position 1" in found.failures["2"]

    def test_a_missing_package_ends_it(self) -> None:
        def source(text: str) -> list[str]:
            raise MissingDependencyError("torch", extra="x", purpose="y")

        with pytest.raises(MissingDependencyError):
            evaluate(source, TOPICS, QRELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top_k": 0}, "top_k is 0"),
        ({"fetch_k": 99}, "fetch_k is 99 and top_k is 100"),
        ({"fetch_k": 0}, "fetch_k is 0"),
        ({"measures": ["R@101"]}, "R@101 looks at 101 results, and top_k is 100; give top_k=101"),
        ({"measures": ["foo"]}, "unknown measure 'foo'"),
        ({"by": "page"}, "by is 'page'"),
    ],
)
def test_refuses_before_anything_is_asked(given: dict[str, Any], message: str) -> None:
    def source(text: str) -> list[str]:
        raise AssertionError("it was asked")

    with pytest.raises(ConfigurationError, match=message):
        evaluate(source, TOPICS, QRELS, **given)


def test_refuses_other_mistakes_before_anything_is_asked() -> None:
    def source(text: str, filter: Any) -> list[str]:
        raise AssertionError("it was asked")

    with pytest.raises(ConfigurationError, match="'1' in the topics and 'q1' in the judgments"):
        evaluate(source, TOPICS, Qrels({"q1": {"a": 1}}))
    with pytest.raises(QueryError, match="regx"):
        evaluate(source, TOPICS, QRELS, filter={"a": {"$regx": 1}})
    with pytest.raises(ConfigurationError, match="a leg is int"):
        evaluate(7, TOPICS, QRELS)


class TestCollection:
    @pytest.fixture
    def kb(self, tmp_path: Path) -> Any:
        with plait.open(tmp_path, embedder="hash(dim=64)") as opened:
            opened.add(list(CHUNKS))
            yield opened

    def test_collection_snapshot_and_retriever_agree(self, kb: Any) -> None:
        found = evaluate(kb, TOPICS, QRELS)
        assert found.name == "default"
        assert evaluate(kb.retriever(), TOPICS, QRELS) == found
        with kb.snapshot() as view:
            assert evaluate(view, TOPICS, QRELS) == found

    def test_it_is_what_the_recorded_legs_give(self, kb: Any) -> None:
        found = evaluate(kb, TOPICS, QRELS)
        own = kb.retriever().fusing()
        run = record(kb, TOPICS).fused(own.fusion, own.weights, name="default")
        assert score_run(run, QRELS, topics=TOPICS) == found

    def test_all_topics_see_one_state(self, kb: Any) -> None:
        def write(done: int, total: int) -> None:
            kb.clear()

        found = evaluate(kb, TOPICS, QRELS, progress=write)
        assert len(found.run.rankings["2"]) == 3
        assert kb.count() == 0

    def test_a_search_still_has_snippets(self, kb: Any) -> None:
        evaluate(kb, TOPICS, QRELS)
        assert kb.search("cats")[0].snippet
        hybrid = kb.retriever()
        assert hybrid.without_snippets().retrieve("cats")[0].snippet is None
        assert hybrid.retrieve("cats")[0].snippet
