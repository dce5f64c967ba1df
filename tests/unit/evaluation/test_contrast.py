"""Contrasts: which topics are shown, in which order, and what each system returned there."""

import pytest

from plait.evaluation.contrast import Contrast, Returned, find_contrasts
from plait.evaluation.evaluation import Evaluation
from plait.evaluation.qrels import Qrels
from plait.evaluation.run import Run
from plait.evaluation.topics import Topics


def system(name: str, values: dict[str, float], rankings=None, qrels=None) -> Evaluation:
    return Evaluation(
        name=name,
        run=Run(name, rankings or {}),
        measures=("AP",),
        per_query={topic: {"AP": value} for topic, value in values.items()},
        means={},
        qrels=Qrels(qrels or {}),
    )


def test_largest_difference_first_then_by_id_and_no_ties() -> None:
    base = system("base", {"a": 0.5, "b": 0.5, "c": 0.5, "d": 0.5, "e": 0.5})
    new = system("new", {"a": 0.6, "d": 0.25, "c": 0.75, "b": 0.5 + 1e-10, "e": 1.0})
    found = find_contrasts(new, base, "AP")
    assert [entry.topic for entry in found] == ["e", "c", "d", "a"]
    assert [entry.difference for entry in found[:3]] == [0.5, 0.25, -0.25]
    assert find_contrasts(new, base, "AP", most=2) == found[:2]


def test_what_each_returned_with_its_grade() -> None:
    ranking = (("x", 9.0), ("y", 5.0), ("z", 1.0))
    qrels = {"1": {"x": 2, "z": 0}}
    base = system("base", {"1": 0.0}, {"1": ranking}, qrels)
    new = system("new", {"1": 1.0}, {"1": ranking[:1]}, qrels)
    found = find_contrasts(
        new,
        base,
        "AP",
        topics=Topics({"1": "why?"}),
        top=2,
    )
    assert found == (
        Contrast(
            topic="1",
            text="why?",
            measure="AP",
            system="new",
            baseline="base",
            value=1.0,
            baseline_value=0.0,
            returned=(Returned("x", 1, 9.0, 2),),
            baseline_returned=(Returned("x", 1, 9.0, 2), Returned("y", 2, 5.0, None)),
        ),
    )


def test_a_document_judged_not_relevant_is_not_one_without_judgment() -> None:
    base = system("base", {"1": 0.0}, {"1": (("z", 1.0),)}, {"1": {"z": 0}})
    (found,) = find_contrasts(system("new", {"1": 1.0}), base, "AP")
    assert found.baseline_returned[0].grade == 0


@pytest.mark.parametrize(
    ("grade", "relevant"), [(1, True), (3, True), (0, False), (-1, False), (None, False)]
)
def test_relevant_is_a_grade_above_0(grade: int | None, relevant: bool) -> None:
    assert Returned("a", 1, 0.5, grade).is_relevant is relevant


def test_without_topics_judgments_or_ranking() -> None:
    (found,) = find_contrasts(system("new", {"1": 1.0}), system("base", {"1": 0.0}), "AP")
    assert (found.text, found.returned, found.baseline_returned) == (None, (), ())
    other = Topics({"2": "another"})
    (found,) = find_contrasts(
        system("new", {"1": 1.0}), system("base", {"1": 0.0}), "AP", topics=other
    )
    assert found.text is None
