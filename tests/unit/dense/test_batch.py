"""DenseBatch: what the view says, made for several queries at once."""

from __future__ import annotations

import numpy as np
import pytest

from plait.dense import DenseView, FlatIndex, MemoryVectors
from plait.dense.batch import DenseBatch
from plait.errors import QueryError
from plait.filters import Filter
from plait.table import ChunkTable


@pytest.fixture
def view() -> DenseView:
    rows = np.random.default_rng(0).standard_normal((50, 8)).astype(np.float32)
    table = ChunkTable()
    table.add([f"{n:02}" for n in range(50)], [{"even": n % 2 == 0} for n in range(50)])
    part = MemoryVectors(table.view(), FlatIndex().added(rows))
    return DenseView((part,), part.metric, part.dim)


def test_it_says_what_the_view_says(view: DenseView) -> None:
    queries = np.random.default_rng(1).standard_normal((6, 8)).astype(np.float32)
    batch = DenseBatch.of(view, [queries[0], queries[1], queries[1], *queries[2:5]])
    keep = Filter.parse({"even": True})
    for query in (*queries, queries[0]):  # the last but one was not announced
        for given in ({"top_k": 3}, {"top_k": 7, "filter": keep, "name": "d", "exact": True}):
            assert batch.rank(query, **given) == view.rank(query, **given)
    assert batch.score(queries[0], ["03"]) == view.score(queries[0], ["03"])


def test_all_are_ranked_with_the_first(view: DenseView, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = np.eye(8, dtype=np.float32)
    asked = []
    plain = DenseView.rank_many

    def counted(self, vectors, **given):
        asked.append(len(vectors))
        return plain(self, vectors, **given)

    monkeypatch.setattr(DenseView, "rank_many", counted)
    batch = DenseBatch.of(view, list(queries))
    for query in queries:
        batch.rank(query, top_k=2)
    assert asked == [8]
    batch.rank(queries[0], top_k=3)
    assert asked == [8, 8]
    batch.rank(-queries[0], top_k=2)
    assert asked == [8, 8, 1]


def test_a_bad_vector_is_refused(view: DenseView) -> None:
    batch = DenseBatch.of(view, [np.ones(8, dtype=np.float32)] * 2)
    with pytest.raises(QueryError, match="5 dimensions"):
        batch.rank(np.ones(5, dtype=np.float32), top_k=1)
