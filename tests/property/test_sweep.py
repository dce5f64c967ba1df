"""Many weightings at once order as ``fuse`` does one at a time: same rule, same ties."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.errors import ConfigurationError
from plait.fusion import (
    Auto,
    Borda,
    CombMnz,
    CombSum,
    Convex,
    Dbsf,
    Fusion,
    Isr,
    LangChain,
    QdrantRrf,
    Rbc,
    Rrf,
    Rsf,
    ZScore,
    fuse,
)
from plait.fusion.sweep import align, sweep
from plait.types import Ranking


@dataclass(frozen=True)
class Product(Fusion):
    """One's own, not in proportion to the weights."""

    def fuse(self, rankings, weights):
        return [
            [weight**2 / rank for rank in range(1, len(ranking) + 1)]
            for ranking, weight in zip(rankings, weights, strict=True)
        ]


METHODS = [
    Auto(),
    Rrf(k=60),
    Rrf(k=0),
    Rrf(k=2, absent="min"),
    Rsf(),
    Rsf(absent=-0.25),
    Dbsf(),
    Dbsf(shape="3sigma"),
    ZScore(),
    Convex(),
    Convex(absent="min"),
    CombSum(),
    CombMnz(),
    Isr(),
    Borda(),
    Rbc(phi=0.8),
    LangChain(),
    QdrantRrf(k=2),
    Product(),
]
STEPS = 10


@st.composite
def rankings(draw, max_legs=4):
    legs = []
    for name in ["dense", "bm25", "title", "graph"][: draw(st.integers(1, max_legs))]:
        ids = draw(st.lists(st.sampled_from("abcdefghijklmnop"), max_size=14))
        score = st.integers(-20, 20).map(lambda number: number / 4) | st.floats(-1e3, 1e3)
        scores = sorted(draw(st.lists(score, min_size=len(ids), max_size=len(ids))), reverse=True)
        coverage = draw(st.sampled_from([None, 0.0, 0.3, 1.0]))
        legs.append(Ranking(name, tuple(ids), tuple(scores), coverage=coverage))
    return legs


@st.composite
def weightings(draw, legs):
    """Weights of a grid, all above 0: many of their sums are equal but for rounding."""
    parts = st.lists(st.integers(1, STEPS), min_size=legs, max_size=legs)
    return np.array(draw(st.lists(parts, min_size=1, max_size=4))) / STEPS


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_each_row_is_the_order_of_fuse(fusion, data):
    legs = data.draw(rankings())
    weights = data.draw(weightings(len(legs)))
    aligned = align(legs)
    orders = sweep(aligned, fusion, weights)
    assert orders.shape == (len(weights), len(aligned.ids))
    for row, weighting in zip(orders, weights.tolist(), strict=True):
        pool = fuse(legs, fusion, weighting)
        assert [aligned.ids[place] for place in row] == [hit.id for hit in pool.hits(0, len(pool))]


def test_hits_stand_by_best_rank_and_then_by_name():
    legs = [Ranking("a", ("z", "m"), (2.0, 1.0)), Ranking("b", ("b", "z", "a"), (3.0, 2.0, 1.0))]
    aligned = align(legs)
    assert aligned.ids == ("b", "z", "m", "a")
    assert [rows.tolist() for rows in aligned.rows] == [[1, 2], [0, 1, 3]]


def test_duplicates_of_a_leg_count_once_at_their_best_rank():
    aligned = align([Ranking("a", ("x", "y", "x", "z"), (4.0, 3.0, 2.0, 1.0))])
    assert aligned.ids == ("x", "y", "z")
    assert aligned.rankings[0].ids == ("x", "y", "z")


def test_no_hits_at_all():
    aligned = align([Ranking("a", (), ()), Ranking("b", (), ())])
    assert sweep(aligned, Rsf(), np.array([[0.5, 0.5]])).shape == (1, 0)
    assert sweep(aligned, Product(), np.array([[0.5, 0.5]])).shape == (1, 0)


def test_sums_that_differ_by_rounding_only_are_equal():
    # 0.1 + 0.2 is above 0.3 in doubles: "y" would come first if rounding decided.
    @dataclass(frozen=True)
    class Flat(Fusion):
        def contributions(self, ranking):
            return [1.0] * len(ranking)

    legs = [
        Ranking("a", ("x",), (1.0,)),
        Ranking("b", ("y",), (1.0,)),
        Ranking("c", ("y",), (1.0,)),
    ]
    aligned = align(legs)
    order = sweep(aligned, Flat(), np.array([[0.3, 0.1, 0.2]]))
    assert 0.1 + 0.2 > 0.3
    assert [aligned.ids[place] for place in order[0]] == ["x", "y"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([1.0], "gave 1 contributions for the 2 hits of leg 'a'"),
        ([1.0, float("nan")], "gave leg 'a' contributions that are NaN"),
        ([1.0, 1e301], "infinite or too large"),
    ],
)
def test_contributions_that_are_not_one_finite_number_per_hit_are_refused(given, said):
    @dataclass(frozen=True)
    class Wrong(Fusion):
        def contributions(self, ranking):
            return given

    with pytest.raises(ConfigurationError, match=said):
        sweep(align([Ranking("a", ("x", "y"), (2.0, 1.0))]), Wrong(), np.array([[1.0]]))
