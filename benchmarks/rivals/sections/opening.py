"""A new process opens what is stored and answers; then its memory after many queries."""

from __future__ import annotations

from typing import Any

from rivals import making
from rivals.corpus import Corpus
from rivals.options import Options
from rivals.running import CORES, Answer, Study, spread

SIZES = (100_000, 1_000_000)
RIVALS = ("bm25s", "tantivy", "SQLite FTS5")  # by words alone
OPENINGS = 5
QUERIES = 1000


def run(study: Study, options: Options) -> dict[str, Any]:
    """A row for each size of the corpus: plait with words and vectors, the others with words."""
    if options.vectors is None:
        raise ValueError("opening needs --vectors, a folder of real vectors")
    rows = []
    for size in options.sizes(SIZES):
        corpus = making.with_vectors(study.work, size, options.vectors, options.model)
        names = study.available(("plait", *RIVALS))
        for name in names:
            study.stored(name, corpus, **_settings(name))
        rows.append(
            {
                "corpus": corpus.folder.name,
                "documents": size,
                "end": "first answer",
                "systems": _measured(study, corpus, names),
            }
        )
    return {"rows": rows, "queries": _queries(study)}


def _measured(study: Study, corpus: Corpus, names: list[str]) -> dict[str, Any]:
    answers: dict[str, list[Answer]] = {name: [] for name in names}
    imports: dict[str, list[Answer]] = {name: [] for name in names}
    systems: dict[str, Any] = {}
    for turn in range(min(OPENINGS, study.rounds)):
        for name in names:
            worker = study.worker(name, corpus, threads=CORES, fresh=False, **_settings(name))
            try:
                took = worker.call("open").ms + worker.call("ids", turn, top_k=10).ms
                answers[name].append(Answer(took, None))
                imports[name].append(worker.importing)
                if not turn:
                    for number in range(_queries(study)):
                        worker.call("ids", number, top_k=10)
                    systems[name] = worker.call("memory").value
            finally:
                worker.close()
    for name in names:
        systems[name] |= spread(answers[name])
        systems[name]["import_ms"] = spread(imports[name])["median_ms"]
    return systems


def _queries(study: Study) -> int:
    return min(QUERIES, 5 * study.rounds)


def _settings(name: str) -> dict[str, Any]:
    return {"save": True} if name == "bm25s" else {}
