"""plait's fusion alone."""

from __future__ import annotations

from typing import Any

from plait import Ranking, fuse, parse_fusion
from rivals.rankings import LEGS, rankings
from rivals.systems.system import System

METHODS = {"rrf": "rrf(k=60)", "min-max": "rsf"}


class Adapter(System):
    """Settings: ``queries`` and ``hits``."""

    def build(self) -> None:
        self.given = list(rankings(self.settings["queries"], self.settings["hits"]))
        self.rankings = self._ranked()

    def _ranked(self) -> list[list[Ranking]]:
        return [
            [
                Ranking(leg, tuple(ids), tuple(scores))
                for leg, (ids, scores) in zip(LEGS, legs, strict=True)
            ]
            for legs in self.given
        ]

    def explain(self, method: str) -> list[Any]:
        """Fuse the first query's rankings; the best ten with what each leg gave them."""
        hits = fuse(self.rankings[0], parse_fusion(METHODS[method])).hits(0, 10)
        return [(hit.id, hit.score, len(hit.contributions)) for hit in hits]

    def many(self, method: str) -> None:
        """Fuse the rankings of all queries."""
        fusion = parse_fusion(METHODS[method])
        self.fused = [fuse(legs, fusion).scores for legs in self.rankings]

    def many_from_lists(self, method: str) -> None:
        """The same from lists of ids and scores."""
        fusion = parse_fusion(METHODS[method])
        self.fused = [fuse(legs, fusion).scores for legs in self._ranked()]

    def best(self, query: int) -> list[float]:
        """The best ten scores of one query of the last batch."""
        return list(self.fused[query].values())[:10]
