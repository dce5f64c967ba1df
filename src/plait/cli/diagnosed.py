"""A diagnosis for a reader."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines, show_table
from plait.evaluation.diagnosis import Diagnosis
from plait.evaluation.diagnosis.text import (
    LEGS,
    PAIRS,
    closing,
    finding_lines,
    leg_rows,
    opening,
    pair_rows,
)

__all__ = ["show_diagnosis"]

_SAMPLED = (
    "The queries are sentences and titles of the collection's own chunks: easier than what users "
    "ask. Give real ones with --queries or --topics."
)
_STYLES = {"problem": "bold red", "warning": "bold yellow", "info": "bold cyan"}


def show_diagnosis(console: Console, diagnosis: Diagnosis, *, sampled: bool) -> None:
    """Print the figures and the findings, worst first.

    Args:
        console: Where to.
        diagnosis: What was found.
        sampled: Whether the queries were made of the collection's own chunks.
    """
    show_lines(console, Text(opening(diagnosis), style="bold"))
    if sampled:
        show_lines(console, Text(_SAMPLED, style="dim"))
    console.print()
    show_table(console, LEGS, leg_rows(diagnosis))
    if diagnosis.pairs:
        console.print()
        show_table(console, PAIRS, pair_rows(diagnosis))
    for finding in diagnosis.findings:
        head, advice, *examples = finding_lines(finding)
        console.print()
        show_lines(console, Text(head, style=_STYLES[finding.severity]))
        show_lines(console, Text(advice), 2)
        for example in examples:
            show_lines(console, Text(example, style="dim"), 2)
    console.print()
    show_lines(console, Text(closing(diagnosis), style="bold"))
