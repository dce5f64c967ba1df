"""score_run against values worked out by hand."""

import builtins
import math
from typing import Any

import pytest

from plait.errors import ConfigurationError, MissingDependencyError
from plait.evaluation import Evaluation, Qrels, Run, score_run

ALL = ["nDCG@10", "nDCG", "R@10", "P@10", "RR", "RR@10", "AP", "Success@1", "Judged@10"]


def one(returned: list[str], grades: dict[str, int]) -> dict[str, float]:
    """Every measure of one topic."""
    pairs = tuple((name, float(-rank)) for rank, name in enumerate(returned))
    found = score_run(Run("r", {"1": pairs}), Qrels({"1": grades}), ALL)
    return dict(found.per_query["1"])


def test_the_ideal_is_that_of_the_judgments_and_k_that_of_the_measure() -> None:
    found = one(["a"], dict.fromkeys("abcde", 1))
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))  # 2.9485
    assert found["nDCG@10"] == pytest.approx(1 / ideal) == pytest.approx(1 / 2.9485, abs=1e-5)
    assert found["P@10"] == 1 / 10
    assert found["R@10"] == 1 / 5
    assert found["AP"] == pytest.approx(1 / 5)


def test_a_document_counts_once() -> None:
    found = one(["a", "a"], {"a": 1})
    assert found["R@10"] == found["nDCG@10"] == found["AP"] == 1.0
    assert found["P@10"] == 1 / 10


def test_a_repeated_document_does_not_push_others_down() -> None:
    assert one(["x", "x", "x", "a"], {"a": 1})["RR"] == 1 / 2


def test_gains_are_grades_and_the_discount_a_logarithm() -> None:
    found = one(["b", "x", "a"], {"a": 3, "b": 1})
    gained = 1 / math.log2(2) + 3 / math.log2(4)
    assert found["nDCG@10"] == pytest.approx(gained / (3 / math.log2(2) + 1 / math.log2(3)))
    assert found["AP"] == pytest.approx((1 / 1 + 2 / 3) / 2)


def test_negative_grades_and_unjudged_are_not_relevant() -> None:
    found = one(["bad", "new", "a"], {"bad": -1, "zero": 0, "a": 1})
    assert found["RR"] == pytest.approx(1 / 3)
    assert found["nDCG"] == pytest.approx(1 / math.log2(4))
    assert found["Success@1"] == 0.0
    assert found["Judged@10"] == pytest.approx(2 / 3)


def test_many_negative_grades() -> None:
    # Handed to trec_eval as they are, they end the process sooner or later.
    grades = {f"d{n}": -n for n in range(1, 40)}
    for _ in range(200):
        assert one(list(grades), grades)["nDCG"] == 0.0


def test_a_cutoff_looks_at_no_more() -> None:
    run = Run("r", {"1": tuple((f"d{rank}", -float(rank)) for rank in range(20))})
    found = score_run(run, Qrels({"1": {"d10": 1}}), ["RR@10", "RR", "R@10", "Success@11"])
    assert dict(found.per_query["1"]) == {
        "RR@10": 0.0,
        "RR": pytest.approx(1 / 11),
        "R@10": 0.0,
        "Success@11": 1.0,
    }


def test_order_is_that_of_the_run_also_for_equal_scores() -> None:
    for names in (["a", "b"], ["b", "a"]):
        run = Run("r", {"1": tuple((name, 1.0) for name in names)})
        found = score_run(run, Qrels({"1": {names[0]: 1}}), ["RR"])
        assert found.means["RR"].mean == 1.0


def test_names_that_c_strings_cannot_hold() -> None:
    assert one(["a\0b", "ü", " "], {"a\0c": 1, "ü": 1})["RR"] == 1 / 2


QRELS = Qrels({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 0}, "4": {}})


