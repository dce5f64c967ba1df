"""Scales: round ticks around all values, also for one value, none, or tiny and huge ones."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.evaluation.report.scale import Scale


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0, 1.0], (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ([0.41, 0.58], (0.4, 0.45, 0.5, 0.55, 0.6)),
        ([-0.07, 0.02], (-0.08, -0.06, -0.04, -0.02, 0.0, 0.02)),
        ([], (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ([math.nan, math.inf], (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        ([0.0, 0.0], (-0.1, -0.05, 0.0, 0.05, 0.1)),
        ([0.5], (0.45, 0.5, 0.55)),
    ],
)
def test_ticks(values: list[float], ticks: tuple[float, ...]) -> None:
    scale = Scale.over(values)
    assert scale.ticks == ticks
    assert (scale.low, scale.high) == (scale.ticks[0], scale.ticks[-1])


def test_labels_are_as_exact_as_the_ticks() -> None:
    assert [Scale.over([0.41, 0.58]).label(tick) for tick in (0.4, 0.45)] == ["0.40", "0.45"]
    assert Scale.over([0, 500]).label(200) == "200"


def test_percent_leaves_a_margin_at_both_ends() -> None:
    scale = Scale.over([0.0, 1.0])
    assert [scale.percent(value) for value in (0.0, 0.5, 1.0)] == [4.0, 50.0, 96.0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_every_value_is_on_the_scale(values: list[float]) -> None:
    scale = Scale.over(values)
    room = 1e-6 * (scale.high - scale.low)
    assert 2 <= len(scale.ticks) <= 6
    assert all(scale.low - room <= value <= scale.high + room for value in values)
    assert list(scale.ticks) == sorted(set(scale.ticks))
    labels = [scale.label(tick) for tick in scale.ticks]
    assert len(set(labels)) == len(labels)
