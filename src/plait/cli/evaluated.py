"""What an evaluation found, for a reader at a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from plait.cli.console import show_lines, show_table
from plait.evaluation import Evaluation
from plait.printable import printable
from plait.types import Query

__all__ = ["evaluation_dict", "show_evaluation"]

_SHOWN_FAILURES = 5
_QUERY = 60  # characters of a question


def evaluation_dict(
    found: Evaluation, asked: Mapping[str, Any], *, per_topic: bool
) -> dict[str, Any]:
    """The figures as JSON values, those of single topics if they are wanted."""
    figures = found.to_dict()
    if not per_topic:
        del figures["per_query"]
    return {**figures, "asked": dict(asked) or None}


def show_evaluation(
    console: Console,
    found: Evaluation,
    asked: Mapping[str, Any],
    topics: Mapping[str, Query],
    *,
    per_topic: bool,
) -> None:
    """Print the means with their intervals, what to know of them, and single topics if wanted.

    Args:
        console: Where to.
        found: The figures.
        asked: How the collection was asked; empty for a run from a file.
        topics: The questions, as far as they are known.
        per_topic: Show each topic.
    """
    if per_topic:
        show_table(console, ("topic", *found.measures), _rows(found, topics))
        console.print()
    count = len(found.per_query)
    title = f"{printable(found.name)}: {count:,} topic{'s' * (count != 1)}"
    show_lines(console, Text(title, style="bold"))
    if asked:
        show_lines(console, Text(_how(asked), style="dim"))
    console.print()
    rows = [
        (name, f"{each.mean:.4f}", f"{each.low:.4f} to {each.high:.4f}")
        for name, each in found.means.items()
    ]
    show_table(console, ("measure", "mean", "95 % interval"), rows)
    for note in found.notes:
        show_lines(console, Text(f"note: {printable(note)}", style="yellow"))
    _show_failures(console, found.failures)


def _rows(found: Evaluation, topics: Mapping[str, Query]) -> list[tuple[str, ...]]:
    """A row per topic, the worst by the first measure at the top."""
    first = found.measures[0]
    order = sorted(found.per_query, key=lambda topic: found.per_query[topic][first])
    return [
        (
            _called(topic, topics.get(topic)),
            *(f"{found.per_query[topic][name]:.4f}" for name in found.measures),
        )
        for topic in order
    ]


def _called(topic: str, query: Query | None) -> str:
    text = printable((query and query.text) or "")
    shown = text if len(text) <= _QUERY else text[: _QUERY - 1] + "…"
    return f"{printable(topic)}  {shown}".rstrip()


def _how(asked: Mapping[str, Any]) -> str:
    parts: Sequence[str] = (f"leg {asked['leg']} alone",)
    if asked["leg"] is None:
        weights = ", ".join(f"{leg} {weight:g}" for leg, weight in asked["weights"].items())
        parts = (asked["fusion"], weights)
    parts = (*parts, "filled") if asked["fill"] else parts
    place = f"collection {asked['collection']} in {asked['folder']}"
    return printable("; ".join((*parts, f"{asked['fetch_k']:,} candidates a leg", place)))


def _show_failures(console: Console, failures: Mapping[str, str]) -> None:
    for topic, said in list(failures.items())[:_SHOWN_FAILURES]:
        show_lines(console, Text(printable(f"failed: topic {topic}: {said}"), style="bold yellow"))
    rest = len(failures) - _SHOWN_FAILURES
    if rest > 0:
        show_lines(console, Text(f"failed: {rest:,} more topics; --json names them all"))
