"""Markdown: its tables, and text of unknown origin that stays text."""

import pytest

from plait.evaluation.comparison import Comparison
from plait.evaluation.report.markdown import comparison_markdown

markdown_it = pytest.importorskip("markdown_it", reason="the extra ingest brings it")


def test_structure(compared: Comparison) -> None:
    lines = comparison_markdown(compared).splitlines()
    assert lines[:3] == ["# Comparison", "", "3 systems over 8 topics, compared with base."]
    headings = [line for line in lines if line.startswith("## ")]
    assert headings == ["## nDCG@10", "## R@100", "## Where better and base differ most"]
    assert sum(line.startswith("### ") for line in lines) == 8


def test_it_is_read_as_written(compared: Comparison, evil: str) -> None:
    # A reader that lets HTML through, as most do.
    parser = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = parser.parse(comparison_markdown(compared))
    assert not [token for token in tokens if token.type == "html_block"]
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children}
    assert kinds <= {"text", "text_special", "softbreak"}
    # What is shown is what was asked, character by character.
    shown = ["".join(child.content for child in token.children) for token in inline]
    assert f"t7: what is {evil} & | *7*?" in shown
    assert f"t7-{evil}" in shown
    widths = _widths(tokens)
    assert set(widths) == {8, 5}
    assert len(widths) == 2 * (1 + 3) + 8 * (1 + 2)


def _widths(tokens) -> list[int]:
    widths: list[int] = []
    for token in tokens:
        if token.type == "tr_open":
            widths.append(0)
        elif token.type in ("th_open", "td_open"):
            widths[-1] += 1
    return widths
