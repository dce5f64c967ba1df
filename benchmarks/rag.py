"""What the RAG layer adds to the retriever below it, without planner and reranker.

    python benchmarks/rag.py

A hybrid over two legs that answer at once with up to 100 hits, and a service over it, take turns in
one process; what counts is the difference of the first deciles, which a busy machine moves least.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from machine import machine

from plait import Chunk, HybridRetriever, Rag

HERE = Path(__file__).parent
TEXT = "Some forty words, as a paragraph of a manual has, so that a context of five of them is one "


def in_turns(asking: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Milliseconds of each way of asking."""
    times: dict[str, list[float]] = {name: [] for name in asking}
    for _ in range(repeats):
        for name, ask in asking.items():
            started = time.perf_counter()
            ask()
            times[name].append(time.perf_counter() - started)
    return first_deciles(times)


async def in_turns_async(
    asking: Mapping[str, Callable[[], Awaitable[Any]]], repeats: int
) -> dict[str, float]:
    """The same on one event loop."""
    times: dict[str, list[float]] = {name: [] for name in asking}
    for _ in range(repeats):
        for name, ask in asking.items():
            started = time.perf_counter()
            await ask()
            times[name].append(time.perf_counter() - started)
    return first_deciles(times)


def first_deciles(times: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {
        name: round(statistics.quantiles(spent, n=10)[0] * 1000, 4) for name, spent in times.items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=HERE / "results")
    given = parser.parse_args(arguments)
    hits = [
        (Chunk(f"{TEXT * 2}{n}.", id=str(n), document_id=str(n // 5), index=n % 5), 100.0 - n)
        for n in range(100)
    ]
    hybrid = HybridRetriever({"a": lambda _: hits, "b": lambda _: hits[::2]})
    rag = Rag(hybrid)
    assert rag.search("q").hits == rag.retrieve("q").hits == hybrid.retrieve("q").hits
    sync = {"retriever": hybrid.retrieve, "retrieve": rag.retrieve, "search": rag.search}
    waiting = {"retriever": hybrid.aretrieve, "retrieve": rag.aretrieve, "search": rag.asearch}
    result = {
        "machine": machine(),
        "sync": in_turns({name: partial(ask, "q") for name, ask in sync.items()}, given.repeats),
        "async": asyncio.run(
            in_turns_async(
                {name: partial(ask, "q") for name, ask in waiting.items()}, given.repeats
            )
        ),
    }
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / "rag.json"
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(path, json.dumps(result))


if __name__ == "__main__":
    main()
