"""Recordings written by hand, and collections to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.evaluation import Recording, Topics
from plait.types import Ranking

LEGS = ("dense", "bm25")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Collection]]:
    """Opens collections by name; they are closed afterwards."""
    opened: list[Collection] = []

    def make(name: str = "default", **given: Any) -> Collection:
        given.setdefault("embedder", "hash(dim=64)")
        opened.append(open_collection(tmp_path / "kb", name, **given))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def recorded() -> Callable[..., Recording]:
    """A recording of the two legs: by topic the ids that dense and bm25 return, best first.

    Scores fall by 1 from the number of hits down, so min-max gives 1, …, 0.
    """

    def recorded(
        rankings: dict[str, tuple[str, str]], *, legs: tuple[str, ...] = LEGS, **given: Any
    ) -> Recording:
        return Recording(
            legs=legs,
            topics=Topics({topic: f"what of {topic}" for topic in rankings}),
            rankings={
                topic: tuple(
                    Ranking(leg, tuple(ids), tuple(float(n) for n in range(len(ids), 0, -1)))
                    for leg, ids in zip(legs, of, strict=True)
                )
                for topic, of in rankings.items()
            },
            **{"documents": {}, "fetch_k": 200, "failures": {}, "origin": {}, **given},
        )

    return recorded
