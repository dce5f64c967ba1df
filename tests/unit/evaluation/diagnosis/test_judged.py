import math

import pytest

from plait.evaluation import Qrels
from plait.evaluation.diagnosis.judged import fusion_or_leg, out_of_reach
from plait.fusion import Rrf

SECOND = 1 / math.log2(3)  # gain of the only relevant document in second place


def judged(queries: int, document: str = "right") -> Qrels:
    return Qrels({f"q{n}": {document: 1, "wrong": 0} for n in range(queries)})


def hits(*ids: str) -> list[tuple[str, float]]:
    return [(id, 9.0 - n) for n, id in enumerate(ids)]


# Under rrf the hit that both legs have in second place beats the first of either.
HURT = {"dense": hits("x", "wrong"), "bm25": hits("right", "wrong")}
HELPED = {"dense": hits("x", "right"), "bm25": hits("y", "right")}
SAME = {"dense": hits("right", "x"), "bm25": hits("right", "y")}


def test_a_fusion_that_loses_to_its_better_leg(case) -> None:
    found = case(*[HURT] * 10, *[SAME] * 10, fusion=Rrf(k=60), qrels=judged(20))
    (finding,) = fusion_or_leg(found)
    assert (finding.kind, finding.severity, finding.legs) == ("fusion_hurts", "problem", ("bm25",))
    figures = finding.figures
    # wrong 2/62, then right and x with 1/61 each: the better rank in a leg, then the id
    assert figures["fused"] == pytest.approx((SECOND + 1) / 2)
    assert figures["legs"] == {"dense": 0.5, "bm25": 1.0}
    assert (figures["helped"], figures["hurt"]) == (0, 10)
    assert figures["best_alone"] == {"dense": 0, "bm25": 10}
    # ten differences of one sign: 2 of 2^10 sign patterns are as large
    assert figures["p"] == 2 / 2**10
    assert finding.examples[0].detail == f"{SECOND:.2f} fused, 1.00 with bm25"


def test_a_loss_that_may_be_chance_is_no_warning(case) -> None:
    found = case(*[HURT] * 3, SAME, fusion=Rrf(k=60), qrels=judged(4))
    (finding,) = fusion_or_leg(found)
    assert (finding.kind, finding.severity) == ("fusion_hurts", "info")
    assert "(p = 0.25: may be chance)" in finding.summary
    assert finding.figures["p"] == 2 / 2**3


def test_a_sure_but_small_loss_is_a_warning_and_a_tiny_one_is_nothing(case) -> None:
    # each of the ten queries that lose 1 - SECOND, in 250 a mean of 0.015, in 500 half of that
    found = case(*[HURT] * 10, *[SAME] * 240, fusion=Rrf(k=60), qrels=judged(250))
    (finding,) = fusion_or_leg(found)
    assert (finding.severity, finding.figures["p"]) == ("warning", 2 / 2**10)
    found = case(*[HURT] * 10, *[SAME] * 490, fusion=Rrf(k=60), qrels=judged(500))
    assert list(fusion_or_leg(found)) == []


def test_a_fusion_that_is_worth_it(case) -> None:
    found = case(*[HELPED] * 10, fusion=Rrf(k=60), qrels=judged(10))
    (finding,) = fusion_or_leg(found)
    assert (finding.kind, finding.severity) == ("fusion_helps", "info")
    assert finding.figures["fused"] == 1.0
    assert finding.figures["legs"] == {
        "dense": pytest.approx(SECOND),
        "bm25": pytest.approx(SECOND),
    }
    assert (finding.figures["helped"], finding.figures["hurt"]) == (10, 0)


def test_where_nothing_differs_nothing_is_said(case) -> None:
    found = case(*[SAME] * 10, fusion=Rrf(k=60), qrels=judged(10))
    assert list(fusion_or_leg(found)) == []
    assert list(out_of_reach(found)) == []


def test_without_judgments_or_a_second_leg_there_is_nothing_to_compare(case) -> None:
    for given in (
        {"qrels": None},
        {"qrels": judged(10), "weights": {"bm25": 0}},
    ):
        assert list(fusion_or_leg(case(*[HURT] * 10, **given))) == []
    assert list(out_of_reach(case(*[HURT] * 10))) == []
    assert list(out_of_reach(case(*[HURT] * 10, qrels=Qrels({"q1": {"right": 0}})))) == []


def test_judgments_may_name_documents(case) -> None:
    chunks = {"dense": hits("x#0", "wrong#1"), "bm25": hits("right#4", "wrong#1")}
    documents = {name: name.partition("#")[0] for name in ("x#0", "wrong#1", "right#4")}
    found = case(*[chunks] * 10, fusion=Rrf(k=60), qrels=judged(10), given={"documents": documents})
    (finding,) = fusion_or_leg(found)
    assert finding.figures["legs"] == {"dense": 0.0, "bm25": 1.0}
    assert list(out_of_reach(found)) == []


def test_relevant_documents_that_no_leg_finds(case) -> None:
    qrels = Qrels(
        {
            "q0": {"a": 1, "b": 2, "c": 1, "d": 1, "wrong": 0},
            "q1": {"a": 1},
            "q2": {"wrong": 0},
        }
    )
    answers = {"dense": hits("a", "x"), "bm25": hits("a", "b")}
    (finding,) = out_of_reach(case(answers, answers, answers, qrels=qrels))
    assert (finding.kind, finding.severity) == ("out_of_reach", "info")
    assert finding.figures == {
        "queries": 2,
        "union_recall": (2 / 4 + 1) / 2,
        "relevant": 5,
        "found_by_one_leg_only": {"dense": 0, "bm25": 1},
    }
    assert finding.examples[0].detail == "not found: c, d"
    few = Qrels({"q0": {"a": 1, "c": 1, "d": 1}})
    (finding,) = out_of_reach(case(answers, qrels=few))
    assert finding.severity == "warning"


def test_a_leg_that_is_left_out_reaches_nothing(case) -> None:
    answers = {"dense": hits("x"), "bm25": hits("right")}
    assert list(out_of_reach(case(answers, qrels=judged(1)))) == []
    (finding,) = out_of_reach(case(answers, qrels=judged(1), weights={"bm25": 0}))
    assert finding.figures["union_recall"] == 0
