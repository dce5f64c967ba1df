"""Two legs' rankings of many queries, the same for everyone who fuses them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

LEGS = ("dense", "bm25")
SPACE = 5  # ids are drawn from so many times the hits, so that a fifth is in both


def rankings(
    queries: int, hits: int, seed: int = 5
) -> Iterator[tuple[tuple[list[str], list[float]], ...]]:
    """For each query the ids and scores of both legs, best first."""
    draw = np.random.default_rng(seed)
    for _ in range(queries):
        yield tuple(
            (
                [f"d{each}" for each in draw.choice(SPACE * hits, hits, replace=False).tolist()],
                sorted(draw.random(hits).tolist(), reverse=True),
            )
            for _ in LEGS
        )
