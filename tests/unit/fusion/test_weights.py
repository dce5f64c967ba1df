from collections import OrderedDict
from fractions import Fraction

import pytest

from plait.errors import ConfigurationError
from plait.fusion import resolve_weights

LEGS = ["dense", "bm25"]


def test_by_position_by_name_and_by_default():
    assert resolve_weights(None, LEGS) == (1.0, 1.0)
    assert resolve_weights([0.4, 2], LEGS) == (0.4, 2.0)
    assert resolve_weights((0.4, 2), LEGS) == (0.4, 2.0)
    assert resolve_weights({"bm25": 2}, LEGS) == (1.0, 2.0)
    assert resolve_weights(OrderedDict(bm25=2, dense=3), LEGS) == (3.0, 2.0)
    assert resolve_weights({}, LEGS) == (1.0, 1.0)


def test_weights_are_floats_as_given():
    checked = resolve_weights([1, Fraction(1, 2)], LEGS)
    assert checked == (1.0, 0.5)
    assert all(type(weight) is float for weight in checked)


def test_a_weight_of_0_is_valid():
    assert str(resolve_weights([1, -0.0], LEGS)) == "(1.0, 0.0)"


@pytest.mark.parametrize("weights", [[0, 0], {"dense": 0, "bm25": 0.0}])
def test_all_zero(weights):
    with pytest.raises(ConfigurationError, match="all weights are 0"):
        resolve_weights(weights, LEGS)


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [], 2.0, "12", {1, 2}, iter([1, 2])])
def test_not_one_per_leg(weights):
    with pytest.raises(ConfigurationError, match=r"one number per leg|weights name"):
        resolve_weights(weights, LEGS)


def test_unknown_legs():
    with pytest.raises(ConfigurationError, match=r"unknown legs \['lexical'\].*'dense', 'bm25'"):
        resolve_weights({"lexical": 1.0}, LEGS)


@pytest.mark.parametrize(
    "weight",
    [-1, -1e-300, float("nan"), float("inf"), True, False, "1", None, 1e101, 1e-101, 10**400, [1]],
)
def test_what_is_no_weight(weight):
    with pytest.raises(ConfigurationError, match="weight of leg 'bm25' is"):
        resolve_weights([1.0, weight], LEGS)
