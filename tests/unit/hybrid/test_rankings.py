"""What each leg returns before fusion: all legs, and ids that are equal exactly if hits are."""

from typing import Any

import pytest

from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.errors import AllLegsFailedError, LegError, QueryError
from plait.fusion import Rrf, fuse
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.types import Chunk, Query


def boom(text: str) -> list[str]:
    raise ValueError("down")


def test_one_ranking_per_leg_also_of_weight_0() -> None:
    hybrid = HybridRetriever(
        {"a": lambda text: ["x", "y"], "b": lambda text: [("y", 2.0)]}, weights=[0, 1]
    )
    first, second = hybrid.rankings("q")
    assert (first.leg, first.ids) == ("a", ("x", "y"))
    assert (second.leg, second.ids, second.scores) == ("b", ("y",), (2.0,))


def test_only_the_legs_asked_for() -> None:
    hybrid = HybridRetriever({"a": lambda text: ["x"], "b": boom})
    assert [ranking.leg for ranking in hybrid.rankings("q", legs=["a"])] == ["a"]


def test_fetch_k_reaches_the_legs() -> None:
    asked: list[int] = []

    def leg(text: str, top_k: int) -> list[str]:
        asked.append(top_k)
        return [f"d{n}" for n in range(1000)]

    hybrid = HybridRetriever({"a": leg}, window=7)
    assert [len(hybrid.rankings("q")[0]), len(hybrid.rankings("q", fetch_k=3)[0])] == [7, 3]
    assert asked == [7, 3]


def test_a_failed_leg_is_empty_and_named() -> None:
    hybrid = HybridRetriever({"a": lambda text: ["x"], "b": boom})
    outcome = hybrid.run_legs("q")
    assert [len(ranking) for ranking in outcome.rankings] == [1, 0]
    assert list(outcome.failures) == ["b"]
    assert outcome.degraded


def test_a_failure_inside_a_leg_that_is_a_hybrid_is_named() -> None:
    inner = HybridRetriever(
        {"a": Leg("a", lambda text: ["x"], ids_only=True), "b": boom}, name="inner"
    )
    outcome = HybridRetriever([inner]).run_legs("q")
    assert outcome.inside == {"inner": "degraded inside: b: ValueError: down"}
    assert outcome.degraded
    assert not outcome.failures


def test_failures_that_end_a_query_end_it_here_too() -> None:
    with pytest.raises(AllLegsFailedError):
        HybridRetriever({"a": boom}).rankings("q")
    with pytest.raises(LegError):
        HybridRetriever({"a": boom, "b": lambda text: ["x"]}, on_failure="raise").rankings("q")
    with pytest.raises(QueryError, match="fetch_k is 0"):
        HybridRetriever({"a": lambda text: ["x"]}).rankings("q", fetch_k=0)


def test_hits_without_id_get_the_name_that_they_share() -> None:
    hybrid = HybridRetriever(
        {
            "a": lambda text: [Chunk("cats purr"), Chunk("dogs bark", document_id="d", index=3)],
            "b": lambda text: [Chunk("dogs bark", id="mine", document_id="d", index=3)],
        }
    )
    first, second = hybrid.rankings("q")
    assert first.ids[1] == second.ids[0] == "mine"
    assert first.ids[0] == Chunk("cats purr").made_id()


def test_the_key_of_the_hybrid_is_honored() -> None:
    def by_page(chunk: Chunk) -> Any:
        return chunk.page

    hybrid = HybridRetriever(
        {
            "a": lambda text: [Chunk("one", id="1", page=7)],
            "b": lambda text: [Chunk("two", id="2", page=7)],
        },
        key=by_page,
    )
    first, second = hybrid.rankings("q")
    assert first.ids == second.ids


def test_fused_they_are_what_retrieve_returns() -> None:
    texts = ["red apple pie", "green apple", "red car", "apple apple", "blue sky", "pie chart"]
    chunks = [Chunk(text, id=str(n)) for n, text in enumerate(texts)]
    hybrid = HybridRetriever(
        [DenseRetriever(chunks, embedder=HashEmbedder()), BM25Retriever(chunks)]
    )
    for query in ("red apple", Query("pie")):
        fused = fuse(hybrid.rankings(query), Rrf(k=60))
        result = hybrid.retrieve(query, top_k=10)
        assert list(fused.scores.items()) == [(hit.id, hit.score) for hit in result]


def test_chunks_are_looked_up_as_far_as_known() -> None:
    chunks = [Chunk("one", id="1", document_id="d")]
    hybrid = HybridRetriever([BM25Retriever(chunks)])
    assert hybrid.chunks(["1", "2"]) == {"1": chunks[0]}
