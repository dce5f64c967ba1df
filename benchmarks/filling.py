"""What filling is worth: each leg scores the hits that only the other leg returned.

python benchmarks/filling.py --data DIR --vectors DIR
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fusion_study.inputs import Collection, read_collection
from fusion_study.vectors import Remembering, Shelf

import plait
from plait.evaluation import Recording, compare, record, score_run
from plait.text import Analyzer, guess_language

RESULTS = Path(__file__).resolve().parent / "results"
COLLECTIONS = ("cranfield", "legalbenchrag-small", "npl-vaswani", "scifact")
WINDOWS = (50, 200)
MEASURES = ("nDCG@10", "R@100")
PRIOR = {"dense": 0.3, "bm25": 0.7}
METHODS: Sequence[tuple[str, Mapping[str, float] | None]] = (
    ("rrf(k=60)", None),
    ("rrf(k=60)", PRIOR),
    ("rsf()", None),
    ("rsf()", PRIOR),
    ("auto()", PRIOR),
    ("dbsf()", PRIOR),
    ('zscore(absent="min")', PRIOR),
)


def run_legs(collection: Collection, embedder: Remembering) -> Recording:
    """The default settings but for the language; the legs score each other's hits too."""
    analyzer = Analyzer(language=guess_language(chunk.index_text for chunk in collection.chunks))
    with (
        tempfile.TemporaryDirectory() as folder,
        plait.open(folder, embedder=embedder, analyzer=analyzer) as kb,
    ):
        kb.add(collection.chunks)
        return record(kb, collection.topics, fetch_k=max(WINDOWS), fill=True)


def rows(collection: Collection, recording: Recording) -> Iterator[dict[str, Any]]:
    """Each method and window without filling and with it, and whether the difference is real."""
    for (method, weights), window in product(METHODS, WINDOWS):
        runs = [
            recording.fused(method, weights, window=window, fill=fill, name=name)
            for name, fill in (("plain", False), ("filled", True))
        ]
        found = [
            score_run(run, collection.qrels, MEASURES, topics=recording.topics) for run in runs
        ]
        compared = compare(found, measure=MEASURES)
        row = {
            "collection": collection.name,
            "topics": len(recording.topics),
            "method": method,
            "weights": "equal" if weights is None else "dense .3",
            "window": window,
        }
        for measure in MEASURES:
            difference = compared.difference("filled", measure)
            row[measure] = {
                "plain": found[0].means[measure].mean,
                "filled": found[1].means[measure].mean,
                "low": difference.estimate.low,
                "high": difference.estimate.high,
                "p": difference.p,
            }
        yield row


def show(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A Markdown table: means over the collections, and on how many filling wins."""
    yield (
        "| method | weights | window | "
        + " | ".join(f"{measure} | filled | better, worse (p < .05)" for measure in MEASURES)
        + " |"
    )
    yield "|---|---|---|" + "---|---|---|" * len(MEASURES)
    keys = dict.fromkeys((row["method"], row["weights"], row["window"]) for row in found)
    for key in keys:
        of = [row for row in found if (row["method"], row["weights"], row["window"]) == key]
        cells = []
        for measure in MEASURES:
            plain, filled = (
                sum(row[measure][what] for row in of) / len(of) for what in ("plain", "filled")
            )
            sure = [row[measure] for row in of if row[measure]["p"] < 0.05]
            wins = sum(each["filled"] > each["plain"] for each in sure)
            cells += [f"{plain:.4f}", f"{filled:.4f}", f"{wins}, {len(sure) - wins} of {len(of)}"]
        yield f"| `{key[0]}` | {key[1]} | {key[2]} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("PLAIT_DATA"))
    parser.add_argument("--vectors", type=Path, nargs="*", default=[], help="ready vectors")
    parser.add_argument("--embedder", default="minilm-fp32")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "filling")
    parser.add_argument("--collections", nargs="*", default=COLLECTIONS)
    parser.add_argument("--queries", type=int, default=600, help="at most so many a collection")
    given = parser.parse_args()
    shelf = Shelf(given.vectors, given.cache)
    found = []
    for name in given.collections:
        collection = read_collection(given.data / name, given.queries, seed=0)
        embedder = shelf.embedder(collection, given.embedder)
        found += rows(collection, run_legs(collection, embedder))
        print(f"{name}: {len(collection.chunks):,} documents", file=sys.stderr)
    (given.results / "filling.json").write_text(
        json.dumps(found, indent=1) + "\n", encoding="utf-8"
    )
    print("\n".join(show(found)))


if __name__ == "__main__":
    main()
