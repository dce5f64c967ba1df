"""Codes: what is told of rows, and how a query is asked."""

import numpy as np
import pytest

from plait.dense import COSINE, DOT, EUCLIDEAN
from plait.dense.codes import ask, encoded, planes_for
from plait.kernels.vectors import LARGEST, lengths

METRICS = [COSINE, DOT, EUCLIDEAN]


def noise(count, dim, seed=0):
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


def test_bits_times_dimensions_stay_in_bounds():
    assert {dim: planes_for(dim) for dim in (1, 191, 192, 639, 640, 4096)} == {
        1: 4, 191: 4, 192: 2, 639: 2, 640: 1, 4096: 1,
    }  # fmt: skip


class TestEncoded:
    @pytest.mark.parametrize(("dim", "octets"), [(3, 4), (200, 50), (700, 88)])
    def test_shapes(self, dim, octets):
        rows = noise(130, dim)
        codes, factors, center = encoded(rows, lengths(rows), COSINE)
        assert codes.shape == (3, octets, 64)
        assert factors.shape == (3, 2, 64)
        assert center.shape == (dim,)

    def test_the_center_is_the_mean(self):
        rows = np.float32([[2, 0], [0, 4]])
        assert encoded(rows, lengths(rows), DOT)[2].tolist() == [1, 2]
        assert encoded(rows, lengths(rows), EUCLIDEAN)[2].tolist() == [1, 2]
        # of rows of length 1
        assert encoded(rows, lengths(rows), COSINE)[2].tolist() == [0.5, 0.5]

    @pytest.mark.parametrize("metric", METRICS, ids=str)
    def test_in_slices(self, metric, monkeypatch):
        rows = noise(200, 10)
        whole = encoded(rows, lengths(rows), metric)
        monkeypatch.setattr("plait.dense.codes._SLICE", 370)
        monkeypatch.setattr("plait.dense.codes._PIECE", 370)
        for one, other in zip(encoded(rows, lengths(rows), metric), whole, strict=True):
            np.testing.assert_array_equal(one, other)

    def test_the_center_of_many_is_that_of_a_sample(self, monkeypatch):
        monkeypatch.setattr("plait.dense.codes._SAMPLE", 10)
        rows = np.arange(45, dtype=np.float32)[:, np.newaxis] + 1
        # every fourth
        assert encoded(rows, lengths(rows), DOT)[2].tolist() == [np.mean([*range(1, 46, 4)])]

    def test_the_length_of_a_row_says_nothing_of_its_angle(self):
        rows = noise(100, 24)
        longer = rows * np.float32(4)
        one, other = (encoded(each, lengths(each), COSINE) for each in (rows, longer))
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)


class TestAsk:
    def test_by_hand(self):
        """Center 0: the query itself is asked, to scale, as far as 63 goes."""
        query = np.float32([1, 2, 0, 0, -4, 0, 0, 0])
        table, line = ask(query, np.zeros(8, np.float32), EUCLIDEAN, 1)
        # the first 4 add 0 to 3, the others -4 to 0: a span of 4 is 63
        assert table[0, :4].tolist() == [0, 16, 32, 47]  # 63 / 4 times 0, 1, 2, 3
        assert table[1, :2].tolist() == [63, 0]
        slope, shift, pull = line.tolist()
        assert slope == pytest.approx(2 / (63 / 4))
        # 2 * (0 - 4), the least that is added, less what all dimensions add, 1 + 2 - 4
        assert shift == 2 * -4 - -1
        assert pull == 1
        # <w, q> of w = 1, 1, ..., 1, and of w = 1, -1, 1, 1, 1, ...
        for number, true in ((15, -1), (0b1101, -1 - 4)):
            assert slope * (table[0, number] + table[1, 15]) + shift == pytest.approx(true, abs=0.2)

    @pytest.mark.parametrize("metric", [COSINE, DOT], ids=str)
    def test_the_length_of_a_query_does_not_matter(self, metric):
        query, center = noise(2, 20)
        one, other = ask(query, center, metric, 2), ask(query * np.float32(8), center, metric, 2)
        np.testing.assert_array_equal(one.table, other.table)
        np.testing.assert_array_equal(one.line, other.line)

    @pytest.mark.parametrize("metric", [COSINE, DOT], ids=str)
    def test_a_query_along_the_center_leaves_nothing_to_estimate(self, metric):
        center = np.float32([3, 4])
        table, (slope, _, pull) = ask(center * np.float32(2), center, metric, 4)
        assert pull == pytest.approx(1 / 5)
        assert slope * int(table.max()) == pytest.approx(0, abs=1e-6)

    @pytest.mark.parametrize("metric", [DOT, EUCLIDEAN], ids=str)
    def test_zeros(self, metric):
        table, line = ask(np.zeros(8, np.float32), np.zeros(8, np.float32), metric, 4)
        assert not table.any()
        assert line[:2].tolist() == [0, 0]

    @pytest.mark.parametrize("dim", [1, 384, 4096, 20_000])
    def test_sums_stay_below_two_bytes(self, dim):
        table, _ = ask(noise(1, dim)[0], noise(1, dim, 1)[0], EUCLIDEAN, 1)
        assert table.max() <= LARGEST
        assert table.max(axis=1).astype(int).sum() < 2**16
        assert table.any()
