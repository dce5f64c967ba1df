"""A comparison as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.report.numbers import number, signed
from plait.evaluation.report.table import table_header, table_rows
from plait.evaluation.report.words import method, scope, verdicts
from plait.printable import printable

__all__ = ["comparison_markdown"]

# Whatever Markdown, or HTML inside of it, would read as more than a character of a text.
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&$])")


def comparison_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown: a table per measure, then the topics that differ.

    Text of unknown origin (names, queries, ids) is escaped, so that it cannot become markup.
    """
    return "\n".join(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    yield "# Comparison\n"
    yield f"{_text(scope(comparison))}.\n"
    for line in verdicts(comparison):
        yield f"- {_text(line)}"
    for note in comparison.notes:
        yield f"- Note: {_text(note)}"
    for measure in comparison.measures:
        yield f"\n## {_text(measure)}\n"
        yield from _table(table_header(measure), table_rows(comparison, measure))
    yield f"\n{_text(method(comparison))}"
    for name, contrasts in comparison.contrasts.items():
        if contrasts:
            yield f"\n## Where {_text(name)} and {_text(comparison.baseline)} differ most"
        for contrast in contrasts:
            yield from _contrast(contrast)
    yield ""


def _contrast(contrast: Contrast) -> Iterator[str]:
    asked = f": {_text(contrast.text)}" if contrast.text else ""
    yield f"\n### {_text(contrast.topic)}{asked}\n"
    yield (
        f"{_text(contrast.measure)} {signed(contrast.difference)}, from "
        f"{number(contrast.baseline_value)} to {number(contrast.value)}.\n"
    )
    rows = max(len(contrast.returned), len(contrast.baseline_returned))
    yield from _table(
        ("rank", contrast.baseline, "grade", contrast.system, "grade"),
        (
            (
                str(row + 1),
                *_cells(contrast.baseline_returned, row),
                *_cells(contrast.returned, row),
            )
            for row in range(rows)
        ),
    )


def _cells(hits: Sequence[Returned], row: int) -> tuple[str, str]:
    if row >= len(hits):
        return "", ""
    grade = hits[row].grade
    return hits[row].id, "–" if grade is None else str(grade)


def _table(header: Sequence[str], rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield _row(header)
    yield "|---|" + "--:|" * (len(header) - 1)
    for row in rows:
        yield _row(row)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_text, cells))} |"


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text))
