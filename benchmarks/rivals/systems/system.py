"""What an adapter has in common with the others."""

from __future__ import annotations

import os
import sqlite3
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rivals.corpus import Asked, Corpus


class System:
    """One system over one corpus. Adapters write what they can do; a section asks for it by name.

    ``ids`` goes from the query string (and its vector) to ids, best first, and scores, where the
    system gives any; ``contents`` to the texts of the hits.

    Args:
        corpus: The documents and queries.
        folder: Where the system may keep files.
        cores: How many threads it may use to build.
        settings: Of the adapter.
    """

    def __init__(self, corpus: Corpus, folder: Path, *, cores: int, **settings: Any) -> None:
        self.corpus = corpus
        self.folder = folder
        self.cores = cores
        self.settings = settings
        self.effort: int | None = None

    def build(self) -> None:
        """From texts and vectors to something that answers."""
        raise NotImplementedError

    def open(self) -> None:
        """Answer from what another process has built."""
        raise NotImplementedError

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        """Ids of the best hits, and their scores."""
        raise NotImplementedError

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        """Texts of the best hits."""
        raise NotImplementedError

    def try_harder(self, effort: int) -> None:
        """How much an approximate system looks at per query."""
        self.effort = effort

    def pin(self) -> None:
        """Run on one core from now on, with every thread there is."""
        if hasattr(os, "sched_setaffinity"):
            core = {max(os.sched_getaffinity(0))}
            for task in Path("/proc/self/task").iterdir():
                os.sched_setaffinity(int(task.name), core)

    def memory(self) -> dict[str, float]:
        """Megabytes: private (no file behind it) now, and the most that was resident."""
        status = Path("/proc/self/status")
        if not status.exists():
            return {}
        said = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return {
            name: round(int(said[field].split()[0]) / 1024, 1)
            for name, field in (("private_mb", "RssAnon"), ("peak_mb", "VmHWM"))
        }

    def versions(self, packages: list[str]) -> dict[str, str | None]:
        """What is measured here."""
        found: dict[str, str | None] = {}
        for name in packages:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                module = sys.modules.get(name)  # a checkout that is not installed
                found[name] = getattr(module, "__version__", None)
        return found or {"sqlite": sqlite3.sqlite_version}
