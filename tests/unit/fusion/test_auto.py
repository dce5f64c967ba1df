"""Auto: min-max scores times how far the leg is trusted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from plait.errors import ConfigurationError, ContractError
from plait.fusion import Auto, Rsf, fuse
from plait.types import Ranking

BM25 = Ranking("bm25", ("a", "b", "c"), (9.0, 3.0, 1.0))
LEAD = (9 - (3 + 1) / 2) / (9 - 1)  # 0.875
DENSE = Ranking("dense", ("c", "d"), (0.8, 0.2))  # a lead of (0.8 - 0.2)/(0.8 - 0.2) = 1


def test_without_both_signs_it_is_rsf():
    covered = replace(BM25, coverage=0.25)
    assert Auto(coverage=0, lead=0).contributions(covered) == Rsf().contributions(covered)
    assert Auto(coverage=0, lead=0).notes(covered, [1.0, 0.25, 0.0]) == ()


def test_a_leg_counts_by_what_its_first_hit_matches():
    covered = replace(BM25, coverage=0.16)
    assert Auto(lead=0).contributions(covered) == [0.4, 0.4 * 0.25, 0.0]
    assert Auto(coverage=1, lead=0).contributions(covered) == [0.16, 0.16 * 0.25, 0.0]
    assert Auto(lead=0).contributions(BM25) == [1.0, 0.25, 0.0]


def test_a_leg_counts_by_how_far_its_first_hit_leads():
    assert Auto(lead=1).contributions(BM25) == [LEAD, LEAD * 0.25, 0.0]
    assert Auto().contributions(BM25) == pytest.approx([LEAD**0.5, LEAD**0.5 * 0.25, 0.0])
    assert Auto().contributions(replace(BM25, coverage=0.25))[0] == pytest.approx(0.5 * LEAD**0.5)


def test_the_lead_is_over_the_next_nine_hits():
    scores = (10.0, *[4.0] * 9, *[0.0] * 30)
    ids = tuple(str(place) for place in range(len(scores)))
    assert Auto(lead=1).contributions(Ranking("a", ids, scores))[0] == (10 - 4) / 10


def test_a_lead_is_never_nothing():
    level = Ranking("a", tuple(map(str, range(12))), (*[5.0] * 11, 1.0))
    assert Auto(lead=1).contributions(level)[0] == 0.02


def test_distances_lead_as_similarities_do():
    near = Ranking("d", ("a", "b", "c"), (-9.0, -3.0, -1.0), higher_is_better=False)
    assert Auto(lead=1).contributions(near) == [LEAD, LEAD * 0.25, 0.0]


def test_the_other_leg_decides_where_one_says_nothing():
    pool = fuse([replace(BM25, coverage=0.0), DENSE], Auto(), [0.7, 0.3])
    assert [hit.id for hit in pool.hits(0, 9)] == ["c", "a", "b", "d"]
    assert [hit.score for hit in pool.hits(0, 9)] == [0.3, 0.0, 0.0, 0.0]
    assert pool.notes["bm25"] == (
        "trusted × 0: its first hit matches 0% of the query, leads by 0.88",
    )


def test_the_trust_is_in_the_contributions_and_they_add_up():
    pool = fuse([replace(BM25, coverage=0.25), DENSE], Auto(lead=0), [0.7, 0.3])
    first = pool.hits(0, 1)[0]
    assert first.id == "a"
    assert [(each.normalized, each.value) for each in first.contributions] == [
        (0.5, 0.7 * 0.5),
        (0.0, 0.0),
    ]
    assert pool.score_bound == 0.7 + 0.3


def test_a_single_hit_and_scores_that_do_not_vary_lead_in_full():
    lone = Ranking("bm25", ("a",), (4.0,), coverage=0.25)
    assert Auto().contributions(lone) == [0.5]
    assert Auto().notes(lone, [0.5]) == (
        "its only hit counts 1",
        "trusted × 0.5: its first hit matches 25% of the query, leads by 1.00",
    )
    flat = Ranking("bm25", ("a", "b"), (4.0, 4.0), coverage=0.25)
    assert Auto().contributions(flat) == [0.5, 0.5]
    assert Auto().contributions(Ranking("bm25", (), (), coverage=0.25)) == []


def test_a_leg_without_scores_goes_by_rank():
    bare = Ranking("a", ("x", "y"), (None, None))
    assert Auto().contributions(bare) == [1.0, 0.5]
    moved = Ranking("a", ("x", "y"), (1.0, 9.0), order="position")
    assert Auto().contributions(moved) == [1.0, 0.5]


@pytest.mark.parametrize("exponent", [-0.1, float("nan"), True, "much"])
@pytest.mark.parametrize("name", ["coverage", "lead"])
def test_an_exponent_that_is_none_is_refused(name, exponent):
    with pytest.raises(ConfigurationError, match=f"auto: {name} is"):
        Auto(**{name: exponent})


@pytest.mark.parametrize("coverage", [-0.1, 1.1, float("nan"), 1, True])
def test_a_coverage_that_is_no_share_is_refused(coverage):
    with pytest.raises(ContractError, match="coverage"):
        replace(BM25, coverage=coverage)
