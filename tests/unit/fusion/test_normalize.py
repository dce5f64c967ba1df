import math

import pytest

from plait.fusion.normalize import Window, deviation, mean, reciprocal_ranks, unusable
from plait.types import Ranking


def ranking(scores, **fields):
    return Ranking("leg", tuple(map(str, range(len(scores)))), tuple(scores), **fields)


def test_a_window_knows_its_ends():
    window = Window.of(ranking([3.0, 1.0, -4.0], score_range=(-5.0, 5.0)))
    assert (window.highest, window.lowest, window.magnitude, window.floor) == (3.0, -4.0, 4.0, -5.0)


def test_distances_and_their_range_are_turned():
    window = Window.of(ranking([0.5, 2.0], higher_is_better=False, score_range=(0.0, 4.0)))
    assert (tuple(window.scores), window.floor) == ((-0.5, -2.0), -4.0)
    assert Window.of(ranking([0.5], higher_is_better=False, score_range=(0.0, None))).floor is None


def test_extreme_scores_are_scaled_by_a_power_of_two():
    window = Window.of(ranking([1.5e308, 0.75e308], score_range=(-3e307, None)))
    assert window.magnitude < 1
    assert window.lowest / window.highest == 0.5
    assert window.floor / window.highest == pytest.approx(-0.2)
    assert Window.of(ranking([1.5e308, 0.75e308])).floor is None


def test_what_makes_scores_unusable():
    assert unusable(ranking([2.0, 1.0])) is None
    assert unusable(ranking([])) is None
    assert unusable(ranking([2.0, None])) == "some of its hits have no score"
    assert unusable(ranking([1.0, 2.0], order="position")) == "its order does not follow its scores"


def test_statistics_do_not_depend_on_the_order_of_terms():
    scores = [1e16, 1.0, -1e16]
    assert mean(scores) == mean(scores[::-1]) == 1 / 3


def test_deviation_of_scores_too_small_to_be_squared():
    assert deviation([2e-200, 1e-200], 0) == pytest.approx(0.5e-200, rel=1e-15)
    assert deviation([1e-200, 1e-200], 0) == 0.0
    assert deviation([2e-200, 1e-200], 1) == pytest.approx(0.5e-200 * math.sqrt(2), rel=1e-15)


def test_reciprocal_ranks():
    assert reciprocal_ranks(3) == [1 / 1, 1 / 2, 1 / 3]
    assert reciprocal_ranks(0) == []
