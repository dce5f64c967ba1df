"""The stages that compute: thresholds against the fusion in use, diversity by vectors."""

import asyncio
import threading

import numpy as np
import pytest

from plait.collection import open as open_collection
from plait.collection.tuning import Tuning
from plait.context import ContextBuilder
from plait.dense import DenseRetriever
from plait.embedders import CallableEmbedder
from plait.errors import ConfigurationError
from plait.fusion import Rrf
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.pipeline import Rag
from plait.planning import Hyde, MultiQuery, Planned, Planner
from plait.refining import Mmr, Refined
from plait.types import Chunk, Query, Variant

# Words say that a and b are alike, vectors that a and c are.
TEXTS = {"a": "cancel my plan", "b": "cancel my plan now", "c": "end the subscription"}
PLACES = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [1.0, 0.1]}
BY_TEXT = {TEXTS[name]: PLACES[name] for name in TEXTS}
CHUNKS = [Chunk(text, id=name) for name, text in TEXTS.items()]
EMBEDDER = CallableEmbedder(lambda texts: [BY_TEXT.get(t, [1.0, 0.0]) for t in texts], name="map",
                            dim=2)  # fmt: skip
BRINGING = [Chunk(text, id=name, embedding=PLACES[name]) for name, text in TEXTS.items()]


def ids(result):
    return [hit.id for hit in result]


def ordered(*names):
    """A leg that answers in this order, its chunks without vectors."""
    by_name = {chunk.id: chunk for chunk in CHUNKS}
    return lambda text: [by_name[name] for name in names]


# Thresholds


class Unknown(Planner):
    """A planner that does not say how many variants it makes."""

    name = "unknown"

    def plan(self, query, history=(), *, timeout=None):
        return Planned((Variant(query), Variant(Query("subscription"), name="other")))


def test_a_planner_says_how_high_a_fused_score_can_be():
    source = HybridRetriever({"one": BM25Retriever(CHUNKS), "two": BM25Retriever(CHUNKS)})
    # The question and two variants of half its weight in two legs: 2 · (1 + 2 · 0.5)/61 = 4/61.
    planner = MultiQuery(lambda prompt: "x", n=2)
    Rag(source, planner=planner, thresholds="fused>=0.065")
    with pytest.raises(ConfigurationError, match=r"and 3 variants is 0\.0655738"):
        Rag(source, planner=planner, thresholds="fused>=0.066")
    with pytest.raises(ConfigurationError, match="the legs are one, two"):
        Rag(source, planner=planner, thresholds="leg:three@query_1>=1")
    Rag(source, planner=Hyde(lambda prompt: "x"), thresholds=f"fused>={3 / 61!r}")


def test_a_floor_that_was_not_reached_by_an_unknown_plan_is_told():
    rag = Rag(BM25Retriever(CHUNKS), planner=Unknown(), thresholds="fused>=0.5")
    result = rag.search("cancel")
    assert not result.hits
    # The question and a variant of its weight in one leg: 2/61.
    assert "threshold: fused>=0.5 cannot be reached: the highest score is 0.0327869" in result.notes


def test_thresholds_are_held_against_the_fusion_that_a_collection_is_tuned_to(tmp_path):
    with open_collection(tmp_path, embedder="hash(dim=32)") as kb:
        kb.add(CHUNKS)
        Rag(kb, thresholds="fused>=0.25")  # auto, weights 0.3 and 0.7
        with pytest.raises(ConfigurationError, match=r"gives with the weights .* is 1;"):
            Rag(kb, thresholds="fused>=1.5")
        kb.apply(Tuning(Rrf(k=60), {"dense": 1.0, "bm25": 1.0}, 20, {}))
        with pytest.raises(ConfigurationError, match=r"rrf\(k=60\) .* is 0.0327869"):
            Rag(kb, thresholds="fused>=0.25")


