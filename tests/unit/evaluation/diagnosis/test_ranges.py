import pytest

from plait.evaluation.diagnosis.ranges import out_of_range, unknown_floor, unusable_scores
from plait.fusion import Convex, Rrf
from plait.types import Ranking


def ranking(*scores: float | None, **given) -> Ranking:
    ids = tuple(f"c{n}" for n in range(len(scores)))
    return Ranking("a", ids, scores, **given)


def test_scores_outside_the_declared_range(case) -> None:
    fine = ranking(0.9, -0.2, score_range=(-1, 1))
    wrong = ranking(3.5, 0.2, -7.5, score_range=(-1, 1))
    (finding,) = out_of_range(case({"a": fine}, {"a": wrong}))
    assert (finding.severity, finding.legs) == ("problem", ("a",))
    assert finding.figures == {"range": [-1, 1], "queries": 1}
    assert "such as -7.5" in finding.summary
    assert "from -1 to 1" in finding.summary


@pytest.mark.parametrize(
    ("scores", "range"),
    [
        ((1.0000001, 0.0), (-1.0, 1.0)),  # rounding
        ((1e9, 0.0), (0.0, None)),
        ((-5.0,), (None, None)),
        ((None, 0.5), (0.0, 1.0)),
        ((), (0.0, 1.0)),
    ],
)
def test_scores_inside(case, scores, range) -> None:
    assert list(out_of_range(case({"a": ranking(*scores, score_range=range)}))) == []


def test_a_range_with_one_end(case) -> None:
    (finding,) = out_of_range(case({"a": ranking(2.0, -0.5, score_range=(0, None))}))
    assert "from 0 to …" in finding.summary


def test_missing_scores_under_score_fusion(case) -> None:
    answers = [{"a": ranking(0.9, None)}, {"a": ranking(0.9, 0.4)}]
    (finding,) = unusable_scores(case(*answers))
    assert finding.severity == "warning"
    assert "used by rank for 1 of 2 queries" in finding.summary
    assert finding.figures == {"queries": 2, "by_rank": 1, "partly": 1}


def test_rank_fusion_does_not_miss_scores_that_are_never_given(case) -> None:
    bare, reranked = ranking(None, None), ranking(0.4, 0.9, order="position")
    assert list(unusable_scores(case({"a": bare}, {"a": reranked}, fusion=Rrf()))) == []
    assert len(list(unusable_scores(case({"a": bare}, {"a": reranked})))) == 1
    (finding,) = unusable_scores(case({"a": ranking(0.9, None)}, fusion=Rrf()))
    assert "without a score for 1 of 1 queries" in finding.summary


def test_a_floor_that_convex_would_need(case) -> None:
    unknown, known = ranking(0.9, 0.4), ranking(0.9, 0.4, score_range=(0, None))
    (finding,) = unknown_floor(case({"a": unknown}, fusion=Convex()))
    assert finding.severity == "info"
    assert list(unknown_floor(case({"a": known}, fusion=Convex()))) == []
    assert list(unknown_floor(case({"a": unknown}))) == []


def test_the_floor_of_a_distance_is_its_highest(case) -> None:
    near = {"higher_is_better": False}
    known = ranking(0.1, 0.4, score_range=(None, 2.0), **near)
    unknown = ranking(0.1, 0.4, score_range=(0.0, None), **near)
    assert list(unknown_floor(case({"a": known}, fusion=Convex()))) == []
    assert len(list(unknown_floor(case({"a": unknown}, fusion=Convex())))) == 1
