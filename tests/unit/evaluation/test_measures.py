"""Measures by name."""

import pytest

from plait.errors import ConfigurationError
from plait.evaluation.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures


@pytest.mark.parametrize(
    "text",
    ["nDCG", "nDCG@10", "R@100", "P@5", "RR", "RR@10", "AP", "AP@100", "Success@1", "Judged@10"],
)
def test_text_form_parses_back(text: str) -> None:
    assert str(parse_measure(text)) == text
    assert parse_measure(f" {text.lower()} ") == parse_measure(text)


@pytest.mark.parametrize(
    "text",
    ["", "foo", "R", "P", "Success", "Judged", "nDCG@0", "P@-1", "P@05", "P@1.5", "P@", "@5",
     "P@5 x", "nDCG@10000000", "P(rel=2)@5", None, 5],
)  # fmt: skip
def test_refuses_with_the_list(text: object) -> None:
    with pytest.raises(ConfigurationError, match=r"unknown measure .* there are nDCG, nDCG@k, R@k"):
        parse_measure(text)  # type: ignore[arg-type]


def test_several_each_once() -> None:
    assert parse_measures(["AP", "ndcg@10", "AP"]) == (Measure("AP"), Measure("nDCG", 10))
    assert [str(each) for each in parse_measures(DEFAULT_MEASURES)] == ["nDCG@10", "R@100", "RR@10"]


def test_refuses_none_and_one_text() -> None:
    with pytest.raises(ConfigurationError, match="no measure given"):
        parse_measures([])
    with pytest.raises(ConfigurationError, match="put one in a list"):
        parse_measures("AP")