@pytest.mark.parametrize(
    "parts", [{"group": "document"}, {"diversity": "mmr"}, {"thresholds": "leg:bm25>=0.1"}]
)
def test_the_window_is_the_one_that_a_collection_is_tuned_to(tmp_path, parts):
    with open_collection(tmp_path, embedder="hash(dim=32)") as kb:
        kb.add(CHUNKS)
        kb.apply(Tuning(Rrf(k=60), {"dense": 1.0, "bm25": 1.0}, 20, {}))
        result = Rag(kb, **parts).search("cancel")
        assert result.trace.fetch_k == 20
        assert not any("grew" in note for note in result.notes)


# Diversity


@pytest.mark.parametrize(
    ("source", "order"),
    [
        # cos(a, b) = 0.6, cos(a, c) = 1/sqrt(1.01) = 0.995: c repeats a.
        ([ordered("a", "c", "b"), DenseRetriever(CHUNKS, embedder=EMBEDDER)], "abc"),
        ([ordered("a", "c", "b"), DenseRetriever(BRINGING)], "abc"),
        # By words it is b that repeats a: they share 3 of 4.
        ([ordered("a", "b", "c")], "acb"),
    ],
)
def test_mmr_goes_by_the_vectors_that_are_indexed(source, order):
    legs = {str(n): each for n, each in enumerate(source)}
    weights = {name: float(name == "0") for name in legs}
    rag = Rag(HybridRetriever(legs, weights=weights), diversity=Mmr(balance=0.3))
    result = rag.search("plan")
    assert "".join(ids(result)) == order
    by = "the chunks' embeddings" if len(source) == 2 else "common terms"
    assert result.trace.stage("diversify").notes[-1].endswith(f"similarity by {by}")
    assert all(hit.chunk.embedding is None for hit in result)


def test_mmr_over_a_collection_goes_by_its_vectors(tmp_path):
    with open_collection(tmp_path, embedder=EMBEDDER) as kb:
        kb.add(CHUNKS)
        for source in (kb, kb.retriever(legs=["bm25", "dense"])):
            (*_, note) = Rag(source, diversity="mmr").search("plan").trace.stage("diversify").notes
            assert note.endswith("similarity by the chunks' embeddings")


def test_a_chunk_without_a_vector_leaves_the_words():
    some = DenseRetriever(CHUNKS[:2], embedder=EMBEDDER)
    source = HybridRetriever({"all": ordered("a", "b", "c"), "some": some}, weights=[1, 0])
    (*_, note) = Rag(source, diversity="mmr").search("q").trace.stage("diversify").notes
    assert note.endswith("similarity by common terms")


def test_an_embedder_of_a_diversity_does_not_hold_up_the_loop():
    threads = []

    def embed(texts):
        threads.append(threading.current_thread())
        return np.ones((len(texts), 2))

    slow = Mmr(embedder=CallableEmbedder(embed, name="slow", dim=2))
    asyncio.run(Rag(BM25Retriever(CHUNKS), diversity=slow).asearch("cancel"))
    assert len(threads) == 1
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    ("diversity", "said"),
    [
        (lambda hits: hits, "returned tuple, expected Refined"),
        (lambda hits: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda hits: Refined.of("x", hits, [*hits, hits[0]]), "or one twice"),
        (
            lambda hits: Refined.of("x", hits, [type(hits[0])(CHUNKS[2], 9.0, 1)]),
            "returned a hit that it was not given",
        ),
    ],
)
def test_a_diversity_that_fails_leaves_the_order(diversity, said):
    result = Rag(BM25Retriever(CHUNKS), diversity=diversity).search("cancel")
    assert ids(result) == ["a", "b"]
    assert result.degraded
    assert result.notes[-1].startswith("diversify: the hits are in the order they had: ")
    assert said in result.notes[-1]


def test_a_context_is_made_outside_of_the_loop():
    made = []

    def template(query, citations):
        made.append(threading.current_thread())
        return "text"

    rag = Rag(BM25Retriever(CHUNKS), context=ContextBuilder(template=template))
    asyncio.run(rag.asearch("cancel"))
    assert threading.main_thread() not in made
