from plait.evaluation.diagnosis.window import small_window
from plait.fusion import Rrf


def answers(agreed: int) -> list[dict]:
    """Windows of 40 in which both legs return one hit, at this rank; it then beats rank one."""
    legs = {}
    for leg in ("dense", "bm25"):
        ids = [f"{leg}{n}" for n in range(40)]
        ids[agreed - 1] = "both"
        legs[leg] = [(id, 100.0 - n) for n, id in enumerate(ids)]
    return [legs] * 10


def test_hits_from_the_end_of_the_window_still_enter(case) -> None:
    # 1/(60 + 35) twice is more than 1/61
    (finding,) = small_window(case(*answers(35), fetch_k=40, fusion=Rrf(k=60)))
    assert finding.severity == "warning"
    assert finding.figures == {"fetch_k": 40, "queries": 10, "places": 100, "changed": 10}
    assert "fetch_k=80" in finding.advice


def test_hits_from_before_its_last_quarter_do_not_count(case) -> None:
    assert list(small_window(case(*answers(30), fetch_k=40, fusion=Rrf(k=60)))) == []


def test_legs_that_did_not_fill_the_window_returned_all_they_have(case) -> None:
    assert list(small_window(case(*answers(35), fetch_k=41, fusion=Rrf(k=60)))) == []


def test_few_queries_and_tiny_windows_say_nothing(case) -> None:
    assert list(small_window(case(*answers(35)[:9], fetch_k=40, fusion=Rrf(k=60)))) == []
    assert list(small_window(case(*[{"a": [("x", 1.0)]}] * 10, fetch_k=1))) == []
