"""Dense retrieval against brute force: every row, exact sums, a plain sort."""

import math

import numpy as np
import pytest

from plait.dense import DenseView, FlatIndex, MemoryVectors, parse_metric
from plait.filters import Filter
from plait.table import ChunkTable

METRICS = ["cosine", "dot", "euclidean"]


def brute_force(metric, vectors, query, top_k):
    """(id, score) of the best rows; sums by math.fsum, which rounds once."""
    query = [float(value) for value in query]

    def dot(one, other):
        return math.fsum(a * b for a, b in zip(one, other, strict=True))

    scored = []
    for name, vector in vectors.items():
        row = [float(value) for value in vector]
        if metric == "euclidean":
            score = math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(row, query, strict=True)))
        else:
            score = dot(row, query)
            if metric == "cosine":
                score /= math.sqrt(dot(row, row)) * math.sqrt(dot(query, query))
        scored.append((name, float(np.float32(score))))
    sign = 1 if metric == "euclidean" else -1
    return sorted(scored, key=lambda each: (sign * each[1], each[0]))[:top_k]


def view_of(metric, vectors, metadata=None):
    table = ChunkTable()
    table.add(list(vectors), metadata or [{}] * len(vectors))
    rows = np.stack(list(vectors.values()))
    index = FlatIndex(parse_metric(metric)).added(rows)
    return DenseView((MemoryVectors(table.view(), index),), index.metric, index.dim)


def found(ranking):
    return list(zip(ranking.ids, ranking.scores, strict=True))


def clusters(count, dim):
    """Tight clusters, exact copies, parallel rows and rows of very different length."""
    rng = np.random.default_rng(dim)
    centers = rng.standard_normal((5, dim))
    rows = centers[rng.integers(0, 5, count)]
    rows = rows + rng.standard_normal((count, dim)) * 10.0 ** rng.integers(-9, 0, (count, 1))
    rows *= 10.0 ** rng.integers(-3, 3, (count, 1))
    rows[count // 2 :: 3] = rows[0]
    rows[count // 2 + 1 :: 3] = rows[1] * 4
    return rows.astype(np.float32)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dim", [1, 3, 48])
def test_rows_that_float32_products_cannot_tell_apart(metric, dim):
    rows = clusters(400, dim)
    vectors = {f"{number * 7919 % 400:03}": row for number, row in enumerate(rows)}
    view = view_of(metric, vectors)
    queries = [rows[0], rows[3] + np.float32(1e-4), np.ones(dim, np.float32)]
    for query in queries:
        for top_k in (1, 10, 150):
            expected = brute_force(metric, vectors, query, top_k)
            assert found(view.rank(query, top_k=top_k)) == expected


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("share", [2, 20])
def test_with_a_filter(metric, share):
    rows = clusters(400, 16)
    vectors = {f"{number:03}": row for number, row in enumerate(rows)}
    view = view_of(metric, vectors, [{"part": number % share} for number in range(400)])
    kept = {name: row for name, row in vectors.items() if int(name) % share == 1}
    ranking = view.rank(rows[0], top_k=15, filter=Filter.parse({"part": 1}))
    assert found(ranking) == brute_force(metric, kept, rows[0], 15)
    assert ranking.total == 400 // share
