"""A comparison to report: three systems, two measures, and ids that would be markup."""

import pytest

from plait.evaluation.comparison import Comparison, compare
from plait.evaluation.evaluation import Estimate, Evaluation
from plait.evaluation.qrels import Qrels
from plait.evaluation.run import Run
from plait.evaluation.topics import Topics

EVIL = "<script>alert('1')</script>"
MEASURES = ("nDCG@10", "R@100")
COUNT = 8


def _system(name: str, gain: float, *, notes: tuple[str, ...] = ()) -> Evaluation:
    values = {f"t{n}": max(0.0, min(1.0, 0.1 * n + gain * (n + 1))) for n in range(COUNT)}
    mean = sum(values.values()) / COUNT
    return Evaluation(
        name=name,
        run=Run(name, {topic: ((f"{topic}-{EVIL}", 2.0), ("other", 1.0)) for topic in values}),
        measures=MEASURES,
        per_query={
            topic: dict.fromkeys(MEASURES, value) for topic, value in values.items()
        },
        means=dict.fromkeys(MEASURES, Estimate(mean, mean - 0.1, mean + 0.1, COUNT)),
        notes=notes,
        qrels=Qrels({topic: {f"{topic}-{EVIL}": 1} for topic in values}),
    )  # fmt: skip


@pytest.fixture
def compared() -> Comparison:
    """``base``; ``better`` on all topics but the last; one with markup for a name, the same."""
    return compare(
        [
            _system("base", 0.0),
            _system("better", 0.03),
            _system(f'{EVIL}" onload="x', 0.0, notes=(f"a note with {EVIL}",)),
        ],
        measure=MEASURES,
        topics=Topics({f"t{n}": f"what is {EVIL} & | *{n}*?" for n in range(COUNT)}),
    )


@pytest.fixture
def evil() -> str:
    """A text that is markup unless it is escaped."""
    return EVIL
