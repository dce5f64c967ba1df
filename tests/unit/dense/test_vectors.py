"""Vectors at the boundary of an index."""

import numpy as np
import pytest

from plait.dense.metric import COSINE, DOT, EUCLIDEAN
from plait.dense.vectors import check_query, check_rows
from plait.errors import ConfigurationError, QueryError

METRICS = [COSINE, DOT, EUCLIDEAN]


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.float16),
        np.array([[1, 2], [3, 4]], dtype=np.float64),
        np.array([[1, 3], [2, 4]], dtype=np.float32).T,
        [np.float32([1, 2]), np.float32([3, 4])],
    ],
)
def test_numbers_become_float32_rows(rows):
    checked = check_rows(rows, metric=COSINE, dim=2)
    assert checked.dtype == np.float32
    assert checked.flags.c_contiguous
    assert checked.tolist() == [[1, 2], [3, 4]]


def test_no_rows_are_fine():
    assert check_rows(np.empty((0, 2)), metric=COSINE, dim=2).shape == (0, 2)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2], [3]], "not numbers of shape"),
        ([1, 2], r"of shape \(2,\)"),
        ([[[1, 2]]], r"of shape \(1, 1, 2\)"),
        (np.empty((2, 0)), r"of shape \(2, 0\)"),
        ([["1", "2"]], "expected real numbers"),
        ([[True, False]], "expected real numbers"),
        ([[1 + 2j, 0]], "expected real numbers"),
        ([[1, 2, 3]], "vector 0: 3 dimensions, but this index holds vectors of 2"),
        ([[1, 2], [1, np.nan]], "vector 1: the vector holds NaN or infinite"),
        ([[1, 2], [np.inf, 1]], "vector 1: the vector holds NaN or infinite"),
        ([[1, 2], [1e300, 1]], "vector 1: the vector holds NaN or infinite"),
        ([[1, 2], [1e20, 1]], r"vector 1: the vector has length 1e\+20"),
        ([[1, 2], [1e-20, 0]], "vector 1: the vector has length 1e-20"),
    ],
)
@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_what_no_index_can_hold(rows, message, metric):
    with pytest.raises(ConfigurationError, match=message):
        check_rows(rows, metric=metric, dim=2)


def test_zeros_have_no_cosine():
    with pytest.raises(ConfigurationError, match="vector 1: the vector is all zeros"):
        check_rows([[1, 2], [0, 0]], metric=COSINE, dim=2)


@pytest.mark.parametrize("metric", [DOT, EUCLIDEAN], ids=str)
def test_zeros_have_a_dot_product_and_a_distance(metric):
    assert check_rows([[0, 0]], metric=metric, dim=2).tolist() == [[0, 0]]
    assert check_query([0, 0], metric=metric, dim=2).tolist() == [0, 0]


def test_rows_are_called_by_their_names():
    with pytest.raises(ConfigurationError, match="chunk 'b': the vector holds NaN"):
        check_rows([[1, 2], [1, np.nan]], metric=COSINE, dim=2, names=["chunk 'a'", "chunk 'b'"])
    with pytest.raises(ConfigurationError, match="chunk 'a': 2 dimensions"):
        check_rows([[1, 2]], metric=COSINE, dim=3, names=["chunk 'a'"])


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1, 2, 3], "the query: 3 dimensions, but this index holds vectors of 2"),
        ([[1, 2]], r"shape \(1, 2\), expected one of shape \(dim,\)"),
        (3, r"shape \(\)"),
        ([], r"shape \(1, 0\)"),
        ([1, np.nan], "the query: the vector holds NaN"),
        ([0, 0], "the query: the vector is all zeros"),
        (["a", "b"], "expected real numbers"),
    ],
)
def test_a_query_is_checked_the_same_way(vector, message):
    with pytest.raises(QueryError, match=message):
        check_query(vector, metric=COSINE, dim=2)


def test_while_nothing_fixes_the_dimension_any_will_do():
    assert check_query([1, 2, 3], metric=COSINE, dim=None).tolist() == [1, 2, 3]
