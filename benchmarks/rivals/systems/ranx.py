"""ranx: fusion of whole runs, compiled by numba."""

from __future__ import annotations

from typing import Any

from ranx import Run, fuse

from rivals.rankings import LEGS, rankings
from rivals.systems.system import System

METHODS: dict[str, dict[str, Any]] = {
    "rrf": {"method": "rrf", "norm": None, "params": {"k": 60}},
    "min-max": {"method": "sum", "norm": "min-max"},
}


class Adapter(System):
    """Settings: ``queries`` and ``hits``."""

    def build(self) -> None:
        self.given = list(rankings(self.settings["queries"], self.settings["hits"]))
        self.runs = self._runs()

    def _runs(self) -> list[Run]:
        return [
            Run(
                {
                    f"q{number}": dict(zip(*legs[leg], strict=True))
                    for number, legs in enumerate(self.given)
                }
            )
            for leg in range(len(LEGS))
        ]

    def many(self, method: str) -> None:
        """Fuse the runs of all queries."""
        self.fused = fuse(self.runs, **METHODS[method])

    def many_from_lists(self, method: str) -> None:
        """The same from lists of ids and scores."""
        self.fused = fuse(self._runs(), **METHODS[method])

    def best(self, query: int) -> list[float]:
        """The best ten scores of one query of the last batch."""
        return sorted(self.fused.run[f"q{query}"].values(), reverse=True)[:10]
