"""The console: colors and wrapping for a terminal, plain whole lines for a pipe or a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["error_console", "output_console", "show_lines", "show_table", "working"]

_UNBOUNDED = 1_000_000  # columns of an output that no eye wraps


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command line: rich would exit with a code of its own."""
        raise BrokenPipeError


def output_console() -> Console:
    """The console for results."""
    width = None if sys.stdout.isatty() else _UNBOUNDED
    return _Console(highlight=False, markup=False, emoji=False, width=width)


def error_console() -> Console:
    """The console for progress and for what is said beside the results."""
    return _Console(stderr=True, highlight=False, markup=False, emoji=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on stderr that something takes a while; nothing where that is no terminal."""
    console = error_console()
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def show_lines(
    console: Console, text: Text, indent: int = 0, *, lead: Text | str | None = None
) -> None:
    """Print a text, wrapped to the console's width behind an indent.

    Args:
        console: Where to.
        text: What to print.
        indent: Columns before each line.
        lead: Stands in place of the first line's indent, no wider than it.
    """
    width = max(console.width - indent, 10)
    before = Text(" " * indent) if lead is None else Text().append(lead)
    for line in text.wrap(console, width):
        line.rstrip()
        console.print(before.append_text(line), crop=False, soft_wrap=True)
        before = Text(" " * indent)


def show_table(
    console: Console,
    header: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
    indent: int = 0,
    *,
    spare: tuple[int, ...] = (),
) -> None:
    """Print rows under a header: the first column to the left, the others to the right.

    Where a table does not fit, its spare columns are left out, one after the other, until it does.
    Where it does not fit without them, each row becomes a list of ``header value``.

    Args:
        console: Where to.
        header: A name for each column.
        rows: As many cells each.
        indent: Blanks before each line.
        spare: Positions of columns that can be done without, the first to go first.
    """
    entries = list(rows)
    unbounded = console.options.update(width=_UNBOUNDED)
    for left_out in range(len(spare) + 1):
        table = _table(header, entries, spare[:left_out])
        if console.measure(table, options=unbounded).maximum <= console.width - indent:
            console.print(Padding(table, (0, 0, 0, indent), expand=False), crop=False)
            return
    for row in entries:
        values = (f"{name} {value}" for name, value in zip(header, row, strict=True) if value)
        show_lines(console, Text(", ".join(values)), indent)


def _table(
    header: tuple[str, ...], rows: Iterable[tuple[str, ...]], without: tuple[int, ...]
) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    kept = [position for position in range(len(header)) if position not in without]
    for position in kept:
        table.add_column(header[position], justify="right" if position else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(row[position] for position in kept))
    return table
