"""The process of one system: takes calls as lines of JSON and times each around itself alone.

    python -m rivals.worker '{"module": ..., "corpus": ..., "folder": ..., "settings": {...}}'

A call is ``{"call": name, "number": n, "given": {...}}``: a method of the adapter, with the query
of that number if there is one. The answer is ``{"ms": ..., "value": ...}`` or ``{"error": ...}``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from rivals.corpus import Corpus


def main() -> None:
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # what a library prints must not look like an answer
        say(answers, start)
        while line := sys.stdin.readline():
            asked = json.loads(line)
            say(answers, lambda asked=asked: call(asked))


def say(answers: Any, work: Any) -> None:
    """The answer as a line, an error if there was one."""
    try:
        answer = work()
    except Exception:  # noqa: BLE001 (whatever a library raises is the answer)
        answer = {"error": traceback.format_exc()}
    answers.write(json.dumps(answer, default=plain) + "\n")
    answers.flush()


def start() -> dict[str, Any]:
    """Import the adapter, and with it the library."""
    global system
    given = json.loads(sys.argv[1])
    folder = Path(given["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    module = importlib.import_module(f"rivals.systems.{given['module']}")
    system = module.Adapter(Corpus(Path(given["corpus"])), folder, **given["settings"])
    return {"ms": (time.perf_counter() - started) * 1000, "value": None}


def call(asked: dict[str, Any]) -> dict[str, Any]:
    """Call the method that is asked for."""
    method = getattr(system, asked["call"])
    number = asked["number"]
    query = () if number is None else (system.corpus.asked(number),)
    started = time.perf_counter()
    value = method(*query, **asked["given"])
    return {"ms": (time.perf_counter() - started) * 1000, "value": value}


def plain(value: Any) -> Any:
    """NumPy's values as Python's."""
    return value.tolist()


system: Any = None

if __name__ == "__main__":
    main()
