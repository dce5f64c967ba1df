"""What tuning found, for a reader."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines
from plait.evaluation.tuning import TuneResult
from plait.evaluation.tuning.text import figures
from plait.printable import printable

__all__ = ["show_stored", "show_tuning"]

_HANGING = 4  # columns by which a row's further lines are behind its first


def show_tuning(console: Console, result: TuneResult, stored: Sequence[str]) -> None:
    """Print what was tried, what it is worth, what to do, and where the result is stored."""
    for line in figures(result):
        text = line.lstrip()
        lead = line[: len(line) - len(text)]
        show_lines(console, Text(text), len(lead) + _HANGING * bool(lead), lead=lead)
    style = "bold yellow" if result.tuning is None else "bold green"
    show_lines(console, Text(printable(result.answer), style=style))
    show_stored(console, stored, found=result.tuning is not None)


def show_stored(console: Console, stored: Sequence[str], *, found: bool) -> None:
    """Print where a tuning is stored, or that it is not, and if one was found, how it would be."""
    for place in stored:
        show_lines(console, Text(f"stored in {printable(place)}"))
    if not stored:
        how = ": --apply stores it, --write FILE writes it" if found else ""
        show_lines(console, Text(f"nothing is stored{how}"))
