from itertools import product
from math import comb

import pytest

from plait.errors import ConfigurationError
from plait.evaluation.tuning.simplex import count_points, simplex


@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("steps", [1, 2, 5, 10])
def test_the_grid_holds_every_split_once(parts, steps):
    points = simplex(parts, steps)
    assert points.shape == (comb(steps + parts - 1, parts - 1), parts)
    assert count_points(parts, steps) == len(points)
    every = [row for row in product(range(steps + 1), repeat=parts) if sum(row) == steps]
    assert [tuple(row) for row in points.tolist()] == every


def test_counts_that_rounded_walks_miss():
    # A walk in floats of 0.1 finds 62 of the 66, and 256 of the 286.
    assert len(simplex(3, 10)) == 12 * 11 // 2 == 66
    assert len(simplex(4, 10)) == 13 * 12 * 11 // 6 == 286


def test_all_the_weight_on_one_leg_is_in_the_grid():
    points = simplex(3, 10).tolist()
    for alone in ([10, 0, 0], [0, 10, 0], [0, 0, 10]):
        assert alone in points


@pytest.mark.parametrize(
    ("parts", "steps", "said"),
    [
        (0, 10, "parts is 0"),
        (2, 0, "steps is 0"),
        (True, 10, "parts is True"),
        (2, 2.0, "steps is"),
    ],
)
def test_bad_sizes_are_refused(parts, steps, said):
    with pytest.raises(ConfigurationError, match=said):
        simplex(parts, steps)
