import pytest

from plait.evaluation.diagnosis.influence import dominant_legs, idle_legs
from plait.fusion import Rrf, ZScore

LEFT = [(f"c{n}", 20.0 - n) for n in range(12)]


def test_a_leg_without_which_nothing_changes(case) -> None:
    # its hits are those of the other leg at the bottom, with next to no weight
    answers = [{"dense": LEFT, "bm25": [("c11", 3.0), ("c10", 1.0)]}] * 10
    (finding,) = idle_legs(case(*answers, weights={"bm25": 0.001}))
    assert (finding.kind, finding.severity, finding.legs) == ("idle_leg", "warning", ("bm25",))


def test_order_counts_as_a_change(case) -> None:
    answers = [{"dense": LEFT, "bm25": [("c1", 3.0), ("c0", 1.0)]}] * 10
    assert list(idle_legs(case(*answers))) == []


def test_one_query_is_enough_of_a_change(case) -> None:
    same = {"dense": LEFT, "bm25": [("c0", 3.0)]}
    other = {"dense": LEFT, "bm25": [("c5", 3.0)]}
    assert [finding.legs for finding in idle_legs(case(*[same] * 10))] == [("bm25",)]
    assert list(idle_legs(case(*[same] * 10, other))) == []


def test_legs_that_found_nothing_or_are_left_out_are_not_idle(case) -> None:
    answers = [{"dense": LEFT, "bm25": []}] * 10
    assert list(idle_legs(case(*answers))) == []
    answers = [{"dense": LEFT, "bm25": [("c0", 3.0)]}] * 10
    assert list(idle_legs(case(*answers, weights={"bm25": 0}))) == []
    assert list(idle_legs(case(*answers[:9]))) == []


def test_a_leg_that_brings_nearly_all_of_the_score(case) -> None:
    # k makes the first leg's shares equal; the second returned one hit of twelve
    answers = [{"dense": LEFT, "bm25": [("c0", 3.0)]}] * 10
    found = case(*answers, fusion=Rrf(k=60))
    (finding,) = dominant_legs(found)
    dense = sum(1 / (60 + rank) for rank in range(1, 11))
    assert finding.legs == ("dense",)
    assert finding.figures["share"] == pytest.approx(dense / (dense + 1 / 61))
    assert finding.figures["weight_share"] == 0.5


def test_a_leg_that_is_meant_to_decide(case) -> None:
    answers = [{"dense": LEFT, "bm25": [("c0", 3.0)]}] * 10
    assert list(dominant_legs(case(*answers, fusion=Rrf(), weights={"dense": 3}))) == []


def test_where_only_one_leg_answers_it_has_no_choice(case) -> None:
    answers = [{"dense": LEFT, "bm25": []}] * 20
    assert list(dominant_legs(case(*answers))) == []


def test_contributions_that_may_be_negative_have_no_shares(case) -> None:
    answers = [{"dense": LEFT, "bm25": [("c0", 3.0)]}] * 10
    assert list(dominant_legs(case(*answers, fusion=ZScore()))) == []
