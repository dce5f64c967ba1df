"""On real collections: weights that no judgment took part in, measured by judgments."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import plait
from plait.evaluation import Topics, read_qrels, read_topics, record, score_run, tune_self

pytestmark = [
    pytest.mark.data,
    pytest.mark.model,
    pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no collections"),
]


def measured(name: str, folder: Path, *, log: bool = False) -> dict[str, float]:
    """nDCG@10 by judgments: of the tuned weights, of RRF, and of each leg alone."""
    data = Path(os.environ["PLAIT_DATA"]) / name
    topics = Topics(dict(list(read_topics(data / "queries.jsonl.gz").items())[:150]))
    qrels = read_qrels(data / "qrels.tsv")
    with plait.open(folder, embedder="static", analyzer=plait.Analyzer(language="en")) as kb:
        kb.add_files(data / "corpus.jsonl.gz")
        tuning = tune_self(kb, queries=topics if log else None).tuning
        assert tuning is not None
        recording = record(kb, topics)
    runs = {
        "tuned": recording.fused(tuning.fusion, tuning.weights),
        "rrf": recording.fused("rrf(k=60)"),
        "dense": recording.leg("dense"),
        "bm25": recording.leg("bm25"),
    }
    return {
        name: score_run(run, qrels, ["nDCG@10"], topics=topics).means["nDCG@10"].mean
        for name, run in runs.items()
    }


def test_exact_error_codes_that_only_words_find(tmp_path: Path) -> None:
    found = measured("error-codes-id", tmp_path)
    assert found["bm25"] > 0.95
    assert found["tuned"] > found["bm25"] - 0.02
    assert found["tuned"] > found["rrf"] + 0.5


@pytest.mark.parametrize("log", [False, True])
def test_questions_to_passages_where_both_legs_are_of_use(tmp_path: Path, log: bool) -> None:
    found = measured("cranfield", tmp_path, log=log)
    assert found["tuned"] > max(found["bm25"], found["dense"])
    assert found["tuned"] > found["rrf"] - 0.01
