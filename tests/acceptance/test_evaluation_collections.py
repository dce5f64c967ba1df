"""Real topics, judgments and runs, against trec_eval as another library calls it."""

import gzip
import json
import os
from pathlib import Path

import pytest

from plait.evaluation import evaluate, read_qrels, read_topics, write_run
from plait.lexical import BM25Retriever
from plait.text import Analyzer
from plait.types import Chunk

pytrec_eval = pytest.importorskip("pytrec_eval")
DATA = Path(os.environ.get("PLAIT_DATA", ""))
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        "PLAIT_DATA" not in os.environ, reason="PLAIT_DATA does not name the collections"
    ),
]


def test_topics_and_judgments_of_every_collection_agree() -> None:
    folders = [path.parent for path in sorted(DATA.glob("*/qrels.tsv"))]
    assert folders
    for folder in folders:
        topics = read_topics(folder / "queries.jsonl.gz")
        assert set(topics) == set(read_qrels(folder / "qrels.tsv")), folder


def test_bm25_over_cranfield_as_trec_eval_measures_its_run(tmp_path: Path) -> None:
    with gzip.open(DATA / "cranfield" / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        entries = [json.loads(line) for line in file]
    chunks = [Chunk(entry["text"], id=entry["_id"], title=entry["title"]) for entry in entries]
    retriever = BM25Retriever(chunks, analyzer=Analyzer(language="en"))
    topics = read_topics(DATA / "cranfield" / "queries.jsonl.gz")
    qrels = read_qrels(DATA / "cranfield" / "qrels.tsv")
    found = evaluate(retriever, topics, qrels, measures=["nDCG@10", "AP", "R@100"])
    write_run(found.run, tmp_path / "run")
    with (tmp_path / "run").open() as file:
        run = pytrec_eval.parse_run(file)
    plain = {topic: dict(grades) for topic, grades in qrels.items()}
    names = {"nDCG@10": "ndcg_cut_10", "AP": "map", "R@100": "recall_100"}
    oracle = pytrec_eval.RelevanceEvaluator(plain, set(names.values())).evaluate(run)
    for ours, theirs in names.items():
        total = sum(values[theirs] for values in oracle.values())
        assert found.means[ours].mean == pytest.approx(total / len(qrels))
    assert 0.35 < found.means["nDCG@10"].mean < 0.45
