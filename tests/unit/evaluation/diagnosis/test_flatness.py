from plait.evaluation.diagnosis.background import Background
from plait.evaluation.diagnosis.flatness import capped_scores, flat_scores
from plait.types import Chunk, Ranking


def hits(*scores: float | None) -> list[tuple[str, float | None]]:
    return [(f"c{n}", score) for n, score in enumerate(scores)]


FINE = {"a": hits(9.0, 5.0, 1.0)}


def test_scores_that_do_not_vary(case) -> None:
    flat = {"a": hits(1.0, 1.0, 1.0)}
    (finding,) = flat_scores(case(*[flat] * 2, *[FINE] * 18))
    assert (finding.kind, finding.severity, finding.legs) == ("flat_scores", "warning", ("a",))
    assert finding.figures == {"queries": 20, "flat": 2}
    assert finding.examples[0].detail == "3 hits at 1"


def test_one_flat_query_in_twenty_is_not_the_leg_s_way(case) -> None:
    assert list(flat_scores(case({"a": hits(1.0, 1.0)}, *[FINE] * 19))) == []


def test_flat_is_what_score_fusions_take_for_flat(case) -> None:
    almost, hardly = {"a": hits(1.0 + 5e-7, 1.0)}, {"a": hits(1.0 + 2e-6, 1.0)}
    assert len(list(flat_scores(case(*[almost] * 10)))) == 1
    assert list(flat_scores(case(*[hardly] * 10))) == []


def test_lone_hits_and_hits_without_scores_are_not_flat(case) -> None:
    reranked = Ranking("a", ("x", "y"), (1.0, 1.0), order="position")
    for legs in ({"a": hits(1.0)}, {"a": hits(None, None)}, {"a": []}, {"a": reranked}):
        assert list(flat_scores(case(*[legs] * 20))) == []
        assert list(capped_scores(case(*[legs] * 20))) == []


def test_a_cap(case) -> None:
    capped = {"a": hits(1.0, 1.0, 1.0, 1.0, 1.0, 0.5)}
    (finding,) = capped_scores(case(*[capped] * 3, *[FINE] * 17))
    assert (finding.kind, finding.severity) == ("capped_scores", "warning")
    assert finding.figures == {"queries": 20, "tied": 3, "most_tied": 5, "ceiling": 1.0}
    assert "mostly 1" in finding.summary
    assert "cap" in finding.advice


def test_ties_at_ever_other_scores_are_no_cap(case) -> None:
    tied = [{"a": hits(*[float(n)] * 5, 0.0)} for n in range(1, 11)]
    (finding,) = capped_scores(case(*tied))
    assert finding.figures["ceiling"] is None
    assert "mostly" not in finding.summary


def test_four_ties_and_flat_scores_are_not_capped(case) -> None:
    assert list(capped_scores(case(*[{"a": hits(1.0, 1.0, 1.0, 1.0, 0.5)}] * 20))) == []
    assert list(capped_scores(case(*[{"a": hits(*[1.0] * 6)}] * 20))) == []


def test_equal_texts_have_equal_scores_by_right(case) -> None:
    capped = {"a": hits(1.0, 1.0, 1.0, 1.0, 1.0, 0.5)}
    same = Background({f"c{n}": Chunk("the same text") for n in range(5)})
    assert list(capped_scores(case(*[capped] * 20, background=same))) == []
