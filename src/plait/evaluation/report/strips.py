"""Figures of a comparison: a strip per system, its name before it and its numbers behind."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median

from plait.evaluation.comparison import Comparison
from plait.evaluation.report import plots
from plait.evaluation.report.markup import kind_of, text
from plait.evaluation.report.numbers import interval, number, p_value, signed
from plait.evaluation.report.scale import Scale

__all__ = ["difference_figure", "gain_figure", "mean_figure", "spread_figure"]


def mean_figure(comparison: Comparison, measure: str) -> str:
    """The mean of each system with its interval."""
    means = comparison.means[measure]
    scale = Scale.over(end for each in means.values() for end in (each.low, each.high))
    strips = []
    for name in comparison.systems:
        each = means[name]
        said = f"{number(each.mean)} ({interval(each.low, each.high)})"
        title = f"{name}: mean {measure} {said}"
        strips.append(_strip(name, said, plots.whisker(each, scale, title)))
    return _figure(
        f"Mean {measure} of each system with its 95 % interval. Overlapping intervals do not say "
        "that systems are alike: they were asked the same queries. See the differences.",
        [*strips, _strip("", "", plots.axis(scale))],
    )


def difference_figure(comparison: Comparison, measure: str) -> str:
    """The mean difference of each system to the baseline, and how exactly it is known."""
    differences = [comparison.difference(name, measure) for name in comparison.others]
    ends = [end for each in differences for end in (each.estimate.low, each.estimate.high)]
    scale = Scale.over([0.0, *ends])
    strips = []
    for each in differences:
        gain = each.estimate
        said = f"{signed(gain.mean)} ({interval(gain.low, gain.high, sign=True)})"
        title = f"{each.system} less {comparison.baseline}: {said}, p {p_value(each.p_adjusted)}"
        strips.append(_strip(each.system, said, plots.whisker(gain, scale, title, kind_of(each))))
    return _figure(
        f"Mean difference in {measure} to {comparison.baseline} with its 95 % interval: the "
        "shorter the line, the better it is known. Gray: may be chance.",
        [*strips, _strip("", "", plots.axis(scale))],
    )


def gain_figure(comparison: Comparison, measure: str) -> str:
    """Each topic's difference, sorted."""
    gains = {name: comparison.per_topic(name, measure) for name in comparison.others}
    limit = max(abs(gain) for of in gains.values() for gain in of) or 1.0
    strips = []
    for name, of in gains.items():
        each = comparison.difference(name, measure)
        said = f"{each.wins} wins, {each.ties} ties, {each.losses} losses"
        title = f"{name} against {comparison.baseline}, topic by topic: {said}"
        strips.append(_strip(name, said, plots.gains(of, limit, title)))
    return _figure(
        f"Difference in {measure} on each topic, sorted: up, the system is better than "
        f"{comparison.baseline}; down, worse. The whole height is {number(limit)} either way.",
        strips,
        "gains",
    )


def spread_figure(comparison: Comparison, measure: str) -> str:
    """How each system's values are distributed over the topics."""
    values = comparison.values[measure]
    scale = Scale.over(value for of in values.values() for value in of)
    heights = {name: plots.counts(of, scale) for name, of in values.items()}
    most = max(max(of) for of in heights.values())
    strips = []
    for name in comparison.systems:
        said = f"median {number(median(values[name]))}"
        title = f"{name}: topics by {measure}, {said}"
        strips.append(_strip(name, said, plots.histogram(heights[name], most, scale, title)))
    return _figure(
        f"Topics by {measure}. The whole height is {most:,} topics.",
        [*strips, _strip("", "", plots.axis(scale))],
        "spread",
    )


def _figure(caption: str, strips: Iterable[str], kind: str = "") -> str:
    body = "\n".join(strips)
    return f'<figure class="{kind}">\n<figcaption>{text(caption)}</figcaption>\n{body}\n</figure>'


def _strip(name: str, value: str, plot: str) -> str:
    return (
        f'<div class="strip"><span class="name">{text(name)}</span>{plot}'
        f'<span class="value">{text(value)}</span></div>'
    )
