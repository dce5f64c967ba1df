"""Postings, their blocks, and what becomes of them when indexes are merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from plait.kernels import native
from plait.kernels.inverting import blocks, invert, kept, merge, renumber
from plait.kernels.postings import BLOCK, GONE, Postings, narrowest, spread


@pytest.fixture(autouse=True, params=["compiled", "numpy"])
def loops(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test twice; where there is no compiler, twice the same."""
    if request.param == "compiled":
        yield
    else:
        with native.without():
            yield


def postings(terms: Sequence[Mapping[int, int]], lengths: Sequence[int] | int) -> Postings:
    """From tf by document for each term, and the lengths, or how many documents of length 10."""
    measured = np.array([10] * lengths if isinstance(lengths, int) else lengths, dtype=np.uint32)
    each = [sorted(term.items()) for term in terms]
    starts = np.concatenate([[0], np.cumsum([len(term) for term in each])]).astype(np.uint64)
    docs = np.array([doc for term in each for doc, _ in term], dtype=np.uint32)
    tfs = np.array([tf for term in each for _, tf in term], dtype=np.uint32)
    width = narrowest(int(tfs.max(initial=0)))
    dls, made = spread(measured, docs), blocks(starts, docs, tfs, measured)
    return Postings(measured, starts, docs, tfs.astype(width), dls, made)


def test_from_documents_to_terms() -> None:
    # Document 0 has term 2 five times and term 0 once, 1 is blank, 2 has term 2.
    sizes = np.array([2, 0, 1], dtype=np.uint32)
    terms, tfs = np.array([2, 0, 2], dtype=np.uint32), np.array([5, 1, 7], dtype=np.uint32)
    starts, docs, sorted_tfs = invert(sizes, terms, tfs, 3)
    assert starts.tolist() == [0, 1, 1, 3]
    assert docs.tolist() == [0, 0, 2]
    assert sorted_tfs.tolist() == [1, 5, 7]
    assert [array.dtype.str for array in (starts, docs, sorted_tfs)] == ["<u8", "<u4", "<u4"]


def test_blocks_keep_pairs_that_no_other_beats() -> None:
    # (tf, length) of the documents; (2, 10) is beaten by (2, 9), (1, 9) too, (3, 20) by nothing.
    lengths = [10, 9, 20, 9, 4, 9]
    made = postings([{0: 2, 1: 2, 2: 3, 3: 1, 4: 1, 5: 2}, {2: 1}], lengths).blocks
    assert made.starts.tolist() == [0, 1, 2]
    assert made.lasts.tolist() == [5, 2]
    assert made.bounds.tolist() == [0, 3, 4]
    assert made.pairs.tolist() == [[3, 20], [2, 9], [1, 4], [1, 20]]


def test_a_block_has_128_postings() -> None:
    made = postings([dict.fromkeys(range(BLOCK + 1), 1), {7: 2}], BLOCK + 1).blocks
    assert made.starts.tolist() == [0, 2, 3]
    assert made.lasts.tolist() == [BLOCK - 1, BLOCK, 7]
    assert made.pairs.tolist() == [[1, 10], [1, 10], [2, 10]]


def test_nothing_at_all() -> None:
    none = np.zeros(0, dtype=np.uint32)
    starts, docs, tfs = invert(none, none, none, 0)
    assert (starts.tolist(), docs.tolist(), tfs.tolist()) == ([0], [], [])
    assert [array.tolist() for array in blocks(starts, docs, tfs, none)] == [[0], [], [0], []]
    docs, found = merge([], [], [], 0)
    assert (docs.tolist(), found.tolist()) == ([], [])


def test_what_is_left_of_each_term() -> None:
    index = postings([{0: 1, 2: 1}, {1: 1}, {}, {2: 5}], 3)
    assert kept(index, np.array([0, GONE, 1], dtype=np.uint32)).tolist() == [2, 0, 0, 1]
    assert kept(index, np.array([GONE] * 3, dtype=np.uint32)).tolist() == [0, 0, 0, 0]


def test_two_indexes_become_one() -> None:
    # Documents 0 and 2 of the left become 1 and 3, all of the right become 0 and 2.
    left = postings([{0: 1, 1: 300, 2: 2}, {2: 4}], 3)
    right = postings([{0: 7}, {0: 5, 1: 6}], 2)
    numbers = [np.array([1, GONE, 3], dtype=np.uint32), np.array([0, 2], dtype=np.uint32)]
    # The terms are then: only of the right, of both, only of the left.
    olds = [np.array([-1, 0, 1]), np.array([0, 1, -1])]
    docs, tfs = merge([left, right], numbers, olds, 6)
    assert docs.tolist() == [0, 0, 1, 2, 3, 3]
    assert tfs.tolist() == [7, 5, 1, 6, 2, 4]
    assert (left.tfs.dtype.str, tfs.dtype.str) == ("<u2", "|u1")  # 300 is gone


def test_rows_keep_their_terms_under_new_numbers() -> None:
    begins = np.array([0, 2, 2, 3], dtype=np.uint64)
    terms, numbers = np.array([0, 2, 1], dtype=np.uint32), np.array([4, 5, 9], dtype=np.uint32)
    written = np.zeros(5, dtype=np.uint32)
    targets = np.array([3, 0, 1], dtype=np.uint64)
    renumber(np.array([0, 1, 2]), begins, terms, numbers, targets, written)
    assert written.tolist() == [0, 5, 0, 4, 9]
