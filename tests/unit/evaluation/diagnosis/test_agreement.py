import math

import pytest

from plait.evaluation.diagnosis.agreement import (
    jaccard,
    kendall_tau,
    overlap,
    rank_biased_overlap,
)


def test_overlap_is_of_the_shorter_list() -> None:
    assert overlap("abc", "cd") == 1 / 2
    assert overlap("abcd", "dcab", depth=2) == 0
    assert overlap("abcd", "dcab") == 1
    assert overlap("ab", "cd") == 0


def test_jaccard_is_of_all_hits() -> None:
    assert jaccard("abc", "cd") == 1 / 4
    assert jaccard("abcd", "bacd", depth=2) == 1


@pytest.mark.parametrize("agreement", [overlap, jaccard, rank_biased_overlap])
def test_with_an_empty_list_there_is_nothing_to_agree_on(agreement) -> None:
    assert agreement("", "ab") is None
    assert agreement("ab", "") is None
    assert agreement("", "") is None


@pytest.mark.parametrize("agreement", [overlap, jaccard, rank_biased_overlap])
def test_agreement_is_symmetric_and_one_for_equal_lists(agreement) -> None:
    assert agreement("abcde", "xbay") == agreement("xbay", "abcde")
    assert agreement("abcde", "abcde") == pytest.approx(1, abs=1e-12)
    assert agreement("abcde", "vwxyz") == 0


def test_rank_biased_overlap_of_lists_of_one_length() -> None:
    # X = 0, 2, 3 of depths 1, 2, 3: (1 - p)/p (2/2 p^2 + 3/3 p^3) + 3/3 p^3
    p = 0.9
    expected = (1 - p) / p * (p**2 + p**3) + p**3
    assert rank_biased_overlap("abc", "bac") == pytest.approx(expected)


def test_rank_biased_overlap_of_lists_of_different_length() -> None:
    # shorter "ba", longer "acb": X = 0, 1, 2 of depths 1 to 3; s = 2, l = 3, X(s) = 1
    p = 0.8
    seen = 1 / 2 * p**2 + 2 / 3 * p**3
    guessed = 1 * (3 - 2) / (2 * 3) * p**3
    expected = (1 - p) / p * (seen + guessed) + ((2 - 1) / 3 + 1 / 2) * p**3
    found = rank_biased_overlap("ba", "acb", persistence=p)
    assert found == pytest.approx(expected)


def test_the_top_counts_more() -> None:
    same_top = rank_biased_overlap("abcdef", "abcxyz")
    same_bottom = rank_biased_overlap("abcdef", "xyzdef")
    assert same_top is not None
    assert same_bottom is not None
    assert same_top > same_bottom


def test_kendall_counts_pairs() -> None:
    assert kendall_tau([3, 2, 1], [30, 20, 10]) == 1
    assert kendall_tau([3, 2, 1], [10, 20, 30]) == -1
    # of 6 pairs 4 stand in the same order
    assert kendall_tau([4, 3, 2, 1], [4, 1, 3, 2]) == pytest.approx((4 - 2) / 6)


def test_kendall_allows_for_ties() -> None:
    # pairs: (1,2) tied in a; (1,3) and (2,3) in the same order
    assert kendall_tau([2, 2, 1], [3, 2, 1]) == pytest.approx(2 / math.sqrt(2 * 3))


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0]])
def test_kendall_of_what_has_no_order(values) -> None:
    assert kendall_tau(values, list(range(len(values)))) is None
    assert kendall_tau(list(range(len(values))), values) is None
