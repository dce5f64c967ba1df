from plait.evaluation.diagnosis.overlap import overlap_of_legs


def answers(shared: int, queries: int = 10) -> list[dict]:
    """Two lists of ten with so many in common, at the same ranks."""
    first = [(f"c{n}", 10.0 - n) for n in range(10)]
    second = [(f"c{n}" if n < shared else f"other{n}", 10.0 - n) for n in range(10)]
    return [{"dense": first, "bm25": second}] * queries


def test_legs_that_hardly_agree(case) -> None:
    (finding,) = overlap_of_legs(case(*answers(1)))
    assert (finding.kind, finding.severity) == ("low_overlap", "warning")
    assert finding.figures["overlap_at_10"] == 1 / 10
    assert "10 % of their first ten hits" in finding.summary


def test_legs_that_agree_as_legs_do(case) -> None:
    for shared in (2, 5, 8):
        assert list(overlap_of_legs(case(*answers(shared)))) == []


def test_legs_of_which_one_would_do(case) -> None:
    (finding,) = overlap_of_legs(case(*answers(10)))
    assert finding.figures["rank_biased"] == 1
    assert (finding.kind, finding.severity) == ("high_overlap", "info")


def test_what_never_meets_is_another_finding(case) -> None:
    assert list(overlap_of_legs(case(*answers(0)))) == []


def test_few_queries_and_legs_left_out_say_nothing(case) -> None:
    assert list(overlap_of_legs(case(*answers(1, queries=9)))) == []
    assert list(overlap_of_legs(case(*answers(1), weights={"bm25": 0}))) == []
