"""Plots: marks where the values are, on any width, with a title for who cannot see them."""

import re
from xml.etree import ElementTree as ET

import pytest

from plait.evaluation.evaluation import Estimate
from plait.evaluation.report import plots
from plait.evaluation.report.scale import Scale

UNIT = Scale.over([0.0, 1.0])  # 0 stands at 4 %, 1 at 96 %


def test_a_whisker_stands_at_its_figures() -> None:
    svg = ET.fromstring(plots.whisker(Estimate(0.5, 0.25, 1.0, 9), UNIT, "a & b", "win"))
    assert svg.findtext("title") == svg.get("aria-label") == "a & b"
    assert svg.get("role") == "img"
    assert svg.find("circle").get("cx") == f"{4 + 92 * 0.5:.2f}%"
    line = svg.find("line[@class='interval win']")
    assert (line.get("x1"), line.get("x2")) == (f"{4 + 92 * 0.25:.2f}%", f"{4 + 92:.2f}%")
    assert len(svg.findall("line[@class='grid']")) == 5
    assert len(svg.findall("line[@class='grid zero']")) == 1


def test_an_axis_labels_every_tick() -> None:
    svg = ET.fromstring(plots.axis(UNIT))
    assert [text.text for text in svg.findall("text")] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert svg.get("aria-hidden") == "true"


def _bars(svg: str, kind: str) -> list[tuple[float, float]]:
    """Place and height of each bar, up is positive."""
    path = ET.fromstring(svg).find(f"svg/path[@class='{kind}']").get("d")
    found = re.findall(r"M([\d.]+) 0h[\d.]+v(-?[\d.]+)h-[\d.]+z", path)
    assert "".join(re.findall(r"M[^z]*z", path)) == path
    return [(float(place), -float(height)) for place, height in found]


def test_gains_are_sorted_bars_up_and_down() -> None:
    svg = plots.gains([-0.5, 0.0, 0.25, 1.0], 1.0, "gains")
    assert _bars(svg, "win") == [(0 + 0.1, 1.0), (1 + 0.1, 0.25)]
    assert _bars(svg, "loss") == [(3 + 0.1, -0.5)]
    assert ET.fromstring(svg).find("svg").get("viewBox") == "0 -1 4 2"


def test_many_gains_have_no_gaps_and_keep_their_places() -> None:
    svg = plots.gains([0.5] * 2000, 0.5, "gains")
    assert [place for place, _ in _bars(svg, "win")] == list(range(2000))


def test_no_gain_at_all() -> None:
    svg = plots.gains([0.0, 0.0], 1.0, "gains")
    assert _bars(svg, "win") == _bars(svg, "loss") == []


@pytest.mark.parametrize(
    ("values", "heights"),
    [([0.0, 0.1, 0.5, 1.0], (2, 0, 1, 1)), ([], (0, 0, 0, 0)), ([1.0, 1.0], (0, 0, 0, 2))],
)
def test_counts_hold_both_ends(values: list[float], heights: tuple[int, ...]) -> None:
    assert plots.counts(values, UNIT, bins=4) == heights


def test_a_histogram_fills_the_height_with_the_most() -> None:
    svg = ET.fromstring(plots.histogram((1, 0, 4), 4, UNIT, "spread"))
    bars = [(float(bar.get("y")), float(bar.get("height"))) for bar in svg.findall("rect")]
    assert bars == [(72 - 66 / 4, 66 / 4), (72.0, 0.0), (72 - 66, 66.0)]
    assert svg.find("rect").get("x") == "4.00%"
