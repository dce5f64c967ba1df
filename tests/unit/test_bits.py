"""Masks of 64 rows in a number."""

from __future__ import annotations

import numpy as np
import pytest

from plait import bits

ROWS = [0, 1, 63, 64, 129]
SIZE = 130
EXPECTED = [1 | 2 | 1 << 63, 1, 2]


def mask_of(rows: list[int], size: int) -> np.ndarray:
    mask = np.zeros(size, dtype=np.bool_)
    mask[rows] = True
    return mask


def test_row_i_is_bit_i_modulo_64_of_number_i_through_64() -> None:
    made = bits.of_mask(mask_of(ROWS, SIZE))
    assert made.dtype == np.uint64
    assert made.tolist() == EXPECTED


def test_a_mask_comes_back() -> None:
    made = bits.of_mask(mask_of(ROWS, SIZE))
    back = bits.to_mask(made, SIZE)
    assert back.dtype == np.bool_
    assert np.flatnonzero(back).tolist() == ROWS
    assert len(back) == SIZE


def test_ordinals_ascend() -> None:
    assert bits.ordinals(np.array(EXPECTED, dtype=np.uint64)).tolist() == ROWS


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, []), (1, [1]), (63, [2**63 - 1]), (64, [2**64 - 1]), (65, [2**64 - 1, 1])],
)
def test_what_is_left_over_is_0(size: int, expected: list[int]) -> None:
    full = bits.full(size)
    assert full.tolist() == expected
    assert bits.count(full) == size
    assert bits.ordinals(full).tolist() == list(range(size))
    assert bits.to_mask(full, size).all()


@pytest.mark.parametrize("vectorized", [True, False])
def test_bits_are_counted_with_and_without_numpy_2(
    vectorized: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not vectorized:
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert bits.count(np.array(EXPECTED, dtype=np.uint64)) == len(ROWS)


def test_rows_are_looked_up_in_the_order_asked() -> None:
    found = bits.has(np.array(EXPECTED, dtype=np.uint64), np.array([129, 128, 2, 0, 64]))
    assert found.tolist() == [True, False, False, True, True]


def test_rows_are_taken_out_of_a_copy() -> None:
    made = np.array(EXPECTED, dtype=np.uint64)
    left = bits.cleared(made, np.array([63, 64, 65, 1]))  # 65 was not in; 64 and 65 share a byte
    assert left.tolist() == [1, 0, 2]
    assert made.tolist() == EXPECTED


def test_nothing_taken_out_leaves_everything() -> None:
    made = np.array(EXPECTED, dtype=np.uint64)
    assert bits.cleared(made, np.zeros(0, dtype=np.int64)).tolist() == EXPECTED
