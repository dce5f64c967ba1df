"""Numbers as they are shown: never a minus before nothing, never a p-value of 0."""

import pytest

from plait.evaluation.report.numbers import interval, number, p_value, signed


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (number(0.71236), "0.712"),
        (number(-0.0001), "0.000"),
        (number(1.0), "1.000"),
        (signed(0.0312), "+0.031"),
        (signed(-0.0312), "-0.031"),
        (signed(-0.0001), "+0.000"),
        (interval(0.1, 0.25), "0.100 to 0.250"),
        (interval(-0.1, 0.25, sign=True), "-0.100 to +0.250"),
        (p_value(1.0), "1.000"),
        (p_value(0.001), "0.001"),
        (p_value(0.0009999), "<0.001"),
        (p_value(1e-9), "<0.001"),
    ],
)
def test_shown(shown: str, expected: str) -> None:
    assert shown == expected
