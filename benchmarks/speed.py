"""BM25 beside bm25s, fusing beside ranx, running legs beside a bare thread pool.

    python benchmarks/speed.py

Each pair takes turns in one process, so that a slow moment of the machine meets both; what counts
is the ratio of the medians. Every comparison first checks that both sides found the same.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
from corpora import zipf_documents, zipf_queries
from machine import machine
from ranx import Run
from ranx import fuse as ranx_fuse

from plait import BM25Retriever, Chunk, HybridRetriever, Query, Ranking, Rrf, Rsf, fuse

HERE = Path(__file__).parent


def medians(repeats: int, *sides: Callable[[int], Any]) -> list[float]:
    """Median milliseconds of each side, called in turns with the number of the round."""
    times: list[list[float]] = [[] for _ in sides]
    for number in range(repeats):
        for side, spent in zip(sides, times, strict=True):
            started = time.perf_counter()
            side(number)
            spent.append((time.perf_counter() - started) * 1000)
    return [statistics.median(spent) for spent in times]


def beside(plait_ms: float, rival_ms: float, rival: str) -> dict[str, Any]:
    return {
        "plait_ms": round(plait_ms, 4),
        "rival": rival,
        "rival_ms": round(rival_ms, 4),
        "ratio": round(plait_ms / rival_ms, 3),
    }


def lexical(documents: int, repeats: int) -> dict[str, Any]:
    """Five terms over the corpus: ids and scores of the best ten, from the query string."""
    corpus = list(zipf_documents(documents))
    queries = zipf_queries(repeats)

    started = time.perf_counter()
    ours = BM25Retriever(
        [Chunk(" ".join(words), id=f"{n:07}") for n, words in enumerate(corpus)],
        tokenizer="whitespace",
    )
    ours_build = time.perf_counter() - started
    started = time.perf_counter()
    theirs = bm25s.BM25(k1=1.5, b=0.75, method="lucene")
    theirs.index(corpus, show_progress=False)
    theirs_build = time.perf_counter() - started

    def ask_ours(number: int) -> Any:
        return ours.rank(Query(queries[number]), top_k=10, filter=None)

    def ask_theirs(number: int) -> Any:
        return theirs.retrieve([queries[number].split()], k=10, show_progress=False)

    for number in range(min(repeats, 20)):
        scores = [hit.score for hit in ours.retrieve(queries[number], top_k=10)]
        expected = ask_theirs(number).scores[0][: len(scores)]
        np.testing.assert_allclose(scores, expected, rtol=1e-4)
    ours_ms, theirs_ms = medians(repeats, ask_ours, ask_theirs)
    return {
        "documents": documents,
        "query": beside(ours_ms, theirs_ms, "bm25s, NumPy"),
        "build": beside(ours_build * 1000, theirs_build * 1000, "bm25s, NumPy, tokens given"),
    }


def fusing(hits: int, repeats: int) -> dict[str, Any]:
    """Two rankings of so many hits: fuse them and explain the top 10."""
    rankings = [_ranking(name, hits, seed) for seed, name in enumerate(("dense", "bm25"))]
    runs = [Run({"q": dict(zip(r.ids, r.scores, strict=True))}) for r in rankings]
    found = {}
    for name, fusion, theirs in (("rrf", Rrf(), "rrf"), ("rsf", Rsf(), "sum")):
        norm = None if theirs == "rrf" else "min-max"

        def ours(_: int, fusion: Any = fusion) -> Any:
            return fuse(rankings, fusion, [1.0, 1.0]).hits(0, 10)

        def rival(_: int, method: str = theirs, norm: str | None = norm) -> Any:
            return ranx_fuse(runs, norm=norm, method=method)

        expected = sorted(rival(0)["q"].values(), reverse=True)[:10]
        np.testing.assert_allclose([hit.score for hit in ours(0)], expected, rtol=1e-9)
        found[name] = beside(*medians(repeats, ours, rival), "ranx, one query, not explained")
    return {"hits": hits, **found}


def _ranking(leg: str, hits: int, seed: int) -> Ranking:
    draw = np.random.default_rng(seed)
    ids = tuple(f"d{number}" for number in draw.choice(5 * hits, hits, replace=False).tolist())
    scores = tuple(sorted(draw.random(hits).tolist(), reverse=True))
    return Ranking(leg, ids, scores, tuple(Chunk("text", id=name) for name in ids))


def overhead(repeats: int) -> dict[str, Any]:
    """A hybrid of two legs that find nothing, beside two empty calls of a thread pool."""
    hybrid = HybridRetriever({"a": lambda _: [], "b": lambda _: []})
    pool = ThreadPoolExecutor(2)

    def bare(_: int) -> None:
        for future in [pool.submit(list), pool.submit(list)]:
            future.result()

    ours_ms, bare_ms = medians(repeats, lambda _: hybrid.retrieve("q"), bare)
    return beside(ours_ms, bare_ms, "ThreadPoolExecutor, two empty calls, nothing else")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    result = {
        "machine": machine("bm25s", "ranx"),
        "lexical": lexical(given.documents, given.repeats),
        "fusing": [fusing(hits, given.repeats) for hits in (100, 200)],
        "overhead": overhead(given.repeats * 5),
    }
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / "speed.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(path, json.dumps(result))


if __name__ == "__main__":
    main()
