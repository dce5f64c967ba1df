"""What a collection's own sentences say of its weights, for a reader."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines
from plait.cli.tuned import show_stored
from plait.collection.settings import PRIOR
from plait.evaluation import SelfTuning
from plait.evaluation.report.numbers import number
from plait.evaluation.self_supervised.result import MEASURE
from plait.printable import printable

__all__ = ["show_self_tuning"]

_BAR = 30  # characters of a value of 1
_EIGHTHS = " ▏▎▍▌▋▊▉"


def show_self_tuning(console: Console, result: SelfTuning, stored: Sequence[str]) -> None:
    """Print the curve, how sure it is, what was decided, and what to do next."""
    first, second = result.legs
    title = f"{result.sentences:,} sentences of the collection asked"
    if result.queries:
        title += (
            f", weighted to resemble {result.queries:,} queries: they count as "
            f"{result.effective:,.0f} equal ones"
        )
    show_lines(console, Text(title, style="bold"))
    show_lines(
        console,
        Text(f"{MEASURE} of finding the chunk that each was taken out of, by weight", style="dim"),
    )
    console.print()
    chosen = None if result.tuning is None else result.tuning.weights[first]
    for weight, value in result.curve.items():
        row = f"{first} {weight:<3g}  {second} {1 - weight:<3.1g}  {number(value)}  "
        marks = _marks(weight, chosen, result)
        line = Text(row + _bar(value, plain=console.options.ascii_only))
        style = "bold green" if weight == chosen else ""
        line.stylize(style)
        show_lines(console, line.append(f"  {marks}" if marks else ""), 2)
    console.print()
    for note in result.notes:
        show_lines(console, Text(printable(f"note: {note}")))
    style = "bold yellow" if result.tuning is None else "bold green"
    show_lines(console, Text(printable(result.answer), style=style))
    show_stored(console, stored, found=result.tuning is not None)


def _marks(weight: float, chosen: float | None, result: SelfTuning) -> str:
    low, high = result.as_good
    said = {
        "chosen": weight == chosen,
        "the default": weight == PRIOR[result.legs[0]],
        "as good": low <= weight <= high and low < high,
    }
    return ", ".join(mark for mark, holds in said.items() if holds)


def _bar(value: float, *, plain: bool) -> str:
    """A bar of fixed width, so that what stands behind it is in one column."""
    if plain:
        return ("#" * round(value * _BAR)).ljust(_BAR)
    whole, part = divmod(round(value * _BAR * 8), 8)
    return ("█" * whole + _EIGHTHS[part].strip()).ljust(_BAR)
