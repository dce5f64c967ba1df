"""A comparison for a reader at a terminal: verdicts, a table per measure, topics that differ."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines, show_table
from plait.evaluation import Comparison, Contrast, Returned
from plait.evaluation.report import (
    contrast_line,
    method,
    returned_text,
    scope,
    table_header,
    table_rows,
    verdict,
)
from plait.printable import printable

__all__ = ["show_comparison"]

_STYLES = {True: "bold green", False: "bold red"}
# Of the table, what a narrow terminal can do without: the interval of the mean, which is not to be
# compared, the p-value that is not adjusted, and the wins.
_SPARE = (2, 5, 7)


def show_comparison(console: Console, comparison: Comparison, *, shown: int) -> None:
    """Print a comparison.

    Args:
        console: Where to.
        comparison: What to show.
        shown: Topics to show of each system, at most as many as were looked for; may be 0.
    """
    show_lines(console, Text(scope(comparison), style="bold"))
    for name in comparison.others:
        difference = comparison.difference(name)
        style = _STYLES[difference.estimate.mean > 0] if difference.is_real else ""
        show_lines(console, Text(verdict(difference), style=style), 2)
    for note in comparison.notes:
        show_lines(console, Text(f"note: {printable(note)}", style="yellow"), 2)
    for measure in comparison.measures:
        console.print()
        rows = table_rows(comparison, measure)
        show_table(console, table_header(measure), rows, spare=_SPARE)
    for name, contrasts in comparison.contrasts.items():
        if contrasts[:shown]:
            console.print()
            show_lines(console, _heading(name, comparison))
        for contrast in contrasts[:shown]:
            _show_contrast(console, contrast)
    console.print()
    show_lines(console, Text(method(comparison), style="dim"))


def _heading(name: str, comparison: Comparison) -> Text:
    who = f"{printable(name)} against {printable(comparison.baseline)}"
    text = Text(f"{who}, topics that differ most by {comparison.measures[0]}", style="bold")
    return text.append(" (* judged relevant)", "not bold dim")


def _show_contrast(console: Console, contrast: Contrast) -> None:
    show_lines(console, Text(contrast_line(contrast)), 2)
    for name, hits in (
        (contrast.baseline, contrast.baseline_returned),
        (contrast.system, contrast.returned),
    ):
        line = Text(f"{printable(name)}: ", style="cyan").append_text(_documents(hits))
        show_lines(console, line, 4)


def _documents(hits: tuple[Returned, ...]) -> Text:
    text = Text("nothing" if not hits else "", style="default")
    for hit in hits:
        text.append(", " if text.plain else "", "default")
        text.append(returned_text(hit), "bold default" if hit.is_relevant else "default")
    return text
