"""Plots as inline SVG: each a strip of a figure, wide as the page and fixed in height.

Coordinates across are percentages, so a strip fills any width while its marks and text keep their
size. Colors are classes that the page's style gives, light or dark.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

import numpy as np

from plait.evaluation.evaluation import Estimate
from plait.evaluation.report.scale import Scale

__all__ = ["axis", "counts", "gains", "histogram", "whisker"]

_WHISKER, _AXIS, _BARS = 36, 20, 72  # pixels of height
_GAP_UNTIL = 150  # bars so narrow that a gap between them would be all one sees


def axis(scale: Scale) -> str:
    """The labels of a scale's ticks."""
    labels = (
        f'<text x="{_percent(scale.percent(tick))}" y="14" text-anchor="middle">'
        f"{scale.label(tick)}</text>"
        for tick in scale.ticks
    )
    # What it says is said by the figures beside the strips.
    return f'<svg class="axis" height="{_AXIS}" aria-hidden="true">{"".join(labels)}</svg>'


def whisker(estimate: Estimate, scale: Scale, title: str, kind: str = "plain") -> str:
    """A mean as a dot and its interval as a line, over the scale's grid.

    Args:
        estimate: The mean.
        scale: The axis; the line of 0 is stronger where it has one.
        title: What the strip shows, in words.
        kind: ``plain``, ``win``, ``loss`` or ``unsure``: the color.
    """
    middle = _WHISKER // 2
    low, mean, high = (
        _percent(scale.percent(value)) for value in (estimate.low, estimate.mean, estimate.high)
    )
    return _svg(
        _WHISKER,
        title,
        *_grid(scale, _WHISKER),
        f'<line class="interval {kind}" x1="{low}" x2="{high}" y1="{middle}" y2="{middle}"/>',
        *(
            f'<line class="cap {kind}" x1="{end}" x2="{end}" y1="{middle - 5}" y2="{middle + 5}"/>'
            for end in (low, high)
        ),
        f'<circle class="dot {kind}" cx="{mean}" cy="{middle}" r="5"/>',
    )


def gains(values: Sequence[float], limit: float, title: str) -> str:
    """A bar per topic, largest gain first: up where a system wins, down where it loses.

    Args:
        values: Differences, any order.
        limit: The difference that fills the height, above 0.
        title: What the strip shows, in words.
    """
    ordered = sorted(values, reverse=True)
    width = 1.0 if len(ordered) > _GAP_UNTIL else 0.8
    # Bars have neither text nor outline, so they may be stretched with the strip.
    paths = (
        f'<path class="{kind}" d="{"".join(_bars(ordered, limit, width, sign))}"/>'
        for kind, sign in (("win", 1), ("loss", -1))
    )
    return _svg(
        _BARS,
        title,
        '<line class="grid" x1="0%" x2="100%" y1="50%" y2="50%"/>',
        f'<svg viewBox="0 -1 {max(len(ordered), 1)} 2" preserveAspectRatio="none" width="100%" '
        f'height="{_BARS}">{"".join(paths)}</svg>',
    )


def _bars(ordered: Sequence[float], limit: float, width: float, sign: int) -> Iterator[str]:
    for position, value in enumerate(ordered):
        if value * sign > 0:
            height = -value / limit  # down is positive in SVG
            left = position + (1 - width) / 2
            yield f"M{left:.9g} 0h{width:g}v{height:.4f}h-{width:g}z"


def counts(values: Sequence[float], scale: Scale, bins: int = 20) -> tuple[int, ...]:
    """How many values are in each of ``bins`` equal parts of the scale, ends included."""
    return tuple(np.histogram(values, bins=bins, range=(scale.low, scale.high))[0].tolist())


def histogram(heights: Sequence[int], most: int, scale: Scale, title: str) -> str:
    """How often values fall into equal parts of a scale.

    Args:
        heights: From ``counts``.
        most: The count that fills the height, >= 1, so that several strips compare.
        scale: The axis.
        title: What the strip shows, in words.
    """
    left, right = scale.percent(scale.low), scale.percent(scale.high)
    width = (right - left) / len(heights)
    bars = []
    for position, count in enumerate(heights):
        height = (_BARS - 6) * count / most
        bars.append(
            f'<rect class="plain" x="{_percent(left + position * width)}" '
            f'y="{_BARS - height:.1f}" width="{_percent(width * 0.9)}" height="{height:.1f}"/>'
        )
    return _svg(_BARS, title, *_grid(scale, _BARS), *bars)


def _grid(scale: Scale, height: int) -> Iterator[str]:
    for tick in scale.ticks:
        place = _percent(scale.percent(tick))
        kind = "grid zero" if tick == 0 else "grid"
        yield f'<line class="{kind}" x1="{place}" x2="{place}" y1="0" y2="{height}"/>'


def _svg(height: int, title: str, *content: str) -> str:
    said = html.escape(title)
    return (
        f'<svg role="img" aria-label="{said}" height="{height}">'
        f"<title>{said}</title>{''.join(content)}</svg>"
    )


def _percent(value: float) -> str:
    return f"{value:.2f}%"
