"""Sentences: what may be said, and what may not."""

from dataclasses import replace

import pytest

from plait.evaluation.comparison import Comparison
from plait.evaluation.difference import Difference
from plait.evaluation.evaluation import Estimate
from plait.evaluation.report.words import method, scope, verdict, verdicts

DIFFERENCE = Difference(
    system="new", baseline="base", measure="AP", estimate=Estimate(0.03, 0.01, 0.05, 100),
    p=0.01, p_adjusted=0.02, wins=50, ties=30, losses=20,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {},
            (
                "new is better than base: +0.030 AP, 95 % interval +0.010 to +0.050, "
                "adjusted p = 0.020"
            ),
        ),
        (
            {"estimate": Estimate(-0.03, -0.05, -0.01, 100), "p_adjusted": 0.0004},
            "new is worse than base: -0.030 AP, 95 % interval -0.050 to -0.010, adjusted p <0.001",
        ),
        (
            {"p_adjusted": 0.05},
            (
                "new and base cannot be told apart: "
                "+0.030 AP, 95 % interval +0.010 to +0.050, adjusted p = 0.050"
            ),
        ),
        (
            {"wins": 0, "ties": 100, "losses": 0, "p_adjusted": 1.0},
            "new and base have the same AP on every topic",
        ),
        (
            {"system": "a\nb\x1b[31m"},
            (
                "a b [31m is better than base: +0.030 AP, 95 % interval +0.010 to +0.050, "
                "adjusted p = 0.020"
            ),
        ),
    ],
)
def test_verdict(changed: dict, said: str) -> None:
    assert verdict(replace(DIFFERENCE, **changed)) == said


def test_the_main_measure_is_told(compared: Comparison) -> None:
    told = list(verdicts(compared))
    assert len(told) == 2
    assert all("nDCG@10" in line and "R@100" not in line for line in told)


def test_scope_and_method(compared: Comparison) -> None:
    assert scope(compared) == "3 systems over 8 topics, compared with base"
    assert scope(replace(compared, topics=("t0",))) == "3 systems over 1 topic, compared with base"
    assert "adjusted for 4 comparisons by Holm's method; seed 0" in method(compared)
    one = replace(compared, differences=compared.differences[:1])
    assert "of the paired randomization test, of one comparison" in method(one)
