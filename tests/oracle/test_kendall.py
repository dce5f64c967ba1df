"""Kendall's tau against SciPy, which ranx brings along."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from plait.evaluation.diagnosis.agreement import kendall_tau


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("values", [3, 1000])  # with many ties, and with few
def test_kendall_is_that_of_scipy(seed: int, values: int) -> None:
    random = np.random.default_rng(seed)
    a, b = random.integers(values, size=(2, 30))
    assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b, variant="b").statistic, abs=1e-12)
