"""Intervals, paired tests and correction, against values worked out by hand."""

import math

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test


class TestBootstrapInterval:
    def test_one_value_is_its_own_interval(self) -> None:
        assert bootstrap_interval([0.3]) == (0.3, 0.3)

    def test_equal_values_have_no_spread(self) -> None:
        assert bootstrap_interval([0.1] * 7) == (0.1, 0.1)

    def test_two_values_give_the_quantiles_of_a_fair_coin(self) -> None:
        # The mean of two draws from {0, 1} is 0, 1/2, 1 with probability 1/4, 1/2, 1/4.
        assert bootstrap_interval([0.0, 1.0], level=0.9) == (0.0, 1.0)
        assert bootstrap_interval([0.0, 1.0], level=0.4) == (0.5, 0.5)

    def test_width_is_that_of_the_normal_approximation(self) -> None:
        values = np.arange(400) % 2  # sd 1/2, standard error 1/2 / 20 = 0.025
        low, high = bootstrap_interval(values)
        assert high - low == pytest.approx(2 * 1.96 * 0.025, rel=0.08)
        assert (low + high) / 2 == pytest.approx(0.5, abs=0.005)

    def test_same_seed_same_interval(self) -> None:
        values = np.random.default_rng(5).random(50)
        assert bootstrap_interval(values, seed=1) == bootstrap_interval(values, seed=1)
        assert bootstrap_interval(values, seed=1) != bootstrap_interval(values, seed=2)

    def test_a_higher_level_is_wider(self) -> None:
        values = np.random.default_rng(5).random(50)
        low, high = bootstrap_interval(values, level=0.99)
        inner_low, inner_high = bootstrap_interval(values, level=0.8)
        assert low < inner_low < inner_high < high

    def test_blocks_do_not_change_the_count_of_rounds(self) -> None:
        low, high = bootstrap_interval(np.arange(3000.0), rounds=1500)
        assert low < 2999 / 2 < high

    @pytest.mark.parametrize("values", [[], [[1.0]], [math.nan], [math.inf], ["a"]])
    def test_refuses_what_is_no_row_of_numbers(self, values: list[object]) -> None:
        with pytest.raises(ConfigurationError, match="values"):
            bootstrap_interval(values)

    @pytest.mark.parametrize("level", [0.0, 1.0, 95, True, math.nan])
    def test_refuses_a_level_outside_0_and_1(self, level: float) -> None:
        with pytest.raises(ConfigurationError, match="level"):
            bootstrap_interval([0.1, 0.2], level=level)

    @pytest.mark.parametrize("rounds", [0, True, 2.0])
    def test_refuses_bad_rounds(self, rounds: int) -> None:
        with pytest.raises(ConfigurationError, match="rounds"):
            bootstrap_interval([0.1, 0.2], rounds=rounds)


class TestRandomizationTest:
    def test_all_differences_of_one_sign(self) -> None:
        # Only the pattern itself and its mirror are as large: 2 of 2^4.
        assert randomization_test([1, 2, 3, 4], [0, 0, 0, 0]) == 2 / 16

    def test_by_enumeration(self) -> None:
        # Differences 3, -1, 1; observed |3|. |±3±1±1| is 5 in 2 patterns, 3 in 4, 1 in 2.
        assert randomization_test([3, 0, 1], [0, 1, 0]) == 6 / 8

    def test_no_difference_is_certain_to_be_chance(self) -> None:
        assert randomization_test([0.2, 0.4], [0.2, 0.4]) == 1.0

    def test_ties_take_no_part(self) -> None:
        assert randomization_test([1, 2, 5, 5], [0, 0, 5, 5]) == 2 / 4

    def test_differences_that_cancel(self) -> None:
        assert randomization_test([1, 0], [0, 1]) == 1.0

    def test_rounding_does_not_decide(self) -> None:
        # 0.1 + 0.2 is not 0.3 in floats, yet the sums are equal: |±.1±.2±.3| >= .0 always.
        assert randomization_test([0.1, 0.2, 0.0], [0.0, 0.0, 0.3]) == 1.0

    def test_the_last_digits_of_equal_values_are_no_difference(self) -> None:
        values = [0.1 * n for n in range(40)]
        rounded = [value * (1 + 2**-52) for value in values]
        assert randomization_test(values, rounded) == 1.0

    def test_is_symmetric(self) -> None:
        a, b = np.random.default_rng(3).random((2, 40))
        assert randomization_test(a, b) == randomization_test(b, a)

    def test_many_queries_use_random_patterns(self) -> None:
        values = np.random.default_rng(3).random(60)
        p = randomization_test(values + 0.1, values, rounds=999)
        assert p == 1 / 1000  # none of the random patterns reaches 60 equal signs

    def test_random_patterns_agree_with_exact_ones(self) -> None:
        a, b = np.random.default_rng(8).random((2, 12))
        exact = randomization_test(a, b, rounds=2**12)
        sampled = randomization_test(a, b, rounds=2**12 - 1)
        assert exact * 2**12 == int(exact * 2**12)
        assert sampled == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 2**12))

    def test_more_queries_than_a_float_has_sign_patterns(self) -> None:
        many = [1.0] * 1100  # 2^1100 is beyond a double
        assert randomization_test(many, [0.0] * 1100, rounds=99) == (1 + 0) / (1 + 99)

    def test_refuses_rows_of_different_length(self) -> None:
        with pytest.raises(ConfigurationError, match="a has 2 values and b has 1"):
            randomization_test([1, 2], [1])

    def test_refuses_nan(self) -> None:
        with pytest.raises(ConfigurationError, match="b is"):
            randomization_test([1.0], [math.nan])


class TestHolm:
    def test_by_hand(self) -> None:
        # Ascending .01, .02, .03, .04 times 4, 3, 2, 1: .04, .06, .06, .04, made monotone.
        expected = (0.06, 0.04, 0.06, 0.06)
        assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx(expected)

    def test_never_above_1(self) -> None:
        assert holm([0.9, 0.6]) == (1.0, 1.0)

    def test_equal_ones_stay_equal(self) -> None:
        assert holm([0.02, 0.02]) == (0.04, 0.04)

    def test_one_or_none(self) -> None:
        assert holm([0.03]) == (0.03,)
        assert holm([]) == ()

    @pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
    def test_refuses_what_is_no_probability(self, bad: float) -> None:
        with pytest.raises(ConfigurationError, match="from 0 to 1"):
            holm([0.5, bad])
