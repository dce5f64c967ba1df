"""Loops over vectors by hand, compiled and in NumPy."""

import numpy as np
import pytest

from plait.kernels import native
from plait.kernels.vectors import distances, dots, encode, lengths, propose

LEVELS = ("baseline", "AVX2", "AVX-512")


@pytest.fixture(params=[*LEVELS, "numpy"], autouse=True)
def loops(request):
    if request.param == "numpy":
        with native.without():
            yield
        return
    lib = native.library()
    if lib is None:
        pytest.skip("no compiled loops here")
    lib.plait_cap(LEVELS.index(request.param))
    try:
        if lib.plait_features().decode() != request.param:
            pytest.skip(f"this processor has no {request.param}")
        yield
    finally:
        lib.plait_cap(len(LEVELS))


@pytest.mark.parametrize("planes", [1, 2, 4])
@pytest.mark.parametrize("dim", [1, 7, 8, 31, 64, 100, 384, 515])
def test_random_numbers_have_the_bits_of_numpy(dim, planes):
    draw = np.random.default_rng(dim)
    rows = draw.standard_normal((333, dim)).astype(np.float32)
    query = draw.standard_normal(dim).astype(np.float32)
    some = np.sort(draw.choice(333, 50, replace=False))
    groups = (dim + 7) // 8
    tables = draw.integers(0, 20, (3, 2 * groups, 16)).astype(np.uint8)
    lines = np.float32([[0.01, -3, 0.5], [1, 0, 0], [0.2, 1, -1]])

    def all_of_it():
        codes, factors = encoded(rows, query, planes=planes, spread=0.7)
        found = propose(codes, factors, len(rows), None, tables, lines, 20)
        sums = (dots(rows, query), dots(rows, query, some), distances(rows, query), lengths(rows))
        return [codes, factors, *found, *sums]

    made = all_of_it()
    with native.without():
        expected = all_of_it()
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def blocks(count, octets):
    return (
        np.zeros(((count + 63) // 64, octets, 64), dtype=np.uint8),
        np.zeros(((count + 63) // 64, 2, 64), dtype=np.float32),
    )


def encoded(rows, center=None, *, planes=1, spread=1.0, near=False):
    rows = np.float32(rows)
    codes, factors = blocks(len(rows), planes * ((rows.shape[1] + 7) // 8))
    middle = np.zeros(rows.shape[1]) if center is None else np.float64(center)
    encode(
        rows, np.ones(len(rows)), middle, planes=planes, spread=spread, near=near, first=0,
        codes=codes, factors=factors,
    )  # fmt: skip
    return codes, factors


class TestExact:
    rows = np.float32([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    query = np.float32([1, 0, -1])

    def test_dots(self):
        assert dots(self.rows, self.query).tolist() == [1 - 3, 4 - 6, 7 - 9]
        assert dots(self.rows, self.rows[0], np.array([2, 0])).tolist() == [7 + 16 + 27, 1 + 4 + 9]

    def test_distances(self):
        zero = np.zeros(3, np.float32)
        assert distances(self.rows[:1], zero).tolist() == [14**0.5]
        assert distances(self.rows, self.rows[1], np.array([1])).tolist() == [0]

    def test_lengths(self):
        assert lengths(self.rows).tolist() == [14**0.5, 77**0.5, 194**0.5]

    def test_sums_are_taken_by_halving(self):
        """In order the small ones would be lost, one by one, beside the large one."""
        large, small = np.float32(2.0**53), np.float32(1)
        row = np.float32([[large, small, small, small]])
        # (large + small) + (small + small): the first loses its 1, the second is 2
        assert dots(row, np.ones(4, np.float32)).tolist() == [2.0**53 + 2]

    def test_rows_that_are_not_contiguous(self):
        wide = np.repeat(self.rows, 2, axis=1)[:, ::2]
        assert dots(wide, self.query).tolist() == dots(self.rows, self.query).tolist()
        assert lengths(wide).tolist() == lengths(self.rows).tolist()

    def test_of_nothing(self):
        none = np.empty((0, 3), np.float32)
        assert dots(none, self.query).tolist() == []
        assert distances(none, self.query).tolist() == []
        assert lengths(none).tolist() == []
        assert dots(self.rows, self.query, np.empty(0, np.int64)).tolist() == []


class TestEncode:
    def test_one_bit_is_the_sign(self):
        codes, factors = encoded([[1, -2, 3, 0, -1, 1, 1, 1, -5]])
        assert codes[0, :, 0].tolist() == [0b11101101, 0]
        assert codes[0, :, 1:].max() == 0
        # |v|^2 / sum of |v_i|
        assert factors[0, 0, 0] == np.float32((1 + 4 + 9 + 0 + 1 + 1 + 1 + 1 + 25) / 15)

    def test_two_bits_are_steps_of_the_grid(self):
        row = [3, 1, -1, -3]  # root mean square 5 ** .5
        codes, factors = encoded([row], planes=2, spread=2 / 5**0.5)
        # floor(v / 2) + 2 = 3, 2, 1, 0: the low bits 1, 0, 1, 0, the high ones 1, 1, 0, 0
        assert codes[0, :, 0].tolist() == [0b0101, 0b0011]
        assert factors[0, 0, 0] == 1  # w = 3, 1, -1, -3 is v itself

    def test_steps_past_the_last_are_the_last(self):
        codes, _ = encoded([[100, -100, 0.1, -0.1]], planes=2, spread=0.1)
        # 3, 0, 2, 1: the low bits 1, 0, 0, 1, the high ones 1, 0, 1, 0
        assert codes[0, :, 0].tolist() == [0b1001, 0b0101]

    def test_what_is_known_without_the_query(self):
        _, factors = encoded([[4, 2]], [1, 1])
        assert factors[0, 1, 0] == 3 * 1 + 1 * 1
        _, factors = encoded([[4, 2]], [1, 1], near=True)
        assert factors[0, 1, 0] == -(3**2 + 1**2) / 2

    def test_a_row_at_the_center_says_nothing(self):
        _, factors = encoded([[1, 1]], [1, 1])
        assert factors[0, :, 0].tolist() == [0, 0]

    def test_rows_go_to_their_place(self):
        rows = np.random.default_rng(0).standard_normal((150, 12)).astype(np.float32)
        whole = encoded(rows)
        codes, factors = blocks(150, 2)
        for first in (100, 0, 63):
            some = rows[first : {100: 150, 0: 63, 63: 100}[first]]
            encode(
                some, np.ones(len(some)), np.zeros(12), planes=1, spread=1.0, near=False,
                first=first, codes=codes, factors=factors,
            )  # fmt: skip
        np.testing.assert_array_equal(codes, whole[0])
        np.testing.assert_array_equal(factors, whole[1])


def asked(*lines, dim=8):
    """A table in which each bit counts as its dimension: 1 for the first, 2 for the second, ..."""
    table = np.zeros((2, 16), dtype=np.uint8)
    for number in range(16):
        for bit in range(4):
            table[0, number] += (number >> bit & 1) * (bit + 1)
            table[1, number] += (number >> bit & 1) * (bit + 5)
    return np.stack([table] * len(lines)), np.float32(lines)


class TestPropose:
    def test_keys_by_hand(self):
        """The sums are 1, 2 + 3 and 8; factors and biases turn the order."""
        codes, factors = blocks(3, 1)
        codes[0, 0, :3] = [0b1, 0b110, 0b10000000]
        factors[0, 0, :3] = [1, 1, -1]
        factors[0, 1, :3] = [10, 0, 0]
        tables, lines = asked([1, 0, 0], [1, 0, 1], [-1, 0, 0], [1, -6, 0])
        best = propose(codes, factors, 3, None, tables, lines, 1)
        # 1, 5, -8; 11, 5, -8; -1, -5, 8; -5, -1, -2
        assert [each.tolist() for each in best] == [[1], [0], [2], [1]]
        two = propose(codes, factors, 3, None, tables, lines, 2)
        assert [each.tolist() for each in two] == [[1, 0], [0, 1], [2, 0], [1, 2]]

    def test_a_higher_plane_counts_twice(self):
        codes, factors = blocks(2, 2)
        codes[0, :, :2] = [[0b100, 0], [0, 0b10]]  # 3 in the plane of 1, 2 in the plane of 2
        factors[:, 0] = 1
        (best,) = propose(codes, factors, 2, None, *asked([1, 0, 0]), 1)
        assert best.tolist() == [1]

    def test_equal_keys_go_by_ordinal(self):
        codes, factors = blocks(300, 1)
        for keep in (1, 70, 299):
            (best,) = propose(codes, factors, 300, None, *asked([1, 0, 0]), keep)
            assert best.tolist() == list(range(keep))

    def test_zero_is_not_below_zero(self):
        codes, factors = blocks(2, 1)
        factors[0, 1] = [-0.0, 0.0] * 32
        (best,) = propose(codes, factors, 2, None, *asked([1, 0, 1]), 1)
        assert best.tolist() == [0]

    def test_only_what_is_allowed(self):
        codes, factors = blocks(200, 1)
        allowed = np.array([0, 1 << 5 | 1 << 63, 0, 1 << 7], dtype=np.uint64)
        (best,) = propose(codes, factors, 200, allowed, *asked([1, 0, 0]), 9)
        assert best.tolist() == [69, 127, 199]

    def test_rows_behind_the_last_are_not_proposed(self):
        codes, factors = blocks(65, 1)
        factors[:, 1] = np.arange(64)
        (best,) = propose(codes, factors, 65, None, *asked([1, 0, 1]), 200)
        assert best.tolist() == [*range(63, 0, -1), 0, 64]

    def test_many_queries(self):
        codes, factors = blocks(100, 1)
        factors[0, 1] = np.arange(64)
        lines = [[0, 0, (-1) ** number] for number in range(40)]
        found = propose(codes, factors, 64, None, *asked(*lines), 1)
        assert [each.tolist() for each in found] == [[63], [0]] * 20
