import numpy as np
import pytest

from plait.evaluation.logistic import fit_logistic


def gradient(features, labels, counts, penalty, point):
    """By hand: Σ c·(p − y)·x + penalty·w, and Σ c·(p − y) for the constant."""
    chances = 1 / (1 + np.exp(-(features @ point[:-1] + point[-1])))
    slopes = features.T @ (counts * (chances - labels)) + penalty * point[:-1]
    return slopes, float(counts @ (chances - labels))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("penalty", [1e-3, 1.0, 50.0])
def test_it_ends_at_the_minimum_within_the_bounds(seed, penalty):
    random = np.random.default_rng(seed)
    features = random.normal(size=(60, 5))
    features[:, 4] = features[:, 3] + 1e-6 * random.normal(size=60)  # nearly the same twice
    chances = 1 / (1 + np.exp(-(features @ [2.0, 0.5, -1.5, 1.0, 0.0] - 1)))
    labels = (random.random(60) < chances).astype(float)
    counts = random.random(60) + 0.1
    point = fit_logistic(features, labels, counts, penalty, nonnegative=True)
    slopes, constant = gradient(features, labels, counts, penalty, point)
    # The conditions of Karush, Kuhn and Tucker: no slope where w > 0, none downwards where w = 0.
    assert constant == pytest.approx(0, abs=1e-5)
    assert (point[:-1] >= 0).all()
    for value, slope in zip(point[:-1], slopes, strict=True):
        assert slope == pytest.approx(0, abs=1e-5) if value > 0 else slope >= -1e-5
    assert point[2] == 0  # it would be negative
    free = fit_logistic(features, labels, counts, penalty)
    slopes, constant = gradient(features, labels, counts, penalty, free)
    assert constant == pytest.approx(0, abs=1e-5)
    assert slopes == pytest.approx(np.zeros(5), abs=1e-5)
    assert free[2] < 0


def test_without_a_useful_feature_the_constant_is_the_log_odds():
    labels = np.array([1.0, 0.0, 0.0, 0.0])
    point = fit_logistic(np.zeros((4, 2)), labels, np.ones(4), penalty=1.0)
    assert point[:-1].tolist() == [0.0, 0.0]
    assert point[-1] == pytest.approx(np.log(1 / 3))


def test_labels_that_one_feature_separates_stay_finite():
    features = np.array([[0.0], [0.0], [1.0], [1.0]])
    point = fit_logistic(features, np.array([0.0, 0.0, 1.0, 1.0]), np.ones(4), penalty=1e-6)
    assert np.isfinite(point).all()
    assert point[0] > 5


def test_a_row_that_counts_twice_is_two_rows():
    features, labels = np.array([[0.1], [0.7], [0.4]]), np.array([0.0, 1.0, 0.0])
    once = fit_logistic(features, labels, np.array([1.0, 2.0, 1.0]), penalty=0.1)
    twice = fit_logistic(features[[0, 1, 1, 2]], labels[[0, 1, 1, 2]], np.ones(4), penalty=0.1)
    assert once == pytest.approx(twice)
