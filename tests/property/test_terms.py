"""The compiled loops over postings give the bits that NumPy gives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from plait.bits import of_mask
from plait.kernels import native
from plait.kernels.inverting import blocks, invert
from plait.kernels.postings import Formula, Postings, narrowest, spread
from plait.kernels.terms import score, search

FORMULAS = st.builds(
    Formula,
    st.integers(0, 3),
    st.sampled_from([0.0, 0.9, 1.5, 1e6]),
    st.sampled_from([0.0, 0.4, 0.75, 1.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
ABOVE_0 = st.sampled_from([1e-30, 1e-19, 1e-7, 0.3, 1.0, 1.0, 2.5, 9.0, 1e5])
WEIGHTS = st.one_of(
    st.none(),  # as it is usual: the rarer a term, the higher
    st.lists(ABOVE_0, min_size=7, max_size=7),
    st.lists(st.sampled_from([-2.0, -0.5, 0.0, 1.0, 3.0]), min_size=7, max_size=7),
)


class Corpus(NamedTuple):
    """What the documents of a corpus are like.

    Attributes:
        seed: Of everything that is drawn.
        size: Documents; a window of the search has 8192.
        longest: Longest length; up to 2 for many equal scores.
        highest: Highest tf, so that it takes one, two or four bytes.
        clustered: Whether a term is in neighbors.
    """

    seed: int
    size: int
    longest: int
    highest: int
    clustered: bool


CORPORA = st.builds(
    Corpus,
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 7, 130, 8192, 8193, 20_000, 30_000]),
    st.sampled_from([1, 2, 60, 3000, 16_383, 16_384, 2**32 - 1]),
    st.sampled_from([1, 3, 255, 256, 70_000, 2**32 - 1]),
    st.booleans(),
)


def some(corpus: Corpus) -> Postings:
    """Postings of 8 terms, each in a share of the documents between none and all."""
    draw = np.random.default_rng(corpus.seed)
    lengths = draw.integers(1, corpus.longest + 1, corpus.size).astype(np.uint32)
    has = np.empty((corpus.size, 8), dtype=np.bool_)
    for term in range(8):
        share = draw.choice([0.0, 0.001, 0.003, 0.01, 0.1, 0.5, 1.0])
        if corpus.clustered:
            start = int(draw.integers(0, corpus.size))
            has[:, term] = np.abs(np.arange(corpus.size) - start) <= share * corpus.size / 2
        else:
            has[:, term] = draw.random(corpus.size) < share
    tfs = draw.integers(1, corpus.highest + 1, int(has.sum()))
    if draw.random() < 0.5:  # as a rule low
        tfs = np.maximum(1, tfs // draw.integers(1, corpus.highest + 1, len(tfs)))
    return inverted(has, tfs, lengths)


def inverted(
    has: NDArray[np.bool_], tfs: NDArray[np.int64], lengths: NDArray[np.uint32]
) -> Postings:
    """From which document has which term; tfs by document and then by term."""
    sizes, terms = has.sum(axis=1).astype(np.uint32), np.nonzero(has)[1].astype(np.uint32)
    starts, docs, sorted_tfs = invert(sizes, terms, tfs.astype(np.uint32), has.shape[1])
    width = narrowest(int(tfs.max(initial=0)))
    dls, made = spread(lengths, docs), blocks(starts, docs, sorted_tfs, lengths)
    return Postings(lengths, starts, docs, sorted_tfs.astype(width), dls, made)


def equal(left: Postings, right: Postings) -> bool:
    pairs = zip(
        (left.starts, left.docs, left.tfs, *left.blocks),
        (right.starts, right.docs, right.tfs, *right.blocks),
        strict=True,
    )
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in pairs)


@settings(max_examples=40, deadline=None)
@given(CORPORA)
def test_postings_are_made_alike(corpus: Corpus) -> None:
    compiled = some(corpus)
    with native.without():
        assert equal(compiled, some(corpus))


@settings(max_examples=400, deadline=None)
@given(
    CORPORA,
    st.permutations(range(8)),
    st.integers(0, 7),
    WEIGHTS,
    FORMULAS,
    st.sampled_from([1, 2, 10, 200, 100_000]),
    st.sampled_from([None, 0.0, 0.001, 0.5]),
)
def test_the_best_are_found_alike(
    corpus: Corpus,
    order: list[int],
    asked: int,
    weights: list[float] | None,
    formula: Formula,
    top_k: int,
    share: float | None,
) -> None:
    postings = some(corpus)
    draw = np.random.default_rng(corpus.seed + 1)
    mean = float(postings.lengths.mean())
    terms = np.array(order[:asked], dtype=np.int64)
    if weights is None:
        counts = np.diff(postings.starts.astype(np.int64))[terms]
        taken = np.log(1.0 + (corpus.size - counts + 0.5) / (counts + 0.5))
    else:
        taken = np.array(weights[:asked], dtype=np.float64)
    allowed = None if share is None else of_mask(draw.random(corpus.size) < share)
    wanted = draw.integers(0, corpus.size, 50)
    found = search(postings, terms, taken, formula, mean, top_k, allowed)
    scores, matched = score(postings, terms, taken, formula, mean, wanted)
    with native.without():
        expected = search(postings, terms, taken, formula, mean, top_k, allowed)
        slow, there = score(postings, terms, taken, formula, mean, wanted)
    assert found.docs.tolist() == expected.docs.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert matched.tolist() == there.tolist()
    assert scores.tobytes() == slow.tobytes()
    # A document has one score, whoever asks for it.
    again, all_there = score(postings, terms, taken, formula, mean, found.docs)
    assert again.tobytes() == found.scores.tobytes()
    assert all_there.all()
