"""Intervals and tests against scipy."""

import numpy as np
import pytest

from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("seed", range(5))
def test_exact_randomization_test(seed: int) -> None:
    a, b = np.random.default_rng(seed).random((2, 9)).round(2)
    oracle = stats.permutation_test(
        (a, b), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert randomization_test(a, b) == pytest.approx(oracle.pvalue)


def test_interval_of_the_mean() -> None:
    values = np.random.default_rng(2).random(80)
    oracle = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=5000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert bootstrap_interval(values) == pytest.approx((oracle.low, oracle.high), abs=0.01)


def test_holm_rejects_as_the_stepwise_procedure_does() -> None:
    p_values = np.random.default_rng(4).random(12) ** 3
    adjusted = np.array(holm(p_values.tolist()))
    for alpha in (0.01, 0.05, 0.2):
        rejected = np.zeros(12, dtype=bool)
        for step, place in enumerate(np.argsort(p_values)):
            if p_values[place] > alpha / (12 - step):
                break
            rejected[place] = True
        assert ((adjusted <= alpha) == rejected).all()
