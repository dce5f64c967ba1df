"""What is compared: methods at plait's window, and the windows and weights that are varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fusion_study.legs import DEPTH
from plait import Fusion, Ranking, Rsf, parse_fusion
from plait.evaluation import Candidate

EVEN = (1.0, 1.0)
BARE = 100  # candidates of each leg in a hybrid that is told nothing
WINDOWS = (20, 50, 100, 200)
GRID = tuple(round(step / 10, 1) for step in range(11))  # parts of the dense leg


@dataclass(frozen=True)
class Margin(Fusion):
    """Min-max over the window, each leg weighted by its margin on the query; for the study only.

    The margin is (s1 - mean(s2 ... s10)) / (s1 - last): how far the first hit is ahead. Flat scores
    and a single hit have 1.
    """

    def fuse(self, rankings: Sequence[Ranking], weights: Sequence[float]) -> Sequence[Any]:
        margins = [weight * margin(r.scores) for r, weight in zip(rankings, weights, strict=True)]
        total = sum(margins)
        return [
            Rsf().share(ranking, each / total if total else 0.5)
            for ranking, each in zip(rankings, margins, strict=True)
        ]


def margin(scores: Sequence[Any]) -> float:
    if len(scores) < 2 or scores[0] - scores[-1] <= 1e-6 * abs(scores[0]):
        return 1.0
    following = scores[1:10]
    return float((scores[0] - sum(following) / len(following)) / (scores[0] - scores[-1]))


def candidate(fusion: Fusion | str, window: int = DEPTH, dense: float | None = None) -> Candidate:
    """A way to fuse; ``dense`` is the part of the dense leg, None for equal weights."""
    method = parse_fusion(fusion) if isinstance(fusion, str) else fusion
    return Candidate(method, window, EVEN if dense is None else (dense, round(1 - dense, 1)))


BASE = "rrf(k=60), window 100"

METHODS: Mapping[str, Candidate] = {
    "BM25": candidate("rsf", dense=0.0),
    "dense": candidate("rsf", dense=1.0),
    BASE: candidate("rrf(k=60)", BARE),
    "rrf(k=60)": candidate("rrf(k=60)"),
    "rrf(k=10)": candidate("rrf(k=10)"),
    "rrf(k=2)": candidate("rrf(k=2)"),
    "rrf(k=60), dense .3": candidate("rrf(k=60)", dense=0.3),
    "isr()": candidate("isr"),
    "borda()": candidate("borda"),
    "rbc(phi=0.8)": candidate("rbc(phi=0.8)"),
    "combmnz()": candidate("combmnz"),
    "dbsf()": candidate("dbsf"),
    'dbsf(shape="3sigma")': candidate('dbsf(shape="3sigma")'),
    "zscore()": candidate("zscore"),
    "zscore(), dense .3": candidate("zscore", dense=0.3),
    "convex()": candidate("convex"),
    "convex(), dense .3": candidate("convex", dense=0.3),
    "rsf()": candidate("rsf"),
    "rsf(), dense .3": candidate("rsf", dense=0.3),
    "margin per query": candidate(Margin()),
}

# For the ablations: method by name, as it is varied over windows and weights.
VARIED: Mapping[str, str] = {
    "rrf(k=60)": "rrf(k=60)",
    "rrf(k=10)": "rrf(k=10)",
    "dbsf()": "dbsf()",
    "zscore()": "zscore()",
    "convex()": "convex()",
    "rsf()": "rsf()",
}

BY_WINDOW: Mapping[tuple[str, int], Candidate] = {
    **{(name, w): candidate(text, w) for name, text in VARIED.items() for w in WINDOWS},
    **{("rsf(), dense .3", w): candidate("rsf()", w, 0.3) for w in WINDOWS},
}
BY_WEIGHT: Mapping[tuple[str, float], Candidate] = {
    (name, part): candidate(text, dense=part) for name, text in VARIED.items() for part in GRID
}

# Tried with and without the legs scoring each other's hits; the window holds both legs' hits.
FILL: Mapping[str, Candidate] = {
    "rrf(k=60)": candidate("rrf(k=60)", 2 * DEPTH),
    "zscore()": candidate("zscore", 2 * DEPTH),
    "convex()": candidate("convex", 2 * DEPTH),
    "rsf()": candidate("rsf", 2 * DEPTH),
    "rsf(), dense .3": candidate("rsf", 2 * DEPTH, 0.3),
    "auto(), dense .3": candidate("auto", 2 * DEPTH, 0.3),
}
