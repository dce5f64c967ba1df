"""A bar on stderr while topics are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from plait.cli.console import error_console

__all__ = ["asking"]


@contextmanager
def asking(what: str = "asking") -> Iterator[Callable[[int, int], None]]:
    """Show how many topics are done, and how many there are; nothing where that is no terminal.

    Yields:
        What to call with these two, such as the ``progress`` of ``record``.
    """
    console = error_console()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        expand=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)

        def tell(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield tell
