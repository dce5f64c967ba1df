import math

import pytest

from plait.evaluation.diagnosis.pairs import Pair
from plait.types import Ranking


def ranking(leg: str, ids: str, *, step: float = 1.0, **given) -> Ranking:
    scores = tuple(step * (100 - place) for place in range(len(ids)))
    return Ranking(leg, tuple(ids), scores, **given)


def test_figures_are_means_over_queries_that_both_answered() -> None:
    pair = Pair.of(
        "a",
        "b",
        [
            (ranking("a", "xyz"), ranking("b", "xyz")),
            (ranking("a", "xyz"), ranking("b", "uvw")),
            (ranking("a", "xyz"), ranking("b", "")),
        ],
    )
    assert (pair.queries, pair.overlap_at_10, pair.overlap, pair.jaccard) == (2, 0.5, 0.5, 0.5)
    assert pair.rank_biased == pytest.approx(0.5)
    assert (pair.correlation, pair.correlation_error, pair.correlated) == (None, None, 0)


def test_the_correlation_needs_ten_common_hits() -> None:
    ten = "abcdefghij"
    pair = Pair.of(
        "a",
        "b",
        [
            (ranking("a", ten), ranking("b", ten)),
            (ranking("a", ten), ranking("b", ten[::-1])),
            (ranking("a", ten[:9]), ranking("b", ten[:9])),
        ],
    )
    assert (pair.correlation, pair.correlated) == (0.0, 2)
    # of 1 and -1: the sample's deviation is sqrt(2)
    assert pair.correlation_error == pytest.approx(math.sqrt(2) / math.sqrt(2))


def test_distances_and_reranked_orders_count_as_they_are_ranked() -> None:
    ten = "abcdefghij"
    near = Ranking("a", tuple(ten), tuple(map(float, range(10))), higher_is_better=False)
    reranked = Ranking("b", tuple(ten), (1.0, 5.0) * 5, order="position")
    bare = Ranking("c", tuple(ten), (None,) * 10)
    for other in (reranked, bare):
        assert Pair.of("a", "b", [(near, other)]).correlation == 1


def test_without_queries_there_are_no_figures() -> None:
    pair = Pair.of("a", "b", [])
    assert pair.to_dict() == {
        "first": "a",
        "second": "b",
        "queries": 0,
        "overlap_at_10": None,
        "overlap": None,
        "jaccard": None,
        "rank_biased": None,
        "correlation": None,
        "correlation_error": None,
        "correlated": 0,
    }
