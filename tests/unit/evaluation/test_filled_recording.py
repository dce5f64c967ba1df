"""A recording with the scores of each other's hits fuses as a hybrid that fills."""

from pathlib import Path
from typing import Any

import pytest

from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.errors import ConfigurationError
from plait.evaluation import Qrels, Recording, Topics, evaluate, record
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.types import Chunk

TOPICS = Topics({"1": "red apple", "2": "pie", "3": "nothing of it"})
WORDS = ["red", "apple", "pie", "sky", "car", "blue", "green", "chart"]
TEXTS = [
    f"{WORDS[n % 8]} {WORDS[n * 3 % 8]} {WORDS[(n * n + 1) % 8]} {'apple ' * (n % 3)}"
    for n in range(24)
]
FUSIONS = ("rrf(k=1)", "rsf()", "dbsf()", "zscore()", "convex()", "auto()", "borda()")


def two_legs(**options: Any) -> HybridRetriever:
    chunks = [Chunk(text, id=f"c{n}", document_id=f"d{n // 2}") for n, text in enumerate(TEXTS)]
    return HybridRetriever(
        [DenseRetriever(chunks, embedder=HashEmbedder(dim=16)), BM25Retriever(chunks)], **options
    )


@pytest.mark.parametrize("fusion", FUSIONS)
@pytest.mark.parametrize("window", [1, 4, 8])
@pytest.mark.parametrize("weights", [None, {"dense": 0.3, "bm25": 0.7}, {"dense": 0.0}])
def test_it_is_what_the_hybrid_returns(fusion: str, window: int, weights: Any) -> None:
    recording = record(two_legs(), TOPICS, fetch_k=8, by="chunk", fill=True)
    for fill in (True, False):
        run = recording.fused(fusion, weights, window=window, fill=fill)
        hybrid = two_legs(fusion=fusion, weights=weights, fetch_k=window, fill=fill)
        for topic, query in TOPICS.items():
            hits = hybrid.retrieve(query, top_k=window)
            assert [(hit.id, hit.score) for hit in hits] == list(run.rankings[topic])[: len(hits)]


def test_legs_and_their_rankings_are_those_without_filling() -> None:
    plain = record(two_legs(), TOPICS, fetch_k=3)
    filled = record(two_legs(), TOPICS, fetch_k=3, fill=True)
    assert plain.rankings == filled.rankings
    assert plain.leg("bm25") == filled.leg("bm25")
    assert not plain.filled
    assert [len(ranking) for ranking in filled.filled["2"]] > [3, 3]


def test_a_file_keeps_it(tmp_path: Path) -> None:
    recording = record(two_legs(), TOPICS, fetch_k=3, fill=True)
    recording.save(tmp_path / "legs")
    read = Recording.load(tmp_path / "legs")
    assert read == recording
    assert read.fused("rsf()", fill=True) == recording.fused("rsf()", fill=True)


def test_what_was_not_recorded_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="record with fill=True"):
        record(two_legs(), TOPICS).fused("rsf()", fill=True)


def test_the_name_says_it() -> None:
    recording = record(two_legs(), TOPICS, fetch_k=3, fill=True)
    assert recording.fused("rsf()", fill=True).name == "rsf(); filled"


def test_evaluating_a_hybrid_that_fills_measures_what_it_returns() -> None:
    qrels = Qrels({"1": {"d2": 1, "d4": 1}, "2": {"d1": 1}, "3": {"d0": 1}})
    hybrid = two_legs(fusion="rsf()", fetch_k=24, fill=True)
    recording = record(hybrid, TOPICS, fetch_k=24, fill=True)
    found = evaluate(hybrid, TOPICS, qrels, measures=["RR@10"], top_k=10)
    fused = recording.fused("rsf()", top_k=10, fill=True)
    assert found.run.rankings["1"] == fused.rankings["1"]
