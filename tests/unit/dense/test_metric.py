"""Metrics: exact scores by hand, and the intervals that BLAS products prove."""

import math
import pickle

import numpy as np
import pytest

from plait.dense.metric import COSINE, DOT, EUCLIDEAN, parse_metric
from plait.errors import ConfigurationError
from plait.kernels.vectors import lengths

METRICS = [COSINE, DOT, EUCLIDEAN]


def floats(*rows):
    return np.array(rows, dtype=np.float32)


class TestScores:
    def test_cosine(self):
        rows = floats([3, 4], [4, 3], [-6, -8], [8, -6])
        expected = [1.0, (3 * 4 + 4 * 3) / (5 * 5), -1.0, (3 * 8 - 4 * 6) / (5 * 10)]
        assert COSINE.scores(rows, floats([3, 4])[0]).tolist() == expected

    def test_dot(self):
        rows = floats([3, 4], [0, 0], [-6, 8])
        assert DOT.scores(rows, floats([1, 2])[0]).tolist() == [3 + 2 * 4, 0.0, -6 + 2 * 8]

    def test_euclidean_is_a_distance(self):
        rows = floats([4, 6], [1, 2], [1, 14])
        assert EUCLIDEAN.scores(rows, floats([1, 2])[0]).tolist() == [
            math.sqrt((4 - 1) ** 2 + (6 - 2) ** 2),
            0.0,
            14 - 2,
        ]

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    @pytest.mark.parametrize("dim", [1, 2, 3, 7, 8, 100, 384])
    def test_a_row_scores_the_same_whatever_stands_around_it(self, metric, dim):
        rng = np.random.default_rng(dim)
        rows = rng.standard_normal((50, dim)).astype(np.float32)
        query = rng.standard_normal(dim).astype(np.float32)
        together = metric.scores(rows, query)
        for row, score in zip(rows, together, strict=True):
            assert metric.scores(row[np.newaxis], query)[0] == score
        strided = np.repeat(rows, 2, axis=0)[::2]
        np.testing.assert_array_equal(metric.scores(strided, query), together)
        np.testing.assert_array_equal(metric.scores(rows[::-1], query), together[::-1])

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_no_row_is_no_score(self, metric):
        assert metric.scores(np.empty((0, 3), np.float32), floats([1, 2, 3])[0]).shape == (0,)

    def test_cosine_of_a_vector_with_itself_is_one_after_rounding(self):
        rng = np.random.default_rng(5)
        for _ in range(200):
            row = rng.standard_normal(384).astype(np.float32)
            assert np.float32(COSINE.scores(row[np.newaxis], row)[0]) == 1.0

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_the_rows_are_not_changed(self, metric):
        rows, query = floats([3, 4], [1, 0]), floats([1, 2])[0]
        rows.setflags(write=False)
        query.setflags(write=False)
        metric.scores(rows, query)


class TestBounds:
    @pytest.mark.parametrize("metric", METRICS, ids=str)
    @pytest.mark.parametrize("scale", [1e-18, 1e-3, 1.0, 1e6, 1e17])
    @pytest.mark.parametrize("error", [-1.0, 0.0, 1.0])
    def test_the_interval_holds_the_exact_rank_value(self, metric, scale, error):
        """Also if every product errs as far as 64 terms in float32 can."""
        rng = np.random.default_rng(7)
        rows = (rng.standard_normal((300, 64)) * scale).astype(np.float32)
        query = (rng.standard_normal(64) * scale).astype(np.float32)
        length = float(lengths(query[np.newaxis])[0])
        products = rows @ (query / length).astype(np.float32)
        products += (error * 64 * 2**-24 * lengths(rows)).astype(np.float32)
        low, high = metric.bounds(products, lengths(rows), length, 64)
        exact = metric.scores(rows, query)
        if metric is DOT:
            exact = exact / length
        if metric is EUCLIDEAN:
            exact = length**2 - exact**2
        assert (low <= exact).all()
        assert (exact <= high).all()

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_rows_that_tie_after_rounding_overlap(self, metric):
        near = np.nextafter(np.float32(1), np.float32(2))
        rows = floats([1.0, 2.0], [near, 2.0])
        query = floats([2.0, 1.0])[0]
        length = float(lengths(query[np.newaxis])[0])
        products = rows @ (query / length).astype(np.float32)
        low, high = metric.bounds(products, lengths(rows), length, 2)
        assert max(low) <= min(high)

    def test_the_interval_is_narrow_enough_to_propose_few(self):
        low, high = COSINE.bounds(np.float32([0.5]), np.array([1.0]), 1.0, 384)
        assert high[0] - low[0] < 2 * 400 * 2**-24


class TestKinds:
    def test_which_way_is_better_and_how_far_it_goes(self):
        assert [(m.higher_is_better, m.score_range) for m in METRICS] == [
            (True, (-1.0, 1.0)),
            (True, (None, None)),
            (False, (0.0, None)),
        ]
        assert [m.needs_direction for m in METRICS] == [True, False, False]

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_the_name_gives_the_metric_back(self, metric):
        assert parse_metric(str(metric)) is metric
        assert parse_metric(metric) is metric
        assert pickle.loads(pickle.dumps(metric)) == metric

    @pytest.mark.parametrize("name", ["l2", "Cosine", "", None, 3, []])
    def test_an_unknown_name_is_refused_with_the_known_ones(self, name):
        with pytest.raises(ConfigurationError, match="cosine, dot, euclidean"):
            parse_metric(name)


def test_lengths_by_hand():
    assert lengths(floats([3, 4], [0, 0], [-5, 12])).tolist() == [5.0, 0.0, 13.0]
    assert lengths(floats([1e18, 0])).tolist() == [np.float64(np.float32(1e18))]
