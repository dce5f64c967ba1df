"""Auto: min-max scores times the part of the query that the leg knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plait.errors import ConfigurationError, ContractError
from plait.fusion import Auto, Rsf, fuse
from plait.types import Ranking

BM25 = Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0))
DENSE = Ranking("dense", ("c", "d"), (0.8, 0.2))


def test_a_leg_that_knows_the_query_counts_in_full():
    for coverage in (None, 1.0):
        known = replace(BM25, coverage=coverage)
        assert Auto().contributions(known) == Rsf().contributions(known) == [1.0, 0.25, 0.0]
        assert Auto().notes(known, [1.0, 0.25, 0.0]) == ()


def test_a_leg_that_knows_a_part_counts_by_its_power():
    known = replace(BM25, coverage=0.16)
    assert Auto().contributions(known) == [0.4, 0.4 * 0.25, 0.0]
    assert Auto(coverage=1).contributions(known) == [0.16, 0.16 * 0.25, 0.0]
    assert Auto(coverage=0).contributions(known) == [1.0, 0.25, 0.0]


def test_the_other_leg_decides_where_one_knows_nothing():
    pool = fuse([replace(BM25, coverage=0.0), DENSE], Auto(), [0.7, 0.3])
    assert [hit.id for hit in pool.hits(0, 9)] == ["c", "a", "b", "d"]
    assert [hit.score for hit in pool.hits(0, 9)] == [0.3, 0.0, 0.0, 0.0]
    assert pool.notes["bm25"] == ("knows 0% of the query: counts × 0",)


def test_the_trust_is_in_the_contributions_and_they_add_up():
    pool = fuse([replace(BM25, coverage=0.25), DENSE], Auto(), [0.7, 0.3])
    first = pool.hits(0, 1)[0]
    assert first.id == "a"
    assert [(each.normalized, each.value) for each in first.contributions] == [
        (0.5, 0.7 * 0.5),
        (0.0, 0.0),
    ]
    assert pool.score_bound == 0.7 + 0.3


def test_a_single_hit_and_scores_that_do_not_vary_are_trusted_as_little():
    lone = Ranking("bm25", ("a",), (4.0,), coverage=0.25)
    assert Auto().contributions(lone) == [0.5]
    assert Auto().notes(lone, [0.5]) == (
        "its only hit counts 1",
        "knows 25% of the query: counts × 0.5",
    )
    flat = Ranking("bm25", ("a", "b"), (4.0, 4.0), coverage=0.25)
    assert Auto().contributions(flat) == [0.5, 0.5]
    assert Auto().contributions(Ranking("bm25", (), (), coverage=0.25)) == []


@pytest.mark.parametrize("coverage", [-0.1, float("nan"), True, "much"])
def test_an_exponent_that_is_none_is_refused(coverage):
    with pytest.raises(ConfigurationError, match="auto: coverage is"):
        Auto(coverage=coverage)


@pytest.mark.parametrize("coverage", [-0.1, 1.1, float("nan"), 1, True])
def test_a_coverage_that_is_no_share_is_refused(coverage):
    with pytest.raises(ContractError, match="coverage"):
        replace(BM25, coverage=coverage)
