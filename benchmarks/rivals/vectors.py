"""Real vectors enlarged to any number, and what is nearest to a query exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

NEIGHBOR = 10
_SAMPLE = 200
_BLOCK = 20_000
_STEPS = 8


def real_sets(folder: Path, model: str) -> dict[str, tuple[Any, Any]]:
    """Passages and queries of every collection in the folder that has vectors of this model."""
    sets = {}
    for file in sorted(folder.glob(f"*/{model}.npz")):
        with np.load(file) as held:
            sets[file.parent.name] = (_unit(held["docs"]), _unit(held["queries"]))
    return sets


def pooled(sets: dict[str, tuple[Any, Any]], queries: int, seed: int = 11) -> tuple[Any, Any]:
    """All passages in one matrix, and queries drawn from all collections alike, shuffled."""
    draw = np.random.default_rng(seed)
    share = -(-queries // len(sets))
    drawn = [asked[draw.permutation(len(asked))[:share]] for _, asked in sets.values()]
    return np.concatenate([docs for docs, _ in sets.values()]), draw.permutation(
        np.concatenate(drawn)
    )[:queries]


def enlarged(docs: Any, size: int, sigma: float, seed: int = 12) -> Any:
    """``size`` vectors norm(x + sigma (y - z)), x, y and z drawn from the passages.

    The difference of two passages is noise of the shape of the set itself: it spreads where
    embeddings spread, not evenly in all directions.
    """
    draw = np.random.default_rng(seed)
    if not sigma and size <= len(docs):
        return docs[draw.permutation(len(docs))[:size]]
    made = np.empty((size, docs.shape[1]), dtype=np.float32)
    for start in range(0, size, _BLOCK):
        count = min(_BLOCK, size - start)
        x, y, z = (docs[draw.integers(0, len(docs), count)] for _ in range(3))
        made[start : start + count] = _unit(x + np.float32(sigma) * (y - z))
    return made


def neighbor_distance(docs: Any, seed: int = 13) -> float:
    """Median over passages of 1 - cosine to the tenth nearest other passage."""
    draw = np.random.default_rng(seed)
    asked = np.asarray(docs[np.sort(draw.permutation(len(docs))[:_SAMPLE])])
    place = min(NEIGHBOR, len(docs) - 1)
    _, found = nearest(docs, asked, place + 1)
    return float(np.median(1 - found[:, place]))  # each finds itself first


def matching_sigma(docs: Any, size: int) -> tuple[float, float, float]:
    """The sigma with which ``size`` made vectors lie as close together as the real ones do.

    Found by bisection: the distance to the tenth neighbor grows with sigma. With a smaller one the
    set would be heaps of near duplicates, with a larger one noise. For no more vectors than
    there are real ones it is 0: then ``enlarged`` gives some of these.

    Returns:
        sigma, the tenth neighbor's distance among the real ones, the same among the made ones.
    """
    real = neighbor_distance(docs)
    if size <= len(docs):
        return 0.0, real, neighbor_distance(enlarged(docs, size, 0.0))
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if neighbor_distance(enlarged(docs, size, middle)) < real:
            low = middle
        else:
            high = middle
    sigma = round((low + high) / 2, 3)
    return sigma, real, neighbor_distance(enlarged(docs, size, sigma))


def nearest(vectors: Any, queries: Any, count: int) -> tuple[Any, Any]:
    """The exact nearest by cosine: numbers and similarities, each (queries, count), best first.

    Blocks of a matrix product in float32 find twice as many as are asked for; float64 decides.
    """
    count = min(count, len(vectors))
    kept = min(2 * count, len(vectors))
    numbers = np.empty((len(queries), 0), dtype=np.int64)
    scores = np.empty((len(queries), 0), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = np.asarray(vectors[start : start + _BLOCK])
        found = queries @ block.T
        if found.shape[1] > kept:
            best = np.argpartition(found, -kept, axis=1)[:, -kept:]
            found = np.take_along_axis(found, best, axis=1)
        else:
            best = np.broadcast_to(np.arange(found.shape[1]), found.shape)
        numbers = np.concatenate([numbers, best + start], axis=1)
        scores = np.concatenate([scores, found], axis=1)
        if scores.shape[1] > kept:
            best = np.argpartition(scores, -kept, axis=1)[:, -kept:]
            numbers = np.take_along_axis(numbers, best, axis=1)
            scores = np.take_along_axis(scores, best, axis=1)
    exact = np.empty(numbers.shape, dtype=np.float64)
    for row, (query, found) in enumerate(zip(queries, numbers, strict=True)):
        exact[row] = np.asarray(vectors[np.sort(found)], dtype=np.float64) @ query.astype(
            np.float64
        )
        numbers[row] = np.sort(found)
    order = np.argsort(-exact, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(numbers, order, axis=1), np.take_along_axis(exact, order, axis=1)


def _unit(rows: Any) -> Any:
    rows = np.asarray(rows, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