def test_topics_without_results_count_0_and_those_without_judgments_not_at_all() -> None:
    run = Run("r", {"1": (("a", 1.0),), "4": (("a", 1.0),), "9": (("a", 1.0),)})
    found = score_run(run, QRELS, ["RR"])
    assert {topic: row["RR"] for topic, row in found.per_query.items()} == {"1": 1, "2": 0, "3": 0}
    assert found.means["RR"].mean == pytest.approx(1 / 3)
    assert found.means["RR"].n == 3
    assert found.notes == (
        "2 topics (2, 3) without results counted 0",
        "2 topics (4, 9) without judgments left out",
        "1 topic (3) without a relevant document: no system can find one",
    )


def test_only_the_topics_that_were_asked_count() -> None:
    run = Run("r", {"1": (("a", 1.0),)})
    found = score_run(run, QRELS, ["RR"], topics=["1", "4"])
    assert found.means["RR"].mean == 1.0
    assert found.notes == (
        "1 topic (4) without judgments left out",
        "2 topics (2, 3) with judgments not asked",
    )


def test_repeated_and_failed_are_told() -> None:
    run = Run("r", {"1": (("a", 1.0), ("a", 0.5)), "2": ()})
    found = score_run(run, QRELS, ["RR"], topics=["1", "2"], failures={"2": "dense: boom"})
    assert found.notes == (
        "1 topic (2) failed in part or as a whole and counted with what was returned",
        "1 topic (2) without results counted 0",
        "1 topic (3) with judgments not asked",
        "repeated documents counted once, at their best place: 1 left out",
    )
    assert found.failures == {"2": "dense: boom"}


def test_ids_that_never_meet_are_told() -> None:
    run = Run("r", {"1": (("a#0", 1.0),)})
    (note,) = score_run(run, Qrels({"1": {"a": 1}}), ["RR"]).notes
    assert note.startswith("no result has a judgment: results are such as 'a#0', judgments such")


def test_nothing_returned_at_all() -> None:
    found = score_run(Run("r", {}), Qrels({"1": {"a": 1}}), ALL)
    assert set(found.per_query["1"].values()) == {0.0}
    assert found.means["AP"].low == found.means["AP"].high == 0.0


def test_the_interval_holds_the_mean() -> None:
    rankings = {str(n): (("a" if n % 3 else "x", 1.0),) for n in range(30)}
    found = score_run(Run("r", rankings), Qrels({topic: {"a": 1} for topic in rankings}), ["RR"])
    mean = found.means["RR"]
    assert mean.mean == pytest.approx(20 / 30)
    assert mean.low < mean.mean < mean.high
    assert mean.n == 30


def test_measures_keep_their_order_and_names() -> None:
    run = Run("r", {"1": (("a", 1.0),)})
    found = score_run(run, Qrels({"1": {"a": 1}}), ["rr", "ap", "ndcg@5"])
    assert found.measures == tuple(found.means) == ("RR", "AP", "nDCG@5")


def test_no_common_topic_is_an_error_with_both_kinds_of_ids() -> None:
    run = Run("r", {"q1": (("a", 1.0),)})
    with pytest.raises(ConfigurationError, match="'q1' in the topics and '1' in the judgments"):
        score_run(run, Qrels({"1": {"a": 1}}), topics=["q1"])
    with pytest.raises(ConfigurationError, match="there are no judgments"):
        score_run(run, Qrels({}))
    with pytest.raises(ConfigurationError, match="'q1' in the topics and '1' in the judgments"):
        score_run(run, Qrels({"1": {"a": 1}}))


def test_json_values() -> None:
    found: Evaluation = score_run(Run("r", {"1": (("a", 1.0),)}), Qrels({"1": {"a": 1}}), ["RR"])
    assert found.to_dict() == {
        "name": "r",
        "measures": ["RR"],
        "means": {"RR": {"mean": 1.0, "low": 1.0, "high": 1.0, "n": 1}},
        "per_query": {"1": {"RR": 1.0}},
        "notes": [],
        "failures": {},
    }


def test_says_which_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "ir_measures":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingDependencyError, match=r"pip install 'plait\[evaluation\]'"):
        score_run(Run("r", {"1": (("a", 1.0),)}), Qrels({"1": {"a": 1}}))
