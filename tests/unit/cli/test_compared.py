"""A comparison at a terminal: color for what is real, a narrow window, no topics."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from plait.cli.compared import show_comparison
from plait.evaluation import Comparison, Estimate, Evaluation, Run, compare

COUNT = 8


def _system(name: str, values: list[float]) -> Evaluation:
    mean = sum(values) / COUNT
    return Evaluation(
        name=name,
        run=Run(name, {f"t{n}": () for n in range(COUNT)}),
        measures=("AP",),
        per_query={f"t{n}": {"AP": value} for n, value in enumerate(values)},
        means={"AP": Estimate(mean, mean - 0.1, mean + 0.1, COUNT)},
    )


@pytest.fixture
def compared() -> Comparison:
    """8 gains of 8, 8 losses of 8, and one of each: 2 sign patterns of 2^8 for the first two."""
    middle = [0.5] * COUNT
    return compare(
        [
            _system("base", middle),
            _system("better", [value + 0.25 for value in middle]),
            _system("worse", [value - 0.25 for value in middle]),
            _system("unsure", [0.75, 0.25, *middle[2:]]),
        ],
        measure="AP",
    )


def _shown(
    comparison: Comparison, *, width: int = 100, colors: bool = False, shown: int = 3
) -> str:
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=colors, color_system="standard" if colors else None,
        highlight=False, markup=False,
    )  # fmt: skip
    show_comparison(console, comparison, shown=shown)
    return out.getvalue()


def test_color_says_what_is_real(compared: Comparison) -> None:
    lines = _shown(compared, colors=True).splitlines()
    told = {name: line for line in lines[1:4] for name in compared.others if f"{name} " in line}
    green, red = "\x1b[1;32m", "\x1b[1;31m"
    assert green in told["better"]
    assert "better is better than base" in told["better"]
    assert red in told["worse"]
    assert green not in told["unsure"]
    assert red not in told["unsure"]


def test_a_narrow_window_cuts_nothing(compared: Comparison) -> None:
    shown = _shown(compared, width=40)
    assert all(len(line) <= 40 for line in shown.splitlines())
    words = " ".join(shown.split())
    for figure in ("+0.250", "8/0/0", "adjusted p", "95 % interval"):
        assert figure in words


@pytest.mark.parametrize(
    ("width", "columns"),
    [
        (100, "system AP 95 % interval difference 95 % interval p adjusted p wins/ties/losses"),
        (80, "system AP difference 95 % interval p adjusted p wins/ties/losses"),
        (76, "system AP difference 95 % interval adjusted p wins/ties/losses"),
        (60, "system AP difference 95 % interval adjusted p"),
    ],
)
def test_a_narrower_window_does_without_some_columns(
    compared: Comparison, width: int, columns: str
) -> None:
    lines = _shown(compared, width=width).splitlines()
    assert all(len(line) <= width for line in lines)
    (header,) = (line for line in lines if line.startswith("system"))
    assert " ".join(header.split()) == columns
    assert " ".join(lines[lines.index(header) + 1].split()[:2]) == "base 0.500"


def test_a_system_that_returned_nothing(compared: Comparison) -> None:
    lines = _shown(compared, shown=1).splitlines()
    place = lines.index("  +0.250 (0.500 to 0.750) t0")
    assert lines[place + 1 : place + 3] == ["    base: nothing", "    better: nothing"]


def test_notes_are_shown_in_one_line_each(compared: Comparison) -> None:
    noted = replace(compared, notes=("two\nlines \x1b[2J",))
    assert "  note: two lines [2J\n" in _shown(noted)
