"""Index a collection in BEIR's shape with the command line, answer its queries, measure both.

    python benchmarks/quality.py --data DIR --collection cranfield --embedder minilm

Time to index and its peak memory are those of the whole `plait index` process. The queries are
answered in a process of their own. A document's score is that of its best chunk.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import ir_measures
from ir_measures import R, nDCG
from machine import machine

import plait

HERE = Path(__file__).parent
WAYS: dict[str, list[str] | None] = {"bm25": ["bm25"], "dense": ["dense"], "fused": None}
DEPTH = 100
TIMED = 200


def read_lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def index(corpus: Path, place: Path, embedder: str) -> dict[str, Any]:
    """Run `plait index` and measure the whole process."""
    started = time.monotonic()
    options = ["--to", str(place), "--embedder", embedder, "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "plait", "index", str(corpus), *options], stdout=subprocess.PIPE
    )
    said, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"plait index failed with {process.returncode}")
    seconds = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    return {
        "seconds": round(seconds, 2),
        "peak_mb": round(peak),
        "disk_mb": round(size / 2**20, 1),
        **summary(json.loads(said)),
    }


def summary(said: dict[str, Any]) -> dict[str, Any]:
    """What `plait index --json` said, without the places of this machine."""
    settings = ("embedder_identity", "analyzer", "bm25", "metric", "chunking", "fusion", "window")
    return {
        "documents": said["documents"]["added"],
        "skipped": len(said["skipped"]),
        "chunks": said["chunks_written"],
        "settings": {name: said["collection"][name] for name in settings},
    }


def answer(place: Path, data: Path, limit: int) -> dict[str, Any]:
    """Answer the judged queries each way; run in a process of its own."""
    started = time.monotonic()
    with plait.open(place) as kb:
        kb.search("anything")
        opened = time.monotonic() - started
        chunks = kb.count()
        queries, qrels = judged(kb, data, limit)
    ways = {}
    for name, legs in WAYS.items():
        # Opened anew each time: a collection keeps the vectors of recent queries.
        with plait.open(place) as kb:
            kb.search("anything", legs=legs)
            ways[name] = measure(kb, queries, qrels, legs)
    return {
        "queries": len(queries),
        "chunks": chunks,
        "open_and_first_query_seconds": round(opened, 2),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "ways": ways,
    }


def judged(kb: Any, data: Path, limit: int) -> tuple[dict[str, str], dict[str, dict[str, int]]]:
    """The first queries with judgments of documents that are in the collection."""
    qrels = {}
    for query, grades in read_qrels(data / "qrels.tsv").items():
        known = {name: grade for name, grade in grades.items() if kb.get(f"{name}#0")}
        if known:
            qrels[query] = known
    asked = (query for query in read_lines(data / "queries.jsonl.gz") if query["_id"] in qrels)
    return {query["_id"]: query["text"] for query in islice(asked, limit)}, qrels


def measure(
    kb: Any, queries: dict[str, str], qrels: dict[str, dict[str, int]], legs: list[str] | None
) -> dict[str, float]:
    times = []
    for text in islice(queries.values(), TIMED):
        started = time.perf_counter()
        kb.search(text, top_k=10, legs=legs)
        times.append(time.perf_counter() - started)
    hybrid = kb.retriever()
    run: dict[str, dict[str, float]] = {}
    for query, text in queries.items():
        documents: dict[str, float] = {}
        for hit in hybrid.retrieve(text, top_k=DEPTH, legs=legs):
            documents.setdefault(hit.chunk.document_id, -float(hit.rank))
        run[query] = documents
    asked = {query: qrels[query] for query in queries}
    figures = ir_measures.calc_aggregate([nDCG @ 10, R @ 100], asked, run)
    return {
        "nDCG@10": round(figures[nDCG @ 10], 4),
        "R@100": round(figures[R @ 100], 4),
        "median_ms": round(statistics.median(times) * 1000, 2),
    }


def first_documents(data: Path, count: int, place: Path) -> Path:
    """A corpus cut to its first documents."""
    corpus = place / "corpus.jsonl"
    with corpus.open("w", encoding="utf-8") as file:
        for document in islice(read_lines(data / "corpus.jsonl.gz"), count):
            file.write(json.dumps(document) + "\n")
    return corpus


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PLAIT_DATA"))
    parser.add_argument("--collection", required=True)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--documents", type=int, help="only the first so many documents")
    parser.add_argument("--queries", type=int, default=1000, help="at most so many queries")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    data = given.data / given.collection
    if given.answer:
        print(json.dumps(answer(given.answer, data, given.queries)))
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "index"
        corpus = data / "corpus.jsonl.gz"
        if given.documents:
            corpus = first_documents(data, given.documents, Path(folder))
        indexed = index(corpus, place, given.embedder)
        command = [sys.executable, __file__, "--data", str(given.data), "--answer", str(place)]
        command += ["--collection", given.collection, "--queries", str(given.queries)]
        answered = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    name = f"{given.collection}-{given.embedder}" + (
        f"-{given.documents}" if given.documents else ""
    )
    result = {
        "collection": given.collection,
        "documents": given.documents,
        "embedder": given.embedder,
        "machine": machine("onnxruntime", "tokenizers"),
        "index": indexed,
        "answer": answered,
    }
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / f"collection-{name}.json"
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(path, json.dumps(answered["ways"]))


if __name__ == "__main__":
    main()
