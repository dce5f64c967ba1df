"""Words and vectors, fused: ten hits, on all cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rivals import making
from rivals.corpus import Corpus, number_of
from rivals.options import Options
from rivals.running import CORES, Answer, Study, Worker, built, spread, take_turns
from rivals.truth import FusedTruth, recall

SIZES = (20_000, 100_000, 1_000_000)
WINDOW = making.DEPTH
TOP_K = 10
FRAMEWORKS = ("LangChain", "LlamaIndex", "LlamaIndex, NumPy vectors", "Haystack")
DATABASES = ("LanceDB", "LanceDB, IVF_PQ", "Qdrant Edge")
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
    study.stored("plait", corpus)
    with study.workers(rivals, corpus, threads=CORES) as workers:
        for worker in workers.values():
            built(worker)
        plait = workers["plait"] = study.worker("plait", corpus, threads=CORES, fresh=False)
        try:
            plait.call("open")
            return [_ids(study, corpus, workers), _contents(study, corpus, workers)]
        finally:
            plait.close()


def _ids(study: Study, corpus: Corpus, workers: dict[str, Worker]) -> dict[str, Any]:
    asks = {name: _asking(worker, "ids", top_k=TOP_K) for name, worker in workers.items()}
    legs = {
        f"plait, {leg} alone": _asking(workers["plait"], "ids", top_k=WINDOW, leg=leg)
        for leg in ("bm25", "dense")
    }
    answers = take_turns(asks | legs, study)
    nearest, closeness = making.nearest_of(corpus)
    best, scores = making.best_of(corpus)
    systems = {}
    for name, given in answers.items():
        systems[name] = spread(given)
        if name in asks:
            found = []
            for number, answer in enumerate(given):
                query = number % len(best), number % len(nearest)
                legs_of = (
                    (best[query[0]].tolist(), scores[query[0]].tolist()),
                    (nearest[query[1]].tolist(), closeness[query[1]].tolist()),
                )
                truth = FusedTruth(legs_of, window=WINDOW)
                found.append(truth.recall([number_of(each) for each in answer.value[0]], TOP_K))
            systems[name]["recall"] = round(float(np.mean(found)), 4)
        if name in ("plait", *DATABASES):
            systems[name]["dense_recall"] = _dense_recall(workers[name], nearest)
    return _row(corpus, "ids", systems)


def _dense_recall(worker: Worker, nearest: Any) -> float:
    """Recall of the dense leg alone, as deep as the fusion looks."""
    shares = []
    for number in range(min(50, len(nearest))):
        ids = worker.call("ids", number, top_k=WINDOW, leg="dense").value[0]
        shares.append(recall([number_of(each) for each in ids], nearest[number].tolist(), WINDOW))
    return round(float(np.mean(shares)), 4)


def _contents(study: Study, corpus: Corpus, workers: dict[str, Worker]) -> dict[str, Any]:
    asks = {name: _asking(worker, "contents", top_k=TOP_K) for name, worker in workers.items()}
    asks["plait, snippets too"] = _asking(workers["plait"], "search", top_k=TOP_K)
    answers = take_turns(asks, study)
    return _row(corpus, "contents", {name: spread(given) for name, given in answers.items()})


def _asking(worker: Worker, end: str, **given: Any) -> Callable[[int], Answer]:
    return lambda number: worker.call(end, number, **given)


def _row(corpus: Corpus, end: str, systems: dict[str, Any]) -> dict[str, Any]:
    return {
        "corpus": corpus.folder.name,
        "documents": corpus.size,
        "end": end,
        "top_k": TOP_K,
        "systems": systems,
    }
