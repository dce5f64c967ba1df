"""Start workers, let them take turns, say how long they took."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import plait
from rivals.corpus import Corpus
from rivals.environments import python_of
from rivals.systems import SYSTEMS

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
WARMING = 100  # queries, or as many as take a fifth of the budget, three at least
FEWEST = 5
TURN = 10  # queries one after the other
_THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS", "TOKIO_WORKER_THREADS", "LANCE_CPU_THREADS",
)  # fmt: skip


class SystemFailedError(Exception):
    """A system could not do what it was asked; the message is its traceback."""


@dataclass(frozen=True)
class Answer:
    """What a call gave, and the milliseconds that it took inside the worker."""

    ms: float
    value: Any


class Worker:
    """A process with one system. ``threads`` is what its thread pools may have."""

    def __init__(
        self, name: str, python: str, corpus: Corpus, folder: Path, threads: int,
        settings: Mapping[str, Any],
    ) -> None:  # fmt: skip
        self.name = name
        self.folder = folder
        here = Path(__file__).parents[1]
        paths = [str(here), str(Path(plait.__file__).parents[1])]
        given = {
            "module": SYSTEMS[name].module,
            "corpus": str(corpus.folder),
            "folder": str(folder),
            "settings": {"cores": CORES, **SYSTEMS[name].settings, **settings},
        }
        # Open as long as the worker is.
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [python, "-m", "rivals.worker", json.dumps(given)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, encoding="utf-8",
            env=os.environ
            | {name: str(threads) for name in _THREADS}
            | {"PYTHONPATH": os.pathsep.join(paths), "HAYSTACK_TELEMETRY_ENABLED": "False"},
        )  # fmt: skip
        try:
            self.importing = self._answer()
            self.versions = self.call("versions", packages=SYSTEMS[name].packages).value
        except BaseException:
            self.close()
            raise

    def call(self, name: str, number: int | None = None, **given: Any) -> Answer:
        """Call a method of the adapter, with a query if it has a number.

        Raises:
            SystemFailedError: It raised, or the process ended.
        """
        assert self._process.stdin is not None
        asked = {"call": name, "number": number, "given": given}
        with suppress(BrokenPipeError):  # it has ended: there will be no answer
            self._process.stdin.write(json.dumps(asked) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Answer:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": self._said()}
        if "error" in answer:
            raise SystemFailedError(f"{self.name}: {answer['error']}")
        return Answer(answer["ms"], answer["value"])

    def _said(self) -> str:
        self._process.wait()
        self._log.seek(0)
        return f"ended with {self._process.returncode}; {self._log.read()[-2000:]}"

    def close(self) -> None:
        """End the process."""
        with suppress(BrokenPipeError):
            self._process.communicate()
        self._log.close()


@dataclass
class Study:
    """Where a run keeps what it makes, and which systems it can ask.

    Attributes:
        work: Keeps the corpora.
        files: What the systems build in files; of this run alone.
        environments: Folder of the rivals' environments; None asks only what can be imported here.
        rounds: How often each system is asked.
        budget: Seconds after which a slow system takes no more turns.
        versions: What was measured, by system.
    """

    work: Path
    files: Path
    environments: Path | None
    rounds: int
    budget: float
    versions: dict[str, Any] = field(default_factory=dict)

    def available(self, names: Sequence[str]) -> list[str]:
        """Those that can be asked."""
        return [name for name in names if self.environments or _importable(SYSTEMS[name].needs)]

    @contextmanager
    def workers(
        self, names: Sequence[str], corpus: Corpus, *, threads: int = 1, **settings: Any
    ) -> Iterator[dict[str, Worker]]:
        """A process for each of the systems that can be asked, ended in the end."""
        with ExitStack() as stack:
            started = {}
            for name in self.available(names):
                started[name] = self.worker(name, corpus, threads=threads, **settings)
                stack.callback(started[name].close)
            yield started

    def worker(
        self, name: str, corpus: Corpus, *, threads: int = 1, fresh: bool = True, **settings: Any
    ) -> Worker:
        """A process; ``fresh`` in an empty folder, otherwise in that of the last one."""
        folder = self.files / f"{corpus.folder.name}-{name.replace(', ', '-')}"
        if fresh:
            shutil.rmtree(folder, ignore_errors=True)
        environment = SYSTEMS[name].environment
        python = python_of(self.environments if environment else None, environment or "")
        started = Worker(name, python, corpus, folder, threads, settings)
        self.versions[name] = started.versions
        return started

    def stored(self, name: str, corpus: Corpus, **settings: Any) -> dict[str, Any]:
        """Have a system build its files over a corpus, once in a run.

        Returns:
            Seconds until the first answer, and the memory of building.
        """
        key = f"{corpus.folder.name} {name}"
        if key not in self._stored:
            worker = self.worker(name, corpus, threads=CORES, **settings)
            try:
                self._stored[key] = built(worker)
            finally:
                worker.close()
        return self._stored[key]

    @contextmanager
    def opened(self, name: str, corpus: Corpus, *, threads: int = 1) -> Iterator[Worker]:
        """A process that has opened what ``stored`` has built."""
        worker = self.worker(name, corpus, threads=threads, fresh=False)
        try:
            worker.call("open")
            yield worker
        finally:
            worker.close()

    _stored: dict[str, dict[str, Any]] = field(default_factory=dict, init=False)


def built(worker: Worker, **given: Any) -> dict[str, Any]:
    """Build and answer one query: seconds and megabytes."""
    took = worker.call("build").ms + worker.call("ids", 0, top_k=10, **given).ms
    return {"first_answer_s": round(took / 1000, 2), **worker.call("memory").value}


def take_turns(
    asks: Mapping[str, Callable[[int], Answer]],
    study: Study,
    *,
    start: int = 0,
    warming: int = WARMING,
) -> dict[str, list[Answer]]:
    """Ten queries each in turn, so that a slow moment of the machine meets all.

    Whoever has used up the budget is asked no more, after five queries at least.

    Args:
        asks: By label: ask the query of this number.
        study: Says how many queries.
        start: Number of the first query.
        warming: Queries before, others, that do not count.
    """
    answers: dict[str, list[Answer]] = {label: [] for label in asks}
    for ask in asks.values():
        warmed = 0.0
        for number in range(warming):
            if number < 3 or warmed < study.budget * 200:
                warmed += ask(start + study.rounds + number).ms
    spent = dict.fromkeys(asks, 0.0)
    for first in range(0, study.rounds, TURN):
        for label, ask in asks.items():
            for number in range(first, min(first + TURN, study.rounds)):
                if number < FEWEST or spent[label] < study.budget * 1000:
                    answers[label].append(ask(start + number))
                    spent[label] += answers[label][-1].ms
    return answers


def spread_of_turns(answers: Sequence[Answer]) -> dict[str, Any]:
    """As ``spread``, and the median of the first queries of each turn.

    Those find the caches of the processor filled by the other systems.
    """
    return spread(answers) | {"first_ms": spread(answers[::TURN])["median_ms"]}


def spread(answers: Sequence[Answer]) -> dict[str, Any]:
    """Median and quartiles of the milliseconds."""
    times = sorted(answer.ms for answer in answers)
    low, middle, high = (
        statistics.quantiles(times, method="inclusive") if len(times) > 1 else times * 3
    )
    return {
        "median_ms": round(middle, 4),
        "quartiles_ms": [round(low, 4), round(high, 4)],
        "asked": len(times),
    }


def _importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of what contains it
        return False
