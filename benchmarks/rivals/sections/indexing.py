"""From texts to the first answer, with all cores: seconds, documents a second, memory."""

from __future__ import annotations

import statistics
from typing import Any

from rivals import making
from rivals.corpus import Corpus
from rivals.options import Options
from rivals.running import CORES, Study, built

SYSTEMS = ("plait", "plait, default analyzer", "bm25s", "tantivy")
SIZES = (100_000, 1_000_000)
ONCE = 500_000  # documents from which on it is measured once
REPEATS = 3


def run(study: Study, options: Options) -> dict[str, Any]:
    """A row for each corpus; the real collections are indexed as they are where it can be."""
    corpora = [making.zipf(study.work, size) for size in options.sizes(SIZES)]
    if options.data is not None:
        corpora += [making.real(study.work, options.data, name) for name in options.collections]
    return {"rows": [_row(study, corpus) for corpus in corpora]}


def _row(study: Study, corpus: Corpus) -> dict[str, Any]:
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in study.available(SYSTEMS)}
    for _ in range(1 if corpus.size >= ONCE else REPEATS):
        for name, builds in found.items():
            worker = study.worker(name, corpus, threads=CORES)
            try:
                builds.append(built(worker))
            finally:
                worker.close()
    return {
        "corpus": corpus.folder.name,
        "documents": corpus.size,
        "end": "first answer",
        "systems": {name: _summary(builds, corpus.size) for name, builds in found.items()},
    }


def _summary(builds: list[dict[str, Any]], documents: int) -> dict[str, Any]:
    seconds = sorted(build["first_answer_s"] for build in builds)
    median = statistics.median(seconds)
    return {
        "seconds": median,
        "range_s": [seconds[0], seconds[-1]],
        "documents_per_s": round(documents / max(median, 0.01)),
        "peak_mb": max(build.get("peak_mb", 0) for build in builds),
    }
