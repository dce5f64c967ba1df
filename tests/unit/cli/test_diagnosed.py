import io

import pytest
from rich.console import Console

from plait.cli.diagnosed import show_diagnosis
from plait.evaluation import Diagnosis, Finding
from plait.evaluation.diagnosis import Example, LegFigures, Pair

FIGURES = LegFigures("bm25", 1.0, 9, 1, 0, 12.5, 0.5, 0.25)
PAIR = Pair("dense", "bm25", 9, 0.5, 0.75, 0.3, 0.4, None, None, 0)
FINDING = Finding(
    "no_match", "warning", ("bm25",), "bm25 finds nothing", "Look there.", {},
    (Example("q1", "red\x1b[31m", "qqq"),),
)  # fmt: skip


def shown(width: int, *, sampled: bool = False, findings=(FINDING,), pairs=(PAIR,)) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    diagnosis = Diagnosis(findings, (FIGURES,), pairs, 10, 200, "rsf()")
    show_diagnosis(console, diagnosis, sampled=sampled)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


def test_wide_it_is_tables_and_findings() -> None:
    lines = shown(120)
    assert lines[0] == "10 queries, 200 candidates a leg, rsf()"
    assert lines[3].split() == ["bm25", "1", "9", "1", "0", "12.5", "50%", "25%"]
    assert lines[6].split() == ["dense,", "bm25", "50%", "75%", "0.40", "–"]
    assert lines[8:] == [
        "warning: bm25 finds nothing",
        "  Look there.",
        '  e.g. q1 "red [31m": qqq',
        "",
        "1 warning",
    ]


def test_narrow_it_wraps() -> None:
    lines = shown(40, sampled=True)
    assert all(len(line) <= 40 for line in lines)
    assert any(line.startswith("leg bm25, weight 1") for line in lines)
    assert "The queries are sentences and titles of" in lines


@pytest.mark.parametrize("width", range(40, 90))
def test_a_table_is_whole_or_a_list(width: int) -> None:
    assert "…" not in "".join(shown(width))


def test_with_nothing_to_say() -> None:
    lines = shown(120, findings=(), pairs=())
    assert lines[-1] == "no problem found"
    assert len(lines) == 6
