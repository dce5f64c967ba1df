"""HnswIndex: the graph proposes, and nothing that passes is lost."""

import subprocess
import sys
import threading

import numpy as np
import pytest

from plait.dense import COSINE, DOT, EUCLIDEAN, DenseRetriever, FlatIndex, HnswIndex
from plait.embedders import HashEmbedder
from plait.errors import ConfigurationError, MissingDependencyError
from plait.types import Chunk, Query

pytest.importorskip("usearch", reason="the extra hnsw is not installed")

METRICS = [COSINE, DOT, EUCLIDEAN]


def clusters(count, dim=16, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((20, dim))
    rows = centers[rng.integers(0, 20, count)] + rng.standard_normal((count, dim)) * 0.5
    return rows.astype(np.float32)


def scattered(count, dim=16, seed=0):
    """Rows without clusters, each of which a graph may not reach from the others."""
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def found_of(index, rows):
    """The share of rows that are among what is proposed for themselves; builds differ."""
    return np.mean([row in proposed(index, index.vectors(row[np.newaxis]), 1)[0] for row in rows])


def test_a_local_model_can_be_loaded_after_it():
    """Some versions of usearch make onnxruntime crash."""
    pytest.importorskip("onnxruntime", reason="the extra minilm is not installed")
    lines = (
        "import numpy",
        "from plait.dense import HnswIndex",
        "HnswIndex().added(numpy.eye(4, dtype='float32'))",
        "import onnxruntime",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)


def proposed(index, queries, top_k, allowed=None, exact=False):
    allowed = np.ones(index.size, dtype=bool) if allowed is None else allowed
    return list(index.propose(np.float32(queries), allowed, top_k=top_k, exact=exact))


class TestPropose:
    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_the_nearest_are_among_few(self, metric):
        rows, queries = clusters(3000), clusters(20, seed=1)
        index = HnswIndex(metric, candidates=100).added(rows)
        found = proposed(index, queries, 10)
        assert [len(each) for each in found] == [100] * 20
        assert all((np.diff(each) > 0).all() for each in found)
        shares = []
        for query, ordinals in zip(queries, found, strict=True):
            scores = metric.scores(rows, query)
            best = np.argsort(-scores if metric.higher_is_better else scores)[:10]
            shares.append(np.isin(best, ordinals).mean())
        assert np.mean(shares) > 0.8  # by chance it were 1 / 30; builds differ

    def test_one_query(self):
        index = HnswIndex(candidates=10).added(clusters(100))
        (found,) = proposed(index, clusters(1), 3)
        assert len(found) == 10

    @pytest.mark.parametrize(
        "asked", [{"top_k": 3, "exact": True}, {"top_k": 11}], ids=["exact", "more than candidates"]
    )
    def test_all_are_compared(self, asked):
        rows, queries = clusters(500), clusters(3, seed=1)
        index, flat = HnswIndex(candidates=10).added(rows), FlatIndex().added(rows)
        for one, other in zip(
            proposed(index, queries, **asked), proposed(flat, queries, **asked), strict=True
        ):
            assert one.tolist() == other.tolist()

    @pytest.mark.parametrize("share", [0.9, 0.5, 0.02])
    def test_a_filter_hides_no_hit(self, share):
        rows = clusters(3000)
        allowed = np.random.default_rng(2).random(3000) < share
        index = HnswIndex(candidates=50).added(rows)
        shares = []
        for query, found in zip(
            clusters(20, seed=1), proposed(index, clusters(20, seed=1), 40, allowed), strict=True
        ):
            assert allowed[found].all()
            assert len(found) >= 40
            best = np.flatnonzero(allowed)[np.argsort(-COSINE.scores(rows[allowed], query))[:40]]
            shares.append(np.isin(best, found).mean())
        assert np.mean(shares) > 0.7

    def test_where_all_that_is_near_was_filtered_out_the_rest_is_compared(self):
        near, far = np.float32([[1, 0.01]] * 500), np.float32([[-1, 0.01]] * 500)
        index = HnswIndex(candidates=50).added(np.concatenate([near, far]))
        (found,) = proposed(index, [[1, 0]], 20, np.arange(1000) >= 500)
        assert len(found) >= 20
        assert found.min() >= 500

    def test_nothing_there(self):
        (found,) = proposed(HnswIndex(), [[1, 0]], 3)
        assert found.tolist() == []


class TestValue:
    def test_adding_makes_a_new_value_and_keeps_the_old_one(self):
        rows = scattered(400)
        one = HnswIndex(candidates=20).added(rows[:200])
        two = one.added(rows[200:])
        assert (one.size, two.size, two.dim) == (200, 400, 16)
        assert two._graph is one._graph
        assert two.vectors(np.array([0, 399])).tolist() == rows[[0, 399]].tolist()
        for (found,) in (proposed(one, row[np.newaxis], 5) for row in rows[200:220]):
            assert found.max() < 200
        assert found_of(two, np.arange(200, 400)) > 0.9

    def test_two_that_grow_from_one_do_not_see_each_other(self):
        rows = scattered(400)
        one = HnswIndex(candidates=20).added(rows[:200])
        left, right = one.added(rows[200:300]), one.added(rows[300:])
        for index, last in ((left, rows[299]), (right, rows[399])):
            assert index.vectors(np.array([299])).tolist() == [last.tolist()]
            assert found_of(index, np.arange(200, 300)) > 0.9

    def test_compacted_rows_are_numbered_from_zero(self):
        rows = scattered(400)
        index = HnswIndex(candidates=20).added(rows)
        kept = index.removed(np.arange(0, 400, 2)).compacted(np.arange(1, 400, 2))
        assert kept.size == 200
        assert kept.vectors(np.array([0, 199])).tolist() == rows[[1, 399]].tolist()
        assert found_of(kept, np.arange(200)) > 0.9
        assert index.compacted(np.empty(0, dtype=np.int64)).size == 0

    def test_no_rows_change_nothing(self):
        index = HnswIndex().added(clusters(3))
        assert index.added(np.empty((0, 16))) is index

    def test_bad_rows_are_refused(self):
        with pytest.raises(ConfigurationError, match="vector 0: the vector is all zeros"):
            HnswIndex().added(np.zeros((1, 2)))

    @pytest.mark.parametrize(
        "values", [{"connectivity": 1}, {"expansion": 0}, {"candidates": True}], ids=str
    )
    def test_bad_numbers_are_refused(self, values):
        with pytest.raises(ConfigurationError, match=f"{next(iter(values))} is"):
            HnswIndex(**values)

    def test_without_the_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "usearch.index", None)
        with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[hnsw\]'"):
            HnswIndex().added([[1, 0]])

    def test_searching_while_it_grows(self):
        rows = clusters(2000)
        index = HnswIndex(candidates=10).added(rows[:1000])
        failures = []

        def search():
            for _ in range(50):
                (found,) = proposed(index, rows[:1], 5)
                if found.max() >= 1000 or len(found) < 5:
                    failures.append(found)

        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        grown = index
        for start in range(1000, 2000, 100):
            grown = grown.added(rows[start : start + 100])
        for thread in threads:
            thread.join()
        assert not failures
        assert grown.size == 2000


