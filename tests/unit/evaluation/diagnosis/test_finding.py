import dataclasses

import pytest

from plait.evaluation.diagnosis.finding import Example, Finding, out_of


def test_it_is_frozen_with_its_figures() -> None:
    figures = {"queries": 3}
    finding = Finding("flat", "warning", ("bm25",), "flat", "look", figures)
    figures["queries"] = 4
    assert finding.figures == {"queries": 3}
    with pytest.raises(TypeError):
        finding.figures["queries"] = 5  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.kind = "other"  # type: ignore[misc]


def test_it_is_told_as_json_values() -> None:
    example = Example("q1", None, "3 hits")
    finding = Finding("flat", "info", ("a", "b"), "flat", "look", {"n": 1}, (example,))
    assert finding.to_dict() == {
        "kind": "flat",
        "severity": "info",
        "legs": ["a", "b"],
        "summary": "flat",
        "advice": "look",
        "figures": {"n": 1},
        "examples": [{"topic": "q1", "query": None, "detail": "3 hits"}],
    }


@pytest.mark.parametrize(
    ("count", "total", "said"),
    [
        (0, 10, "0 of 10 queries (0 %)"),
        (1, 1000, "1 of 1,000 queries (0.1 %)"),
        (10, 10, "10 of 10 queries (100 %)"),
        (5, 10, "5 of 10 queries (50 %)"),
        (0, 0, "0 of 0 queries (0 %)"),
    ],
)
def test_a_count_is_told_with_its_share(count: int, total: int, said: str) -> None:
    assert out_of(count, total) == said
