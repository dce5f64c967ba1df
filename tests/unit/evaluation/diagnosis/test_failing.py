from plait.evaluation.diagnosis.failing import failing_legs

BOTH = {"dense": [("x", 0.9)], "bm25": [("x", 4.0)]}
DOWN = {"dense": [], "bm25": [("x", 4.0)]}


def test_a_leg_that_fails_now_and_then(case) -> None:
    failed = {"failures": {"q3": {"dense": "EmbeddingError: down"}}}
    (finding,) = failing_legs(case(*[BOTH] * 20, given=failed))
    assert (finding.severity, finding.legs) == ("warning", ("dense",))
    assert finding.figures == {"queries": 20, "failed": 1, "errors": {"EmbeddingError": 1}}
    assert finding.examples[0].detail == "EmbeddingError: down"
    assert "timeout" not in finding.advice


def test_a_leg_that_fails_for_one_in_ten_is_broken(case) -> None:
    failed = {"failures": {f"q{n}": {"dense": "LegTimeoutError: late"} for n in range(2)}}
    (finding,) = failing_legs(case(*[BOTH] * 20, given=failed))
    assert finding.severity == "problem"
    assert "2 times it ran out of time" in finding.summary
    assert "longer timeout" in finding.advice


def test_no_failures_no_finding(case) -> None:
    assert list(failing_legs(case(BOTH, DOWN))) == []
