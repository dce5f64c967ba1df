"""Differences by measure and system: their order, their correction, their intervals."""

from plait.evaluation.difference import find_differences
from plait.evaluation.evaluation import Estimate


def test_one_per_measure_and_system_in_that_order() -> None:
    row = (0.0, 1.0)
    values = {"AP": {"a": row, "b": row, "c": row}, "RR": {"a": row, "b": row, "c": row}}
    found = find_differences(values, "b")
    assert [(entry.measure, entry.system) for entry in found] == [
        ("AP", "a"), ("AP", "c"), ("RR", "a"), ("RR", "c"),
    ]  # fmt: skip
    assert {entry.baseline for entry in found} == {"b"}


def test_p_values_are_adjusted_for_all() -> None:
    zeros = (0.0,) * 6
    gains = {  # topics that differ, all in one direction: 2 sign patterns of 2^m
        "six": (0.1,) * 6,
        "five": (0.1,) * 5 + (0.0,),
        "four": (-0.1,) * 4 + (0.0,) * 2,
    }
    found = find_differences({"AP": {"base": zeros, **gains}}, "base")
    assert [entry.p for entry in found] == [2 / 2**6, 2 / 2**5, 2 / 2**4]
    # Ascending, times 3, 2, 1, and never below the one before: 6/64, 4/32, 2/16.
    assert [entry.p_adjusted for entry in found] == [3 * 2 / 2**6, 2 * 2 / 2**5, 2 / 2**4]
    assert [(entry.wins, entry.ties, entry.losses) for entry in found] == [
        (6, 0, 0), (5, 1, 0), (0, 2, 4),
    ]  # fmt: skip


def test_the_mean_of_equal_gains_is_in_its_interval() -> None:
    (entry,) = find_differences({"AP": {"a": (0.1, 0.2, 0.7), "b": (0.0, 0.1, 0.6)}}, "b")
    assert entry.estimate.low <= entry.estimate.mean <= entry.estimate.high
    (same,) = find_differences({"AP": {"a": (0.5,) * 3, "b": (0.25,) * 3}}, "b")
    assert same.estimate == Estimate(0.25, 0.25, 0.25, 3)


def test_without_another_system_there_is_no_difference() -> None:
    assert find_differences({"AP": {"a": (0.5,)}}, "a") == ()
