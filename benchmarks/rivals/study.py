"""The command line: which sections, over what, and where the results go."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from machine import machine

from rivals.options import Options
from rivals.running import Study
from rivals.sections import SECTIONS
from rivals.targets import judged

RESULTS = Path(__file__).parents[1] / "results"


def main(arguments: Sequence[str] | None = None) -> None:
    given = _parser().parse_args(arguments)
    options = Options(
        documents=given.documents and tuple(given.documents),
        data=given.data,
        collections=tuple(given.collections),
        vectors=given.vectors,
        model=given.model,
    )
    given.work.mkdir(parents=True, exist_ok=True)
    given.results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="built-", dir=given.work) as files:
        study = Study(given.work, Path(files), given.environments, given.rounds, given.budget)
        _run(study, options, given.only or SECTIONS, given.results)


def _run(study: Study, options: Options, sections: Iterable[str], results: Path) -> None:
    for name in sections:
        started = time.monotonic()
        study.versions.clear()
        found = SECTIONS[name].run(study, options)
        result = {
            "section": name,
            "machine": machine(),
            "systems": dict(sorted(study.versions.items())),
            "rounds": study.rounds,
            "seconds": round(time.monotonic() - started),
            **found,
            "targets": judged(name, found["rows"]),
        }
        path = results / f"rivals-{name}.json"
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(path, result["seconds"], "seconds")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="sections, all by default")
    parser.add_argument("--work", type=Path, required=True, help="for corpora and indexes; large")
    parser.add_argument("--environments", type=Path, help="of the rivals, made there when missing")
    parser.add_argument("--documents", nargs="+", type=int, help="sizes of the seeded corpus")
    parser.add_argument("--rounds", type=int, default=200, help="queries that each system is asked")
    parser.add_argument("--budget", type=float, default=15.0, help="seconds of a slow system")
    parser.add_argument("--data", type=Path, help="collections in BEIR's shape")
    parser.add_argument("--collections", nargs="+", default=["debian-descriptions"])
    parser.add_argument("--vectors", type=Path, help="<collection>/<model>.npz")
    parser.add_argument("--model", default="minilm-fp32")
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser
