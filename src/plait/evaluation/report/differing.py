"""The topics on which systems differ, each with what both returned behind a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plait.evaluation.comparison import Comparison
from plait.evaluation.contrast import Contrast, Returned
from plait.evaluation.report.markup import sign_of, table, text
from plait.evaluation.report.numbers import number, signed

__all__ = ["differing_topics"]


def differing_topics(comparison: Comparison) -> Iterator[str]:
    """A heading per system, and an element that opens per topic."""
    for name, contrasts in comparison.contrasts.items():
        yield f"<h3>{text(name)} against {text(comparison.baseline)}</h3>"
        if not contrasts:
            yield '<p class="faint">There is no topic on which they differ.</p>'
        for contrast in contrasts:
            yield _topic(contrast)


def _topic(contrast: Contrast) -> str:
    gain = contrast.difference
    topic = f'<span class="faint">{text(contrast.topic)}</span>'
    asked = f"{text(contrast.text)} {topic}" if contrast.text else topic
    sides = (
        _side(contrast.baseline, contrast.baseline_value, contrast.baseline_returned),
        _side(contrast.system, contrast.value, contrast.returned),
    )
    return (
        f'<details>\n<summary><span class="{sign_of(gain)}">{signed(gain)}</span>'
        f"<span>{asked}</span></summary>\n"
        f'<div class="sides">\n{"".join(sides)}</div>\n</details>'
    )


def _side(name: str, value: float, hits: Sequence[Returned]) -> str:
    caption = f"{text(name)}: {number(value)}"
    if not hits:
        return f"<div><p>{caption}; it returned nothing.</p></div>\n"
    header = ("rank", "document", "grade")
    return f"<div>{table(caption, header, map(_row, hits), 'returned')}</div>\n"


def _row(hit: Returned) -> str:
    grade = "not judged" if hit.grade is None else str(hit.grade)
    kind = ' class="relevant"' if hit.is_relevant else ""
    return f"<tr{kind}><td>{hit.rank}</td><td>{text(hit.id)}</td><td>{grade}</td></tr>"
