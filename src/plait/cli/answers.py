"""An answer with its sources, or the context for one, for a reader."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click
from rich.text import Text

from plait.cli.console import output_console, show_lines
from plait.pipeline import RagAnswer, RagResult
from plait.printable import printable

__all__ = ["show_answer", "show_context"]

_NO_MODEL = (
    "no model is named, so this is the context for one; name it with --model or PLAIT_MODEL, such "
    "as --model openai:gpt-4o-mini, or --model NAME --base-url URL"
)


def show_answer(answer: RagAnswer) -> None:
    """Print what the model said, the sources that it cites, and on stderr what is amiss."""
    if answer.text:
        _write(answer.text)
    if answer.citations:
        console = output_console()
        console.print()
        for citation in answer.citations:
            show_lines(console, Text(f"[{citation.number}] {citation.label}", style="cyan"))
    _tell_notes(answer.result)
    if answer.unknown:
        numbers = ", ".join(f"[{number}]" for number in answer.unknown)
        _tell([f"the answer cites {numbers}, which the context does not have"])
    elif answer.text and not answer.citations:
        _tell(["the answer cites nothing"])
    _show_trace(answer.result)


def show_context(result: RagResult) -> None:
    """Print the context, and on stderr that no model was asked and what is amiss."""
    _tell([_NO_MODEL])
    _write(result.context.text)
    _tell_notes(result)
    _show_trace(result)


def _write(text: str) -> None:
    """Print a text of several lines, whole for a program, harmless for a terminal."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        show_lines(output_console(), Text(printable(line)), indent)


def _tell_notes(result: RagResult) -> None:
    said = "degraded: " if result.degraded else "note: "
    _tell(f"{said}{note}" for note in result.notes)
    left_out, budget = len(result.context.skipped), result.context.budget
    if left_out:
        found = len(result.hits)
        _tell([f"{left_out} of {found} hits do not fit into {budget} tokens; see --budget"])


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(f"plait: {printable(line)}", err=True)


def _show_trace(result: RagResult) -> None:
    if result.trace is not None:
        console = output_console()
        console.print()
        for line in result.trace.explain().splitlines():
            show_lines(console, Text(line, style="dim"))
