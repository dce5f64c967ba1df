"""What a comparison shows, in sentences: the same in every form of a report."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.comparison import Comparison
from plait.evaluation.difference import Difference
from plait.evaluation.report.numbers import interval, p_value, signed
from plait.printable import printable

__all__ = ["method", "scope", "verdict", "verdicts"]


def scope(comparison: Comparison) -> str:
    """What was compared, in one line."""
    count = len(comparison.topics)
    return (
        f"{len(comparison.systems)} systems over {count:,} {'topic' if count == 1 else 'topics'}, "
        f"compared with {printable(comparison.baseline)}"
    )


def verdicts(comparison: Comparison) -> Iterator[str]:
    """One sentence for each system, by the main measure."""
    for name in comparison.others:
        yield verdict(comparison.difference(name))


def verdict(difference: Difference) -> str:
    """Whether a system is better than the baseline, worse, the same, or nothing can be said."""
    system, baseline = printable(difference.system), printable(difference.baseline)
    if difference.wins == difference.losses == 0:
        return f"{system} and {baseline} have the same {difference.measure} on every topic"
    estimate = difference.estimate
    figures = (
        f"{signed(estimate.mean)} {difference.measure}, 95 % interval "
        f"{interval(estimate.low, estimate.high, sign=True)}, "
        f"adjusted p {_p(difference.p_adjusted)}"
    )
    if not difference.is_real:
        return f"{system} and {baseline} cannot be told apart: {figures}"
    direction = "better" if estimate.mean > 0 else "worse"
    return f"{system} is {direction} than {baseline}: {figures}"


def method(comparison: Comparison) -> str:
    """How the intervals and p-values came about."""
    tests = len(comparison.differences)
    correction = (
        f"adjusted for {tests} comparisons by Holm's method" if tests > 1 else "of one comparison"
    )
    return (
        "Intervals are 95 % bootstrap intervals over the topics; p-values are two-sided, of the "
        f"paired randomization test, {correction}; seed {comparison.seed}. "
        "Wins, ties and losses count topics against the baseline."
    )


def _p(value: float) -> str:
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"
