"""A diagnosis for a reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from plait.evaluation.diagnosis.finding import Finding
from plait.printable import printable

if TYPE_CHECKING:
    from plait.evaluation.diagnosis.diagnosis import Diagnosis

__all__ = ["LEGS", "PAIRS", "closing", "finding_lines", "leg_rows", "lines", "opening", "pair_rows"]

_QUERY = 80  # characters of a query that are shown

LEGS = ("leg", "weight", "answered", "empty", "failed", "hits", "in top 10", "of the score")
"""Header of the table of legs."""

PAIRS = ("legs", "common in top 10", "in window", "rank-biased overlap", "rank correlation")
"""Header of the table of pairs."""


def lines(diagnosis: Diagnosis) -> Iterator[str]:
    """The whole, line by line."""
    yield opening(diagnosis)
    yield ""
    yield from _aligned(LEGS, leg_rows(diagnosis))
    if diagnosis.pairs:
        yield ""
        yield from _aligned(PAIRS, pair_rows(diagnosis))
    for finding in diagnosis.findings:
        head, *rest = finding_lines(finding)
        yield ""
        yield head
        yield from (f"  {line}" for line in rest)
    yield ""
    yield closing(diagnosis)


def opening(diagnosis: Diagnosis) -> str:
    """What was looked at."""
    return (
        f"{diagnosis.queries:,} {'query' if diagnosis.queries == 1 else 'queries'}, "
        f"{diagnosis.fetch_k:,} candidates a leg, {diagnosis.fusion}"
    )


def closing(diagnosis: Diagnosis) -> str:
    """How many findings there are of each severity."""
    severities = [finding.severity for finding in diagnosis.findings]
    counts = [
        f"{count} {severity}{'s' * (count > 1)}"
        for severity in ("problem", "warning")
        if (count := severities.count(severity))
    ]
    return ", ".join(counts) or "no problem found"


def leg_rows(diagnosis: Diagnosis) -> list[tuple[str, ...]]:
    """The table of legs."""
    return [
        (
            printable(leg.leg),
            f"{leg.weight:g}",
            f"{leg.answered:,}",
            f"{leg.empty:,}",
            f"{leg.failed:,}",
            _number(leg.hits, ".1f"),
            _number(leg.in_top, ".0%"),
            _number(leg.share, ".0%"),
        )
        for leg in diagnosis.legs
    ]


def pair_rows(diagnosis: Diagnosis) -> list[tuple[str, ...]]:
    """The table of pairs."""
    return [
        (
            printable(f"{pair.first}, {pair.second}"),
            _number(pair.overlap_at_10, ".0%"),
            _number(pair.overlap, ".0%"),
            _number(pair.rank_biased, ".2f"),
            _number(pair.correlation, ".2f"),
        )
        for pair in diagnosis.pairs
    ]


def finding_lines(finding: Finding) -> Iterator[str]:
    """A finding: what, what to do, where it can be seen."""
    yield f"{finding.severity}: {printable(finding.summary)}"
    yield printable(finding.advice)
    for example in finding.examples:
        query = f' "{_short(example.query)}"' if example.query else ""
        detail = f": {example.detail}" if example.detail else ""
        yield f"e.g. {printable(example.topic + query + detail)}"


def _short(text: str) -> str:
    return text if len(text) <= _QUERY else f"{text[: _QUERY - 1]}…"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines with the first column to the left and the others to the right."""
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for first, *numbers in table:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join(cells)
