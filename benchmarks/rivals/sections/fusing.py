"""Fusion alone: one query explained, and ten thousand at once beside ranx; all cores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rivals.corpus import Corpus
from rivals.options import Options
from rivals.running import CORES, Study, spread, take_turns

HITS = 200
QUERIES = 10_000  # of a batch
METHODS = ("rrf", "min-max")
BATCHES = 5
SYSTEMS = ("plait, fusing", "ranx")


def run(study: Study, options: Options) -> dict[str, Any]:
    """Rows of one query, and of a batch from what each library has and from lists."""
    corpus = Corpus(study.work / "fusing")
    rows = []
    for queries in {min(QUERIES, size) for size in options.sizes((QUERIES,))}:
        with study.workers(SYSTEMS, corpus, threads=CORES, queries=queries, hits=HITS) as workers:
            for worker in workers.values():
                worker.call("build")
            for method in METHODS:
                rows += _rows(study, workers, method, queries)
    return {"rows": rows}


def _rows(study: Study, workers: Any, method: str, queries: int) -> list[dict[str, Any]]:
    plait = workers["plait, fusing"]
    explaining = {"plait, fusing": lambda _: plait.call("explain", method=method)}
    rows = [_row("explain", method, 1, take_turns(explaining, study))]
    few = replace(study, rounds=min(BATCHES, study.rounds))
    for end in ("many", "many_from_lists"):
        asks = {
            name: lambda _, worker=worker, end=end: worker.call(end, method=method)
            for name, worker in workers.items()
        }
        rows.append(_row(end, method, queries, take_turns(asks, few, warming=1)))
        best = [
            [worker.call("best", query=query).value for query in (0, queries - 1)]
            for worker in workers.values()
        ]
        for other in best[1:]:
            np.testing.assert_allclose(best[0], other, rtol=1e-9)
    return rows


def _row(end: str, method: str, queries: int, answers: Any) -> dict[str, Any]:
    return {
        "end": end,
        "method": method,
        "hits": HITS,
        "queries": queries,
        "systems": {name: spread(given) for name, given in answers.items()},
    }
