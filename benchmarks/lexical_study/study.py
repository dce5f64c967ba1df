"""Try BM25's parameters and the analyzer's settings on collections in BEIR's shape.

python benchmarks/lexical_study --data DIR            measure, and write the page
python benchmarks/lexical_study --page [--check]      write the page from the results, or compare
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from machine import machine

from lexical_study.findings import findings
from lexical_study.measuring import measure
from lexical_study.page import page

HERE = Path(__file__).parents[1]
PAGE = HERE.parent / "docs" / "lexical-study.md"


def study(data: Path, queries: int, seed: int, jobs: int) -> dict[str, Any]:
    """All collections in a folder, the largest first, some at a time."""
    corpora = sorted(data.glob("*/corpus.jsonl.gz"), key=lambda path: -path.stat().st_size)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        folders = (corpus.parent for corpus in corpora)
        done = pool.map(partial(measure, limit=queries, seed=seed), folders)
        collections = sorted(done, key=lambda each: each.name)
    return {
        "machine": machine("PyStemmer", "stop-words"),
        "queries": queries,
        "seed": seed,
        **findings(collections),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("PLAIT_DATA"))
    parser.add_argument("--queries", type=int, default=600, help="at most so many a collection")
    parser.add_argument("--seed", type=int, default=0, help="of the sample of queries")
    parser.add_argument("--jobs", type=int, default=2, help="collections at a time")
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--page", action="store_true", help="write the page from the results")
    parser.add_argument("--check", action="store_true", help="fail if the page is another one")
    given = parser.parse_args(arguments)
    path = given.results / "lexical-study.json"
    if not (given.page or given.check):
        if given.data is None:
            parser.error("--data is missing: a folder of collections in BEIR's shape")
        result = study(Path(given.data), given.queries, given.seed, given.jobs)
        given.results.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path)
        return
    text = page(json.loads(path.read_text(encoding="utf-8")))
    if not given.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        raise SystemExit(f"{PAGE} is not what the results say: run lexical_study --page")
