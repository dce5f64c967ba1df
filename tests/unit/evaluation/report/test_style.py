"""The page's colors: text is readable in light and in dark (WCAG 2, level AA)."""

import re
from importlib.resources import files

import pytest

STYLE = files("plait.evaluation.report").joinpath("page.css").read_text(encoding="utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)


def _luminance(color: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("name", "ground", "least"),
    [
        ("ink", "paper", 7.0),
        ("ink", "panel", 7.0),
        ("faint", "paper", 4.5),
        ("win", "paper", 4.5),
        ("loss", "paper", 4.5),
        ("plain", "paper", 3.0),  # marks of a plot, not text
        ("unsure", "paper", 3.0),
        ("link", "paper", 3.0),
    ],
)
def test_contrast(colors: dict[str, str], name: str, ground: str, least: float) -> None:
    assert _contrast(colors[name], colors[ground]) >= least


def test_dark_changes_every_color() -> None:
    assert LIGHT.keys() == DARK.keys()
    assert all(LIGHT[name] != DARK[name] for name in LIGHT)


def test_black_on_white_is_21() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
