"""CRC-32 of blocks: what zlib says, compiled and not."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from plait.kernels import native
from plait.kernels.sums import BLOCK, changed, sums


@pytest.fixture(params=["compiled", "numpy"], autouse=True)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def by_zlib(data: NDArray[np.uint8]) -> list[int]:
    return [zlib.crc32(data[at : at + BLOCK].tobytes()) for at in range(0, len(data), BLOCK)]


def test_blocks_of_noise() -> None:
    data = np.random.default_rng(0).integers(0, 256, 200 * BLOCK, dtype=np.uint8)
    expected = by_zlib(data)
    assert sums(data, np.arange(200)).tolist() == expected
    some = np.array([199, 0, 7, 7], dtype=np.int32)
    assert sums(data, some).tolist() == [expected[block] for block in some]
    assert sums(data, some).dtype == np.uint32


def test_each_bit_matters_as_it_does_for_zlib() -> None:
    data = np.zeros((128, BLOCK), dtype=np.uint8)
    for n in range(128):  # a bit in every lane that is folded, in the first 64 bytes and the last
        data[n, n % 64 if n < 64 else BLOCK - 128 + n] = 1 << n % 8
    flat = data.reshape(-1)
    found = sums(flat, np.arange(128)).tolist()
    assert found == by_zlib(flat)
    assert len(set(found)) == 128


@pytest.mark.parametrize("byte", [0, 1, 0x80, 0xFF])
def test_blocks_of_one_byte(byte: int) -> None:
    data = np.full(BLOCK, byte, dtype=np.uint8)
    assert sums(data, np.array([0])).tolist() == [zlib.crc32(bytes([byte]) * BLOCK)]


def test_where_data_is_not_aligned() -> None:
    data = np.random.default_rng(1).integers(0, 256, BLOCK + 3, dtype=np.uint8)[3:]
    assert sums(data, np.array([0])).tolist() == by_zlib(data)


def test_no_blocks() -> None:
    assert sums(np.zeros(0, np.uint8), np.zeros(0, np.int64)).tolist() == []


def spans(*pairs: tuple[int, int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array([first for first, _ in pairs]), np.array([last for _, last in pairs])


def test_what_was_changed_is_found_and_the_rest_is_noted() -> None:
    data = np.random.default_rng(1).integers(0, 256, 100 * BLOCK, dtype=np.uint8)
    expected = np.array(by_zlib(data), dtype=np.uint32)
    checked = np.zeros(100, dtype=np.bool_)
    assert changed(data, expected, checked, *spans((3, 4), (4, 6))) is None
    assert np.flatnonzero(checked).tolist() == [3, 4, 5, 6]
    data[5 * BLOCK] ^= 1  # was found right before, and is not looked at again
    data[50 * BLOCK + 4095] ^= 128
    assert changed(data, expected, checked, *spans((0, 49))) is None
    assert changed(data, expected, checked, *spans((0, 0), (48, 99))) == 50
    assert np.flatnonzero(checked).tolist() == list(range(50))
    assert changed(data, expected, checked, *spans((51, 99))) is None
    assert np.flatnonzero(~checked).tolist() == [50]


def test_no_spans() -> None:
    data, expected = np.zeros(BLOCK, dtype=np.uint8), np.zeros(1, dtype=np.uint32)
    assert changed(data, expected, np.zeros(1, dtype=np.bool_), *spans()) is None
