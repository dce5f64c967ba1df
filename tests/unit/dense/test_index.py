"""FlatIndex: an immutable value whose versions share their rows."""

import threading

import numpy as np
import pytest

from plait.dense import COSINE, DOT, EUCLIDEAN, FlatIndex
from plait.errors import ConfigurationError

METRICS = [COSINE, DOT, EUCLIDEAN]


def noise(count, dim, seed=0):
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def all_rows(index):
    return index.vectors(np.arange(index.size))


def proposed(index, query, top_k, allowed=None):
    allowed = np.ones(index.size, dtype=bool) if allowed is None else allowed
    (ordinals,) = index.propose(np.float32([query]), allowed, top_k=top_k, exact=True)
    return ordinals


class TestValue:
    def test_adding_makes_a_new_value_and_keeps_the_old_one(self):
        empty = FlatIndex()
        one = empty.added([[1, 2]])
        two = one.added([[3, 4], [5, 6]])
        assert [index.size for index in (empty, one, two)] == [0, 1, 3]
        assert all_rows(empty).shape == (0, 0)
        assert all_rows(one).tolist() == [[1, 2]]
        assert all_rows(two).tolist() == [[1, 2], [3, 4], [5, 6]]

    def test_two_that_grow_from_one_do_not_see_each_other(self):
        one = FlatIndex().added([[1, 2]]).added([[0, 1]])
        left = one.added([[3, 4]])
        right = one.added([[5, 6]])
        further = left.added([[7, 8]])
        assert all_rows(left).tolist() == [[1, 2], [0, 1], [3, 4]]
        assert all_rows(right).tolist() == [[1, 2], [0, 1], [5, 6]]
        assert all_rows(further).tolist() == [[1, 2], [0, 1], [3, 4], [7, 8]]
        assert all_rows(one).tolist() == [[1, 2], [0, 1]]

    def test_growing_from_one_value_in_many_threads(self):
        one = FlatIndex().added(noise(10, 4))
        one = one.added(noise(1, 4))  # leaves room behind the rows
        grown = [None] * 32

        def grow(number):
            grown[number] = one.added(np.full((1, 4), number + 1.0))

        threads = [threading.Thread(target=grow, args=(number,)) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, index in enumerate(grown):
            assert all_rows(index)[-1].tolist() == [number + 1.0] * 4

    def test_versions_share_their_rows(self):
        one = FlatIndex().added(noise(100, 8)).added(noise(1, 8))
        two = one.added(noise(1, 8))
        assert two._rows is one._rows

    def test_what_is_added_is_a_copy(self):
        rows = noise(3, 2)
        index = FlatIndex().added(rows)
        rows[:] = 9
        assert all_rows(index).tolist() == noise(3, 2).tolist()
        index.vectors(np.array([0]))[:] = 9
        assert all_rows(index).tolist() == noise(3, 2).tolist()

    def test_removed_rows_are_left_out_by_the_mask(self):
        index = FlatIndex().added([[1, 0], [0, 1]])
        left = index.removed(np.array([0]))
        assert proposed(left, [1, 0], 2, np.array([False, True])).tolist() == [1]

    def test_compacted_rows_are_numbered_from_zero(self):
        index = FlatIndex(DOT).added([[1, 2], [3, 4], [5, 6]])
        kept = index.compacted(np.array([0, 2]))
        assert (kept.size, kept.dim, kept.metric) == (2, 2, DOT)
        assert all_rows(kept).tolist() == [[1, 2], [5, 6]]
        assert all_rows(index).tolist() == [[1, 2], [3, 4], [5, 6]]

    def test_compacted_to_nothing_the_dimension_stays(self):
        kept = FlatIndex().added([[1, 2]]).compacted(np.array([], dtype=np.int64))
        assert (kept.size, kept.dim) == (0, 2)
        assert FlatIndex().compacted(np.array([], dtype=np.int64)).size == 0

    def test_the_first_rows_decide_the_dimension(self):
        assert FlatIndex().dim is None
        index = FlatIndex().added([[1, 2]])
        assert index.dim == 2
        with pytest.raises(ConfigurationError, match="3 dimensions"):
            index.added([[1, 2, 3]])
        with pytest.raises(ConfigurationError, match="2 dimensions"):
            FlatIndex(dim=3).added([[1, 2]])

    def test_no_rows_change_nothing(self):
        index = FlatIndex().added([[1, 2]])
        assert index.added(np.empty((0, 2))) is index

    def test_bad_rows_are_refused_whole(self):
        index = FlatIndex().added([[1, 2]])
        with pytest.raises(ConfigurationError, match="vector 1"):
            index.added([[1, 2], [np.nan, 1]])
        assert index.size == 1
        assert all_rows(index.added([[3, 4]])).tolist() == [[1, 2], [3, 4]]


class TestPropose:
    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_the_best_are_always_among_the_proposed(self, metric):
        rows = noise(3000, 48)
        index = FlatIndex(metric).added(rows)
        for query in noise(10, 48, seed=1):
            exact = metric.scores(rows, query)
            order = np.argsort(-exact if metric.higher_is_better else exact)
            found = set(proposed(index, query, 10).tolist())
            assert found.issuperset(order[:10].tolist())

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_little_more_than_the_best_is_proposed(self, metric):
        index = FlatIndex(metric).added(noise(3000, 48))
        for query in noise(10, 48, seed=1):
            assert 10 <= len(proposed(index, query, 10)) <= 12

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_rows_too_close_for_blas_are_all_proposed(self, metric):
        """Their order is beyond float32 products; the exact score decides."""
        rows = np.repeat(noise(1, 48), 500, axis=0)
        rows[:, 0] += np.arange(500, dtype=np.float32) * np.float32(1e-8)
        index = FlatIndex(metric).added(rows)
        assert len(proposed(index, noise(1, 48, seed=1)[0], 3)) == 500

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    @pytest.mark.parametrize("share", [0.02, 0.5])
    def test_only_allowed_rows_are_proposed(self, metric, share):
        rows = noise(2000, 16)
        allowed = np.random.default_rng(3).random(2000) < share
        index = FlatIndex(metric).added(rows)
        query = noise(1, 16, seed=1)[0]
        found = proposed(index, query, 5, allowed)
        assert allowed[found].all()
        exact = metric.scores(rows, query)
        exact = np.where(allowed, exact if metric.higher_is_better else -exact, -np.inf)
        assert set(np.argsort(-exact)[:5]) <= set(found)

    def test_fewer_than_asked_for_are_all_proposed(self):
        index = FlatIndex().added([[1, 0], [0, 1], [1, 1]])
        assert proposed(index, [1, 0], 10).tolist() == [0, 1, 2]
        assert proposed(index, [1, 0], 2, np.array([True, False, False])).tolist() == [0]
        assert proposed(index, [1, 0], 2, np.zeros(3, dtype=bool)).tolist() == []

    def test_an_empty_index_proposes_nothing(self):
        assert proposed(FlatIndex(), [1, 0], 5).tolist() == []
        assert proposed(FlatIndex(dim=2), [1, 0], 5).tolist() == []

    @pytest.mark.parametrize("metric", [DOT, EUCLIDEAN], ids=str)
    def test_a_query_of_zeros(self, metric):
        index = FlatIndex(metric).added([[3, 0], [1, 0], [2, 0], [0, 0]])
        found = proposed(index, [0, 0], 1).tolist()
        assert found == ([0, 1, 2, 3] if metric is DOT else [3])

    def test_many_queries_in_blocks_of_products(self, monkeypatch):
        monkeypatch.setattr("plait.dense.nearest._BLOCK", 250)
        rows, queries = noise(100, 8), noise(7, 8, seed=1)
        index = FlatIndex().added(rows)
        allowed = np.ones(100, dtype=bool)
        together = list(index.propose(queries, allowed, top_k=3, exact=True))
        assert len(together) == 7
        for query, found in zip(queries, together, strict=True):
            assert set(np.argsort(-COSINE.scores(rows, query))[:3]) <= set(found)
