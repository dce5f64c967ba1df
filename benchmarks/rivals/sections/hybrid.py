"""Words and vectors, fused: ten hits, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rivals import making
from rivals.corpus import Corpus, number_of
from rivals.options import Options
from rivals.running import CORES, Answer, Study, Worker, built, spread_of_turns, take_turns
from rivals.truth import FusedTruth, recall

SIZES = (20_000, 100_000, 1_000_000)
PLAIT = "plait"
WINDOW = making.DEPTH
TRIED = 50  # queries
TOP_K = 10
FRAMEWORKS = ("LangChain", "LlamaIndex", "LlamaIndex, NumPy vectors", "Haystack")
DATABASES = ("LanceDB", "LanceDB, IVF_PQ", "Qdrant Edge", "Qdrant Edge, HNSW")
EFFORTS = {  # lists that are looked into, candidates in the graph
    "LanceDB, IVF_PQ": (20, 50, 100, 200, 316),
    "Qdrant Edge, HNSW": (200, 300, 400, 600, 800),
}
WANTED = 0.99  # recall of the dense leg, for which the least effort is chosen
FRAMEWORKS_TO, DATABASES_TO = 20_000, 100_000  # documents; beyond, a query of them takes too long


def run(study: Study, options: Options) -> dict[str, Any]:
    """A row for each size of the corpus and each end point."""
    if options.vectors is None:
        raise ValueError("hybrid needs --vectors, a folder of real vectors")
    rows = []
    for size in options.sizes(SIZES):
        corpus = making.with_vectors(study.work, size, options.vectors, options.model)
        rows += _rows(study, corpus, _rivals(size))
    return {"rows": rows}


def _rivals(size: int) -> tuple[str, ...]:
    if size <= FRAMEWORKS_TO:
        return FRAMEWORKS + DATABASES * (size < FRAMEWORKS_TO)
    return DATABASES if size <= DATABASES_TO else ()


def _rows(study: Study, corpus: Corpus, rivals: tuple[str, ...]) -> list[dict[str, Any]]:
    study.stored(PLAIT, corpus)
    with (
        study.workers(rivals, corpus, threads=CORES) as workers,
        study.opened(PLAIT, corpus, threads=CORES) as plait,
    ):
        for worker in workers.values():
            built(worker)
        workers[PLAIT] = plait
        return [_ids(study, corpus, workers), _contents(study, corpus, workers)]


def _ids(study: Study, corpus: Corpus, workers: dict[str, Worker]) -> dict[str, Any]:
    dense = {
        name: _settle(worker, corpus)
        for name, worker in workers.items()
        if name in (PLAIT, *DATABASES)
    }
    asks = {name: _asking(worker, "ids", top_k=TOP_K) for name, worker in workers.items()}
    # Of other queries: what a process has looked at for one it need not check for the next.
    legs = {
        f"plait, {leg} alone": _asking(
            workers[PLAIT], "ids", ahead=making.ASKED // 2, top_k=WINDOW, leg=leg
        )
        for leg in ("bm25", "dense")
    }
    answers = take_turns(asks | legs, study)
    systems = {
        name: spread_of_turns(given) | dense.get(name, {}) for name, given in answers.items()
    }
    for name in asks:
        systems[name]["recall"] = _recall(answers[name], corpus)
    return _row(corpus, "ids", systems)


def _settle(worker: Worker, corpus: Corpus) -> dict[str, Any]:
    """Recall of the dense leg as deep as the fusion looks, with the least effort that will do."""
    efforts = EFFORTS.get(worker.name)
    if efforts is None:
        return {"dense_recall": _dense_recall(worker, corpus)}
    for effort in efforts:
        worker.call("try_harder", effort=effort)
        found = _dense_recall(worker, corpus)
        if found >= WANTED:
            break
    return {"dense_recall": found, "effort": effort}


def _dense_recall(worker: Worker, corpus: Corpus) -> float:
    nearest, closeness = making.nearest_of(corpus)
    shares = []
    for number in range(min(TRIED, len(nearest))):
        ids = worker.call("ids", number, top_k=WINDOW, leg="dense").value[0]
        found = [number_of(each) for each in ids]
        best = nearest[number].tolist(), closeness[number].tolist()
        shares.append(recall(found, *best, WINDOW))
    return round(float(np.mean(shares)), 4)


def _recall(answers: list[Answer], corpus: Corpus) -> float:
    """Beside the exact fusion of exact legs."""
    nearest, closeness = making.nearest_of(corpus)
    best, scores = making.best_of(corpus)
    shares = []
    for number, answer in enumerate(answers):
        by_words, by_vector = number % len(best), number % len(nearest)
        legs = (
            (best[by_words].tolist(), scores[by_words].tolist()),
            (nearest[by_vector].tolist(), closeness[by_vector].tolist()),
        )
        found = [number_of(each) for each in answer.value[0]]
        shares.append(FusedTruth(legs, window=WINDOW).recall(found, TOP_K))
    return round(float(np.mean(shares)), 4)


def _contents(study: Study, corpus: Corpus, workers: dict[str, Worker]) -> dict[str, Any]:
    asks = {name: _asking(worker, "contents", top_k=TOP_K) for name, worker in workers.items()}
    asks["plait, snippets too"] = _asking(workers[PLAIT], "search", top_k=TOP_K)
    answers = take_turns(asks, study)
    return _row(
        corpus, "contents", {name: spread_of_turns(given) for name, given in answers.items()}
    )


def _asking(worker: Worker, end: str, *, ahead: int = 0, **given: Any) -> Callable[[int], Answer]:
    return lambda number: worker.call(end, number + ahead, **given)


def _row(corpus: Corpus, end: str, systems: dict[str, Any]) -> dict[str, Any]:
    return {
        "corpus": corpus.folder.name,
        "documents": corpus.size,
        "end": end,
        "top_k": TOP_K,
        "systems": systems,
    }