class TestRetriever:
    def chunks(self, rows):
        return [
            Chunk("", id=f"{number:04}", embedding=row, metadata={"n": number % 3})
            for number, row in enumerate(rows)
        ]

    def test_answers_are_scored_exactly(self):
        rows = clusters(600)
        flat = DenseRetriever(self.chunks(rows))
        graph = DenseRetriever(self.chunks(rows), index=HnswIndex(candidates=100))
        graph.delete(ids=["0003"])
        asked = Query(embedding=rows[5])
        scores = {hit.id: hit.score for hit in flat.retrieve(asked, top_k=600)}
        result = graph.retrieve(asked, top_k=10, filter={"n": 2})
        assert result[0].id == "0005"
        assert len(result) == 10
        assert all(hit.score == scores[hit.id] for hit in result)
        assert all(hit.chunk.metadata["n"] == 2 for hit in result)
        assert result.total == 200

    def test_it_is_described(self):
        described = DenseRetriever(index=HnswIndex(DOT)).describe()
        assert described["index"] == "hnsw(connectivity=16, expansion=128, candidates=400)"
        assert described["metric"] == "dot"
        assert DenseRetriever().describe()["index"] == "flat"

    def test_another_metric_or_dimension_or_vectors_inside_are_refused(self):
        with pytest.raises(
            ConfigurationError, match="metric is dot, but the index compares by cos"
        ):
            DenseRetriever(metric="dot", index=HnswIndex())
        with pytest.raises(ConfigurationError, match="holds 1 vectors"):
            DenseRetriever(index=HnswIndex().added([[1, 0]]))
        with pytest.raises(ConfigurationError, match="of 3 dimensions, but the embedder makes 8"):
            DenseRetriever(index=HnswIndex(dim=3), embedder=HashEmbedder(8))
        assert DenseRetriever(metric="dot", index=FlatIndex(DOT)).metric is DOT
