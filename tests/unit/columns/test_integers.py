"""Ints as texts in the same order."""

from __future__ import annotations

import pytest

from plait.columns.integers import from_text, has_float, to_text

ASCENDING = [-(10**400), -(2**64), -(2**64) + 1, -16, -15, -1, 0, 1, 15, 16, 2**64, 10**400]


def test_texts_ascend_with_their_ints() -> None:
    texts = [to_text(value) for value in ASCENDING]
    assert texts == sorted(texts)
    assert len(set(texts)) == len(ASCENDING)


@pytest.mark.parametrize("value", ASCENDING)
def test_an_int_comes_back(value: int) -> None:
    assert from_text(to_text(value)) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, True),
        (2**53, True),
        (2**53 + 1, False),
        (2**53 + 2, True),
        (-(2**53) - 1, False),
        (2**1000, True),
        (10**23, False),  # 1e23 is 99999999999999991611392
        (10**400, False),
        (0.1, True),
    ],
)
def test_an_int_has_a_float_if_one_equals_it(value: float, expected: bool) -> None:
    assert has_float(value) is expected
