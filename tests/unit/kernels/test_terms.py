"""Searches whose answers can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from plait.bits import of_mask
from plait.kernels import native
from plait.kernels.inverting import blocks
from plait.kernels.postings import BLOCK, Formula, Postings, narrowest, spread
from plait.kernels.terms import Found, score, search

WINDOW = 8192  # documents that a search looks at together
PRESENCE = Formula(0, 0.0, 0.0, 0.0)  # a share is 1: scores are sums of weights
SATURATED = Formula(0, 1.0, 0.0, 0.0)  # a share is tf / (tf + 1)


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


def best(
    index: Postings,
    weights: Sequence[float],
    top_k: int,
    formula: Formula = PRESENCE,
    allowed: np.ndarray | None = None,
) -> list[tuple[int, float]]:
    """Search for all terms in their order, by documents and scores."""
    terms = np.arange(len(weights))
    found: Found = search(index, terms, np.array(weights), formula, 10.0, top_k, allowed)
    return list(zip(found.docs.tolist(), found.scores.tolist(), strict=True))


def f32(value: float) -> float:
    return float(np.float32(value))


def test_nothing_at_all() -> None:
    assert best(postings([], 0), [], 3) == []
    assert best(postings([{0: 1}], 1), [], 3) == []


def test_scores_worked_out_by_hand() -> None:
    index = postings([{0: 2, 2: 1}, {0: 1}], [10, 10, 20])
    formula = Formula(0, 1.5, 0.75, 0.0)
    long = 1.5 * (0.25 + 0.75 * (20 / 10))
    both = f32(2.0 * (2 / (2 + 1.5)) + 3.0 * (1 / (1 + 1.5)))
    assert best(index, [2.0, 3.0], 5, formula) == [(0, both), (2, f32(2.0 * (1 / (1 + long))))]
    scores, matched = score(
        index, np.arange(2), np.array([2.0, 3.0]), formula, 10.0, np.array([2, 1, 0, 2])
    )
    assert matched.tolist() == [True, False, True, True]
    assert scores.tolist() == [f32(2.0 / (1 + long)), 0.0, both, f32(2.0 / (1 + long))]


@pytest.mark.parametrize(
    ("kind", "share"),
    [
        (0, 4 / (4 + 1.5)),
        (1, 2.5 * 4 / (4 + 1.5)),
        (2, 2.5 * 4 / (4 + 1.5) + 0.5),
        (3, 2.5 * (4 + 0.5) / (1.5 + (4 + 0.5))),
    ],
)
def test_formulas(kind: int, share: float) -> None:
    assert best(postings([{0: 4}], 1), [1.0], 1, Formula(kind, 1.5, 0.75, 0.5)) == [(0, f32(share))]


@pytest.mark.parametrize("tf", [255, 256, 2**32 - 1])
def test_high_frequencies(tf: int) -> None:
    assert best(postings([{0: tf}], 1), [1.0], 1, SATURATED) == [(0, f32(tf / (tf + 1)))]


def test_lengths_without_a_table() -> None:
    index = postings([{0: 1, 1: 1}], [2**32 - 1, 10])
    long = 0.25 + 0.75 * ((2**32 - 1) / 10)
    found = best(index, [1.0], 2, Formula(0, 1.0, 0.75, 0.0))
    assert found == [(1, f32(1 / (1 + 1))), (0, f32(1 / (1 + long)))]


def test_any_sign() -> None:
    index = postings([{0: 1, 1: 1}, {1: 1, 2: 1}, {3: 1}], 5)
    # Documents that have a term are hits whatever they score; document 4 has none.
    assert best(index, [1.0, -1.0, 0.0], 9) == [(0, 1.0), (1, 0.0), (3, 0.0), (2, -1.0)]
    assert best(index, [-1.0, -2.0, -3.0], 2) == [(0, -1.0), (2, -2.0)]


def test_only_what_is_allowed() -> None:
    index = postings([dict.fromkeys(range(300), 1), {299: 1}], 300)
    allowed = np.zeros(300, dtype=np.bool_)
    allowed[[63, 64, 298]] = True
    expected = [(63, 1.0), (64, 1.0), (298, 1.0)]
    assert best(index, [1.0, 1.0], 5, allowed=of_mask(allowed)) == expected
    assert best(index, [1.0, 1.0], 5, allowed=of_mask(allowed & False)) == []


def test_ties_by_document_across_windows() -> None:
    docs = [0, WINDOW - 1, WINDOW, 2 * WINDOW - 1, 2 * WINDOW, 3 * WINDOW]
    index = postings([dict.fromkeys(docs, 1)], 3 * WINDOW + 1)
    for top_k in range(1, 8):
        assert best(index, [1.0], top_k) == [(doc, 1.0) for doc in docs[:top_k]]


def test_a_block_that_begins_with_the_last_document_of_a_window() -> None:
    last = 2 * WINDOW - 1
    low = dict.fromkeys(range(last - BLOCK, last), 1)
    index = postings([{0: 5}, low | {last: 50, last + 1: 1}], 3 * WINDOW)
    assert index.blocks.lasts.tolist() == [0, last - 1, last + 1]
    assert best(index, [1.0, 1.0], 1, SATURATED) == [(last, f32(50 / 51))]


def test_scores_that_float32_hardly_tells_from_0() -> None:
    index = postings([{0: 1}, {WINDOW + 1: 1}, {WINDOW: 1}], 2 * WINDOW)
    assert f32(1e-45) > 1e-45 * 1.3
    assert best(index, [1e-46, 1e-45, 1e-45], 1) == [(WINDOW, f32(1e-45))]


class TestTermsThatAreLookedUp:
    """A term of a low weight that is in many documents is only looked up, once that is enough."""

    COMMON = dict.fromkeys(range(0, 2 * WINDOW, 20), 1)
    SIZE = 2 * WINDOW

    def test_what_they_bring_counts(self) -> None:
        # The rare term alone does not bring document 9000 above document 1, both terms do.
        doc = 9000
        index = postings([{1: 2, doc: 1, doc + 1: 1}, self.COMMON], self.SIZE)
        assert doc in self.COMMON
        assert best(index, [1.0, 0.6], 1, SATURATED) == [(doc, f32(1 / 2 + 0.6 / 2))]
        assert best(index, [1.0, 0.3], 1, SATURATED) == [(1, f32(2 / 3))]

    def test_shares_are_added_in_the_order_of_the_terms(self) -> None:
        # 2^-53 + 2^-53 + 1 + 2^-24 rounds up to 1 + 2^-23, and from the other end down to 1.
        doc = 9000
        index = postings([self.COMMON, self.COMMON, {1: 1, doc: 1}], self.SIZE)
        tiny, one = 2.0**-53, 1.0 + 2.0**-24
        assert best(index, [tiny, tiny, one], 1) == [(doc, 1.0 + 2.0**-23)]
        index = postings([{1: 1, doc: 1}, self.COMMON, self.COMMON], self.SIZE)
        assert best(index, [one, tiny, tiny], 1) == [(1, 1.0)]

    def test_ties_that_are_found_in_another_order(self) -> None:
        # float32(0.1) is above 0.1: the second one found is not less than what is kept.
        first, second = WINDOW + 5, WINDOW + 4
        index = postings([{first: 1}, {second: 1}, {1: 1}, self.COMMON], self.SIZE)
        assert f32(0.1) > 0.1
        assert best(index, [0.1, 0.1, 0.05, 0.01], 1) == [(second, f32(0.1))]

    def test_many_of_them(self) -> None:
        commons = [self.COMMON] * 30
        index = postings([{1: 1, 9000: 1, 9001: 1}, *commons], self.SIZE)
        found = best(index, [5.0] + [0.125] * 30, 2)
        assert found == [(9000, 5.0 + 30 * 0.125), (1, 5.0)]
