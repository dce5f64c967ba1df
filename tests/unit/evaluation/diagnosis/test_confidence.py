"""FUSION and FAULTS: rank fusion throws away the exact identifier that only keywords find."""

import pytest

from plait.evaluation.diagnosis.confidence import lost_hits, margin
from plait.fusion import Rrf, Rsf
from plait.types import Ranking


def ranking(*scores: float | None, **given) -> Ranking:
    return Ranking("a", tuple(f"c{n}" for n in range(len(scores))), scores, **given)


def test_the_margin_is_of_the_first_against_the_next_nine() -> None:
    scores = [20.0, *[5.0] * 9, *[0.0] * 5]
    assert margin(ranking(*scores)) == (20 - 5) / 20
    assert margin(ranking(9.0, 3.0, 1.0)) == (9 - 2) / (9 - 1)
    assert margin(ranking(1.0, 3.0, 5.0, higher_is_better=False)) == (-1 + 4) / (-1 + 5)


@pytest.mark.parametrize(
    "scores", [(), (2.0, 2.0), (2.0, None), (None,)], ids=["none", "flat", "missing", "unscored"]
)
def test_without_scores_that_vary_there_is_no_margin(scores) -> None:
    assert margin(ranking(*scores)) is None


def test_a_lone_hit_stands_out_alone() -> None:
    assert margin(ranking(0.3)) == 1.0
    assert margin(ranking(0.3, 0.2, order="position")) is None


def identifiers(queries: int) -> list[dict]:
    """bm25 is sure of one hit that dense does not return; both know 30 others a little."""
    answers = []
    for n in range(queries):
        known = [f"k{n}_{each}" for each in range(30)]
        dense = [(id, 0.5 - each / 1000) for each, id in enumerate(known)]
        bm25 = [(f"E{n}", 20.0)] + [(id, 3.0 - each / 100) for each, id in enumerate(known)]
        answers.append({"dense": dense, "bm25": bm25})
    return answers


def plain(queries: int) -> list[dict]:
    return [{"dense": [("x", 0.9), ("y", 0.1)], "bm25": [("x", 4.0), ("y", 1.0)]}] * queries


def test_rank_fusion_throws_a_sure_hit_away(case) -> None:
    (finding,) = lost_hits(case(*identifiers(10), fusion=Rrf(k=60)))
    assert (finding.kind, finding.severity, finding.legs) == ("lost_hits", "problem", ("bm25",))
    assert (finding.figures["sure"], finding.figures["lost"]) == (10, 10)
    assert finding.figures["kept_by_rsf"] == 10
    assert "rsf() would keep 10 of these 10" in finding.advice
    assert finding.examples[0].detail.startswith("E0, margin 0.9")


def test_score_fusion_keeps_it(case) -> None:
    # it gets 1 from bm25; the first known hit 1 from dense, and 0.017 from bm25
    (finding,) = lost_hits(case(*identifiers(10), fusion=Rsf()))
    assert (finding.kind, finding.severity) == ("displaced_hits", "warning")
    assert finding.figures["displaced"] == 10
    assert finding.examples[0].detail.endswith("behind k0_0")
    assert "rsf()" not in finding.advice
    assert list(lost_hits(case(*identifiers(10), fusion=Rsf(), weights={"dense": 0.9}))) == []


def test_one_in_ten_is_a_warning_and_one_in_twenty_is_nothing(case) -> None:
    (finding,) = lost_hits(case(*identifiers(1), *plain(9), fusion=Rrf(k=60)))
    assert finding.severity == "warning"
    assert list(lost_hits(case(*identifiers(1), *plain(19), fusion=Rrf(k=60)))) == []


def test_one_leg_or_few_queries_say_nothing(case) -> None:
    answers = identifiers(10)
    assert list(lost_hits(case(*answers[:9], fusion=Rrf(k=60)))) == []
    assert list(lost_hits(case(*answers, fusion=Rrf(k=60), weights={"dense": 0}))) == []
