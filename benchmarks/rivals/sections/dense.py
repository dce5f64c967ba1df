"""The nearest vectors: recall, time of a query on one core, time from vectors to an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rivals import making
from rivals.corpus import Corpus, number_of
from rivals.options import Options
from rivals.running import CORES, Answer, Study, Worker, built, spread_of_turns, take_turns
from rivals.truth import recall

RIVALS = ("faiss flat", "faiss SQ8", "faiss HNSW", "usearch HNSW")
GRAPHS = ("faiss HNSW", "usearch HNSW")
SIZES = (1_000_000,)
DEPTHS = (10, 200)
EFFORTS = (32, 64, 128, 256, 512, 1024, 2048)
TRIED = 50  # queries by which the effort of a graph is chosen; the others are measured
WANTED = 0.99
BOTH = "plait, both cores"


def run(study: Study, options: Options) -> dict[str, Any]:
    """Rows of the enlarged vectors, and what plait finds in each real set."""
    if options.vectors is None:
        raise ValueError("dense needs --vectors, a folder of real vectors")
    rows, facts = [], {}
    for size in options.sizes(SIZES):
        corpus = making.with_vectors(study.work, size, options.vectors, options.model)
        facts[corpus.folder.name] = making.facts_of(corpus)
        rows += _rows(study, corpus)
    sets = making.vector_sets(study.work, options.vectors, options.model)
    return {"rows": rows, "facts": facts, "sets": [_of_set(study, each) for each in sets.values()]}


def _rows(study: Study, corpus: Corpus) -> list[dict[str, Any]]:
    building = {"plait": study.stored("plait", corpus)}
    with (
        study.workers(RIVALS, corpus) as workers,
        study.opened("plait", corpus) as plait,
        study.opened("plait", corpus) as both,
    ):
        for name, worker in workers.items():
            building[name] = built(worker)
        workers["plait"] = plait
        for worker in workers.values():
            worker.call("pin")
        workers[BOTH] = both
        return [
            {
                "corpus": corpus.folder.name,
                "documents": corpus.size,
                "end": "ids",
                "top_k": top_k,
                "systems": _measured(study, corpus, workers, top_k),
                "building": building,
            }
            for top_k in DEPTHS
        ]


def _measured(
    study: Study, corpus: Corpus, workers: dict[str, Worker], top_k: int
) -> dict[str, Any]:
    efforts = {
        name: _effort(worker, corpus, top_k) for name, worker in workers.items() if name in GRAPHS
    }
    asks = {
        name: lambda number, worker=worker: worker.call("ids", number, top_k=top_k, **_only(worker))
        for name, worker in workers.items()
    }
    answers = take_turns(asks, study, start=TRIED)
    return {
        name: spread_of_turns(given)
        | {"recall": _recall(given, corpus, top_k, start=TRIED)}
        | ({"effort": efforts[name]} if name in efforts else {})
        for name, given in answers.items()
    }


def _effort(worker: Worker, corpus: Corpus, top_k: int) -> int:
    """The smallest effort of a graph that finds what is wanted, the largest if none does."""
    for effort in EFFORTS:
        if effort >= top_k:
            worker.call("try_harder", effort=effort)
            answers = [worker.call("ids", number, top_k=top_k) for number in range(TRIED)]
            if _recall(answers, corpus, top_k) >= WANTED:
                break
    return effort


def _only(worker: Worker) -> dict[str, Any]:
    return {"leg": "dense"} if worker.name == "plait" else {}


def _recall(answers: Sequence[Answer], corpus: Corpus, top_k: int, *, start: int = 0) -> float:
    best, scores = making.nearest_of(corpus)
    shares = []
    for number, answer in enumerate(answers, start):
        query = number % len(best)
        found = [number_of(each) for each in answer.value[0]]
        shares.append(recall(found, best[query].tolist(), scores[query].tolist(), top_k))
    return round(float(np.mean(shares)), 4)


def _of_set(study: Study, corpus: Corpus) -> dict[str, Any]:
    """What plait finds in a real set, by all of its queries."""
    worker = study.worker("plait", corpus, threads=CORES)
    try:
        worker.call("build")
        queries = range(min(len(corpus.query_vectors), making.ASKED))
        found = {}
        for top_k in DEPTHS:
            answers = [worker.call("ids", each, top_k=top_k, leg="dense") for each in queries]
            found[f"recall@{top_k}"] = _recall(answers, corpus, top_k)
    finally:
        worker.close()
    return {"set": corpus.folder.name, "documents": corpus.size, **found}
