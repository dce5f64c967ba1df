import pytest

from plait.errors import ConfigurationError
from plait.fusion import Borda, Isr, Rbc, Rrf, fuse
from plait.types import Ranking


def leg(name, ids, scores=None):
    given = scores or [float(-place) for place in range(len(ids))]
    return Ranking(name, tuple(ids), tuple(given))


def scores(pool):
    return {hit.id: hit.score for hit in pool.hits(0, len(pool))}


def order(pool):
    return [hit.id for hit in pool.hits(0, len(pool))]


def test_rrf():
    pool = fuse([leg("dense", "abc"), leg("bm25", "cd")], Rrf(k=60))
    assert scores(pool) == pytest.approx(
        {"a": 1 / (60 + 1), "b": 1 / (60 + 2), "c": 1 / (60 + 3) + 1 / (60 + 1), "d": 1 / (60 + 2)},
        rel=1e-15,
    )
    assert pool.score_bound == pytest.approx(2 / 61)


def test_a_hit_of_both_legs_is_above_a_hit_of_one():
    pool = fuse([leg("a", ["x", "both"]), leg("b", ["y", "both"])], Rrf(k=60))
    assert pool.hits(0, 1)[0].id == "both"


@pytest.mark.parametrize(("above", "first"), [(60, "both"), (61, "x0")])
def test_two_mediocre_agreements_beat_a_first_place_down_to_rank_61(above, first):
    # 2/(60 + 61) > 1/(60 + 1) = 2/(60 + 62), and of equal scores the better rank is first.
    a = leg("a", [*(f"x{place}" for place in range(above)), "both"])
    b = leg("b", [*(f"y{place}" for place in range(above)), "both"])
    assert order(fuse([a, b], Rrf(k=60)))[0] == first


def test_rrf_weights_are_used_as_given():
    pool = fuse([leg("a", "x"), leg("b", "y")], Rrf(k=60), [2.0, 0.5])
    assert scores(pool) == pytest.approx({"x": 2 / 61, "y": 0.5 / 61})
    assert pool.score_bound == pytest.approx(2.5 / 61)


def test_rrf_with_k_0_is_the_reciprocal_rank():
    assert Rrf(k=0).contributions(leg("a", "xyz")) == [1 / 1, 1 / 2, 1 / 3]


def test_a_small_k_lets_the_top_of_one_leg_win():
    legs = [leg("bm25", ["exact", "p", "q"]), leg("dense", ["m", "p", "q"])]
    assert order(fuse(legs, Rrf(k=60)))[0] == "p"  # 2/62 > 1/61
    # 1/1 = 2/2, and of equal scores the better rank is first.
    assert order(fuse(legs, Rrf(k=0)))[:3] == ["exact", "m", "p"]
    assert order(fuse(legs, Rrf(k=0), [2.0, 1.0]))[0] == "exact"  # 2/1 > 3/2


@pytest.mark.parametrize("k", [-1, float("nan"), float("inf"), True, "60", None, 10**400])
def test_a_rank_constant_that_is_none(k):
    with pytest.raises(ConfigurationError, match="rrf: k is"):
        Rrf(k=k)


def test_rbc():
    pool = fuse([leg("a", "xyz"), leg("b", "y")], Rbc(phi=0.8))
    assert scores(pool) == pytest.approx(
        {"x": 0.2 * 0.8**0, "y": 0.2 * 0.8**1 + 0.2, "z": 0.2 * 0.8**2}
    )
    assert pool.score_bound == pytest.approx(2 * 0.2)


@pytest.mark.parametrize("phi", [0, 1, -0.5, float("nan"), True, "0.8"])
def test_a_persistence_that_is_none(phi):
    with pytest.raises(ConfigurationError, match=r"rbc: phi is .*> 0 and < 1"):
        Rbc(phi=phi)


def test_isr_counts_the_legs_into_every_contribution():
    pool = fuse([leg("a", "xy"), leg("b", "zy")], Isr(), [1.0, 3.0])
    assert scores(pool) == pytest.approx(
        {"x": 1 * 1 / 1**2, "y": 2 * (1 / 2**2 + 3 / 2**2), "z": 3 * 1 / 1**2}
    )
    hit = next(hit for hit in pool.hits(0, 3) if hit.id == "y")
    first, second = hit.contributions
    assert (first.normalized, first.weight, first.value) == (1 / 4, 1.0, 2 * 1 / 4)
    assert (second.normalized, second.weight, second.value) == (1 / 4, 3.0, 2 * 3 / 4)
    assert pool.score_bound == pytest.approx(2 * (1 + 3))


def test_a_leg_without_weight_does_not_count_as_a_leg():
    pool = fuse([leg("a", "xy"), leg("b", "y"), leg("c", "x")], Isr(), [1.0, 1.0, 0.0])
    assert scores(pool) == pytest.approx({"x": 1.0, "y": 2 * (1 / 4 + 1)})


def test_borda_shares_the_points_left_over():
    # Five hits in all. a ranks three: 5, 4, 3, and leaves 2 + 1 for the two others: 1.5 each.
    # b ranks two: 5, 4, and leaves 3 + 2 + 1 for the three others: 2 each.
    pool = fuse([leg("a", "vwx"), leg("b", "yz")], Borda())
    assert scores(pool) == {"v": 5 + 2, "w": 4 + 2, "x": 3 + 2, "y": 1.5 + 5, "z": 1.5 + 4}
    assert order(pool) == ["v", "y", "w", "z", "x"]
    absent = pool.hits(1, 2)[0].contributions[0]
    assert (absent.rank, absent.normalized, absent.value) == (None, 1.5, 1.5)
    assert pool.score_bound == 5 + 5


def test_borda_with_weights_and_an_empty_leg():
    pool = fuse([leg("a", "xy"), leg("b", "z"), leg("c", "")], Borda(), [2.0, 1.0, 1.0])
    # b leaves 2 + 1 for x and y; the empty leg gives nothing to anyone.
    assert scores(pool) == {"x": 2 * 3 + 1.5, "y": 2 * 2 + 1.5, "z": 2 * 1 + 3}


@pytest.mark.parametrize("cls", [Isr, Borda])
def test_methods_that_settle_absent_hits_themselves_take_no_absent(cls):
    with pytest.raises(TypeError):
        cls(absent=0.1)


@pytest.mark.parametrize("fusion", [Rrf(), Rbc(phi=0.5), Isr(), Borda()])
def test_empty_and_single(fusion):
    empty = fuse([leg("a", ""), leg("b", "")], fusion)
    assert len(empty) == 0
    assert empty.hits(0, 10) == ()
    one = fuse([leg("a", "x"), leg("b", "")], fusion)
    assert order(one) == ["x"]
    assert 0 < one.hits(0, 1)[0].score <= one.score_bound


@pytest.mark.parametrize("fusion", [Rrf(), Rbc(phi=0.5), Isr(), Borda()])
def test_scores_are_not_read(fusion):
    unscored = Ranking("a", ("x", "y"), (None, None))
    scored = leg("a", "xy", [9.0, 9.0])
    other = leg("b", "y")
    assert scores(fuse([unscored, other], fusion)) == scores(fuse([scored, other], fusion))
    assert fuse([unscored, other], fusion).notes["a"] == ()
