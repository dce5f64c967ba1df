"""Five words over the corpus: ids and scores, and contents; one core."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rivals import making
from rivals.corpus import Corpus, number_of
from rivals.options import Options
from rivals.running import CORES, Answer, Study, Worker, built, spread_of_turns, take_turns
from rivals.truth import recall

SYSTEMS = ("plait", "bm25s", "bm25s, numba", "tantivy", "SQLite FTS5")
SAME_METHOD = ("plait", "bm25s", "bm25s, numba")
SIZES = (100_000, 1_000_000)
SCORES_AGREE = 1e-4  # relative: bm25s adds in float32


def run(study: Study, options: Options) -> dict[str, Any]:
    """Rows of the seeded corpora and of the real collections."""
    corpora = [making.zipf(study.work, size) for size in options.sizes(SIZES)]
    if options.data is not None:
        corpora += [making.real(study.work, options.data, name) for name in options.collections]
    return {"rows": [row for corpus in corpora for row in _rows(study, corpus)]}


def _rows(study: Study, corpus: Corpus) -> Iterator[dict[str, Any]]:
    with study.workers(SYSTEMS, corpus) as workers:
        with ThreadPoolExecutor(CORES) as pool:  # how long that takes is another section
            list(pool.map(lambda worker: built(worker, **_only(worker)), workers.values()))
        for worker in workers.values():
            worker.call("pin")
        for end, top_k in (("ids", 10), ("ids", 200), ("contents", 10)):
            asks = {
                name: lambda number, worker=worker, end=end, top_k=top_k: worker.call(
                    end, number, top_k=top_k, **_only(worker)
                )
                for name, worker in workers.items()
            }
            if end == "ids" and "tantivy" in workers:
                asks["tantivy, counting"] = lambda number, top_k=top_k: workers["tantivy"].call(
                    "ids", number, top_k=top_k, count=True
                )
            answers = take_turns(asks, study)
            yield {
                "corpus": corpus.folder.name,
                "documents": corpus.size,
                "end": end,
                "top_k": top_k,
                "systems": {
                    name: spread_of_turns(given)
                    | (_agreement(name, given, corpus, top_k) if end == "ids" else {})
                    for name, given in answers.items()
                },
            }


def _only(worker: Worker) -> dict[str, Any]:
    return {"leg": "bm25"} if worker.name == "plait" else {}


def _agreement(name: str, answers: list[Answer], corpus: Corpus, top_k: int) -> dict[str, float]:
    """Share of the exact best that was found; where the method is the same, scores must agree.

    Raises:
        ValueError: They do not.
    """
    best, scores = making.best_of(corpus)
    shares = []
    for number, answer in enumerate(answers):
        query = number % len(best)
        ids, given = answer.value
        if name in SAME_METHOD:
            exact = scores[query][:top_k]
            found = np.array(given)[: len(exact)]
            if len(found) != len(exact) or not np.allclose(found, exact, rtol=SCORES_AGREE):
                raise ValueError(
                    f"{name} gives query {query} of {corpus.folder.name} the scores "
                    f"{found[:5]}, exact are {exact[:5]}"
                )
        numbers = [number_of(each) for each in ids]
        shares.append(recall(numbers, best[query].tolist(), scores[query].tolist(), top_k))
    return {"recall": round(float(np.mean(shares)), 4)}
