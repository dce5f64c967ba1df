"""The table of a comparison: a row of text per system, for a terminal or Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.report.numbers import interval, number, p_value, signed
from plait.printable import printable

__all__ = ["contrast_line", "returned_text", "table_header", "table_rows"]


def table_header(measure: str) -> tuple[str, ...]:
    """The names of the columns of ``table_rows``."""
    return (
        "system", measure, "95 % interval", "difference", "95 % interval",
        "p", "adjusted p", "wins/ties/losses",
    )  # fmt: skip


def table_rows(comparison: Comparison, measure: str) -> Iterator[tuple[str, ...]]:
    """One row per system by one measure; the baseline has no difference.

    Yields:
        As many cells as ``table_header`` has. Names are made fit for one line.
    """
    for name in comparison.systems:
        estimate = comparison.means[measure][name]
        row = (printable(name), number(estimate.mean), interval(estimate.low, estimate.high))
        if name == comparison.baseline:
            yield (*row, "baseline", "", "", "", "")
            continue
        difference = comparison.difference(name, measure)
        gain = difference.estimate
        yield (
            *row,
            signed(gain.mean),
            interval(gain.low, gain.high, sign=True),
            p_value(difference.p),
            p_value(difference.p_adjusted),
            f"{difference.wins}/{difference.ties}/{difference.losses}",
        )


def contrast_line(contrast: Contrast) -> str:
    """A topic on which two systems differ: by how much, and what was asked."""
    asked = printable(contrast.text) if contrast.text else ""
    topic = printable(contrast.topic)
    return (
        f"{signed(contrast.difference)} ({number(contrast.baseline_value)} to "
        f"{number(contrast.value)}) {topic}{asked and f': {asked}'}"
    )


def returned_text(hit: Returned) -> str:
    """A document that was returned: rank, id, and a star if it was judged relevant."""
    return f"{hit.rank}. {printable(hit.id)}{'*' if hit.is_relevant else ''}"
