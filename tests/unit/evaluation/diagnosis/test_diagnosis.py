import json

import pytest

from plait.errors import ConfigurationError
from plait.evaluation import Qrels
from plait.evaluation.diagnosis import Background, diagnose
from plait.evaluation.diagnosis.terms import QueryTerms
from plait.fusion import Rrf
from plait.types import Ranking


def kinds(diagnosis) -> list[str]:
    return [finding.kind for finding in diagnosis.findings]


def test_of_a_healthy_recording_there_is_nothing_to_say(recorded, healthy) -> None:
    for fusion in ("rsf()", "rrf(k=60)", "dbsf()", "zscore()"):
        diagnosis = diagnose(recorded(*healthy(50), fetch_k=40), fusion=fusion)
        assert diagnosis.findings == ()
        assert diagnosis.healthy
        assert diagnosis.text().endswith("no problem found")


def test_findings_come_worst_first(recorded, healthy) -> None:
    answers = healthy(20)
    answers[3]["bm25"] = []
    out = Ranking("dense", ("c1",), (7.0,), score_range=(-1, 1))
    answers[4]["dense"] = out
    failures = {"q5": {"dense": "LegTimeoutError: late"}}
    answers[5]["dense"] = []
    diagnosis = diagnose(recorded(*answers, failures=failures))
    assert [finding.severity for finding in diagnosis.findings] == ["problem", "warning", "warning"]
    assert kinds(diagnosis) == ["out_of_range", "failing_leg", "no_match"]
    assert not diagnosis.healthy
    assert diagnosis.text().endswith("1 problem, 2 warnings")


def test_the_legs_figures(recorded) -> None:
    both = {"dense": [("x", 0.9), ("y", 0.1)], "bm25": [("y", 4.0)]}
    empty = {"dense": [("x", 0.9)], "bm25": []}
    failed = {"dense": [("x", 0.9)], "bm25": []}
    recording = recorded(both, empty, failed, failures={"q2": {"bm25": "LegError: down"}})
    diagnosis = diagnose(recording, fusion="rrf(k=1)", weights={"bm25": 2})
    dense, bm25 = diagnosis.legs
    assert (bm25.weight, bm25.answered, bm25.empty, bm25.failed) == (2, 1, 1, 1)
    assert (bm25.hits, bm25.in_top) == (1.0, 1 / 4)
    assert (dense.answered, dense.hits, dense.in_top) == (3, 4 / 3, 1.0)
    # dense gives 1/2 + 1/3, then 1/2 twice; bm25 2/2
    assert bm25.share == pytest.approx(1 / (1 / 2 + 1 / 3 + 1 / 2 + 1 / 2 + 1))
    assert dense.share == pytest.approx(1 - bm25.share)


def test_there_are_no_shares_of_negative_scores(recorded, healthy) -> None:
    diagnosis = diagnose(recorded(*healthy(10)), fusion="zscore()")
    assert [leg.share for leg in diagnosis.legs] == [None, None]


def test_fusion_and_weights_are_those_recorded_unless_given(recorded, healthy) -> None:
    origin = {"fusion": "rrf(k=60)", "weights": {"dense": 1, "bm25": 0}}
    recording = recorded(*healthy(10), origin=origin)
    diagnosis = diagnose(recording)
    assert diagnosis.fusion == "rrf(k=60)"
    assert [leg.weight for leg in diagnosis.legs] == [1, 0]
    assert diagnosis.pairs == ()  # a leg that is left out is compared with none
    given = diagnose(recording, fusion=Rrf(k=5), weights=[1, 1])
    assert given.fusion == "rrf(k=5)"
    assert len(given.pairs) == 1
    named = diagnose(recording, weights={"dense": 3})
    assert [leg.weight for leg in named.legs] == [3, 0]


def test_mistakes_are_told_before_any_work(recorded, healthy) -> None:
    recording = recorded(*healthy(2), origin={})
    with pytest.raises(ConfigurationError, match="pass fusion="):
        diagnose(recording)
    with pytest.raises(ConfigurationError, match="unknown legs"):
        diagnose(recording, fusion="rsf()", weights={"sparse": 1})
    with pytest.raises(ConfigurationError, match=r"such as 'q0', .* such as 'other'"):
        diagnose(recording, fusion="rsf()", qrels=Qrels({"other": {"c1": 1}}))
    nothing = recorded({"a": []}, rankings={}, topics={})
    with pytest.raises(ConfigurationError, match="no topics"):
        diagnose(nothing)


def test_few_queries_are_said_to_be_few(recorded, healthy) -> None:
    assert kinds(diagnose(recorded(*healthy(9), fetch_k=40))) == ["few_queries"]
    one = diagnose(recorded(*healthy(1), fetch_k=40)).text()
    assert one.startswith("1 query, 40 candidates a leg")
    assert "only 1 query was looked at" in one


def test_when_nothing_is_found_that_is_all(recorded) -> None:
    diagnosis = diagnose(recorded(*[{"dense": [], "bm25": []}] * 10))
    assert kinds(diagnosis) == ["nothing_found"]
    assert diagnosis.legs[0].hits is None
    assert diagnosis.text()


def test_one_leg_alone(recorded, healthy) -> None:
    answers = [{"dense": legs["dense"]} for legs in healthy(10)]
    diagnosis = diagnose(recorded(*answers, fetch_k=40))
    assert (diagnosis.findings, diagnosis.pairs) == ((), ())
    assert diagnosis.legs[0].share == 1.0


def test_it_is_told_as_json_values(recorded, healthy) -> None:
    answers = healthy(10)
    answers[0]["bm25"] = []
    diagnosis = diagnose(recorded(*answers, fetch_k=40))
    told = json.loads(json.dumps(diagnosis.to_dict()))
    assert told == diagnosis.to_dict()
    assert list(told) == ["queries", "fetch_k", "fusion", "findings", "legs", "pairs"]
    assert told["findings"][0]["kind"] == "no_match"
    assert told["pairs"][0]["queries"] == 9


def test_what_the_collection_knows_is_used(recorded, healthy) -> None:
    terms = {f"q{n}": QueryTerms((), ("kündige",)) for n in range(10)}
    diagnosis = diagnose(recorded(*healthy(10)), background=Background(terms=terms))
    assert kinds(diagnosis) == ["unknown_words"]


def test_the_order_of_the_legs_changes_no_finding(recorded, healthy) -> None:
    answers = healthy(30)
    turned = [{leg: legs[leg] for leg in ("bm25", "dense")} for legs in answers]
    one = diagnose(recorded(*answers, fetch_k=40), fusion="rrf(k=60)")
    other = diagnose(recorded(*turned, fetch_k=40), fusion="rrf(k=60)")
    assert kinds(one) == kinds(other)
    assert one.legs == other.legs[::-1]
