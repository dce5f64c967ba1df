import math

import pytest

from plait.errors import ConfigurationError
from plait.fusion import Dbsf, ZScore, fuse
from plait.fusion.normalize import deviation
from plait.types import Ranking

SQRT = math.sqrt


def leg(name, scores, **fields):
    ids = tuple(f"{name}{place}" for place in range(1, len(scores) + 1))
    return Ranking(name, ids, tuple(scores), **fields)


def values(fusion, scores, **fields):
    return list(fusion.contributions(leg("h", scores, **fields)))


def fused(pool):
    return {hit.id: hit.score for hit in pool.hits(0, len(pool))}


# 5, 3, 1: mean 3, population sd √(8/3), sample sd √(8/2) = 2


def test_zscore():
    z = 2 / SQRT(8 / 3)
    assert values(ZScore(), [5.0, 3.0, 1.0]) == pytest.approx([z, 0, -z])


def test_an_absent_hit_gets_the_lowest_z():
    z = 2 / SQRT(8 / 3)
    pool = fuse([leg("a", [5.0, 3.0, 1.0]), leg("b", [4.0, 2.0])], ZScore(), [2.0, 1.0])
    assert fused(pool) == pytest.approx(
        {"a1": 2 * z - 1, "a2": -1, "a3": -2 * z - 1, "b1": -2 * z + 1, "b2": -2 * z - 1}
    )
    share = pool.hits(0, 1)[0].contributions[1]
    assert (share.rank, share.normalized, share.value) == (None, -1.0, -1.0)


def test_zscore_refuses_to_reward_absence():
    # 0 is the mean: a hit that the leg did not find would be above half of those that it did.
    for absent in (0, 0.5):
        with pytest.raises(ConfigurationError, match="zscore: absent is"):
            ZScore(absent=absent)
    with pytest.raises(ConfigurationError, match="leg 'a' gives -1 to the last hit"):
        fuse([leg("a", [4.0, 2.0])], ZScore(absent=-0.5))
    pool = fuse([leg("a", [4.0, 2.0]), leg("b", [4.0, 2.0])], ZScore(absent=-3))
    assert fused(pool)["a1"] == 1 - 3


def test_a_flat_leg_under_zscore_orders_nothing():
    pool = fuse([leg("a", [5.0, 3.0, 1.0]), leg("b", [7.0])], ZScore())
    assert pool.hits(0, 1)[0].contributions[1].value == 1.0
    assert fused(pool)["a1"] == pytest.approx(2 / SQRT(8 / 3) + 1)


def test_dbsf_squashes_z():
    z = 2 / SQRT(8 / 3)
    assert values(Dbsf(), [5.0, 3.0, 1.0]) == pytest.approx(
        [1 / (1 + math.exp(-z)), 0.5, 1 / (1 + math.exp(z))]
    )
    assert values(Dbsf(ddof=1), [5.0, 3.0, 1.0]) == pytest.approx(
        [1 / (1 + math.exp(-1)), 0.5, 1 / (1 + math.exp(1))]
    )


def test_dbsf_adds_weighted_parts():
    pool = fuse([leg("a", [5.0, 1.0]), leg("b", [0.4, 0.2])], Dbsf(), [1.0, 0.5])
    high, low = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1))
    assert fused(pool) == pytest.approx({"a1": high, "a2": low, "b1": high / 2, "b2": low / 2})
    assert pool.score_bound == 1.5


def test_dbsf_in_three_sigma():
    # (s − (μ − 3σ))/6σ with σ = 2 of a sample: (5 + 3)/12, (3 + 3)/12, (1 + 3)/12
    assert values(Dbsf(shape="3sigma", ddof=1), [5.0, 3.0, 1.0]) == pytest.approx(
        [8 / 12, 6 / 12, 4 / 12]
    )
    sd = SQRT(8 / 3)
    assert values(Dbsf(shape="3sigma", ddof=0), [5.0, 3.0, 1.0]) == pytest.approx(
        [(5 - (3 - 3 * sd)) / (6 * sd), 0.5, (1 - (3 - 3 * sd)) / (6 * sd)]
    )


def test_three_sigma_is_not_clipped():
    # One among n: z = (n − 1)/√n of a sample, √(n − 1) of the population.
    scores = [100.0] + [1.0] * 99
    assert values(Dbsf(shape="3sigma", ddof=1), scores)[0] == pytest.approx((99 / 10 + 3) / 6)
    assert values(Dbsf(shape="3sigma", ddof=0), scores)[0] == pytest.approx((SQRT(99) + 3) / 6)
    for ddof in (0, 1):
        fusion = Dbsf(shape="3sigma", ddof=ddof)
        pool = fuse([leg("a", scores)], fusion)
        # The bound is what such an outlier gets.
        assert pool.hits(0, 1)[0].score == pytest.approx(pool.score_bound, rel=1e-12)


def test_what_absent_hits_get_is_lowered_below_a_negative_contribution():
    low = [1.0] * 99 + [-100.0]
    pool = fuse([leg("a", low), leg("b", [2.0, 1.0])], Dbsf(shape="3sigma", ddof=1))
    lowest = (-99 / 10 + 3) / 6
    assert fused(pool)["a100"] == pytest.approx(lowest)
    assert fused(pool)["b2"] == pytest.approx(lowest + (3 - 1 / SQRT(2)) / 6)
    assert pool.notes["a"] == (
        f"hits that it did not return get its lowest contribution, {lowest:.6g}",
    )


def test_scores_that_do_not_vary():
    assert values(Dbsf(), [4.0, 4.0]) == [1.0, 1.0]
    assert values(ZScore(), [4.0, 4.0]) == [1.0, 1.0]
    assert values(Dbsf(shape="3sigma"), [4.0, 4.0]) == [0.5, 0.5]
    assert values(Dbsf(shape="3sigma", ddof=1), [0.95]) == [0.5]
    assert values(Dbsf(), [0.95]) == [1.0]
    assert values(Dbsf(shape="3sigma", flat=0.0), [4.0, 4.0]) == [0.0, 0.0]
    assert values(Dbsf(flat="rank"), [4.0, 4.0]) == [1 / 1, 1 / 2]
    assert fuse([leg("a", [4.0])], Dbsf(shape="3sigma")).score_bound == 0.5


def test_flat_is_told_by_the_deviation():
    # max − min is 3e-6 of the size, but the deviation is 1e-6·√(99)/100 · 3.
    scores = [1.0 + 3e-6] + [1.0] * 99
    assert values(ZScore(), scores) == [1.0] * 100
    # Three equal scores whose mean is not exactly that score.
    assert values(ZScore(), [0.1, 0.1, 0.1]) == [1.0, 1.0, 1.0]


def test_missing_scores_are_used_by_rank():
    for fusion in (Dbsf(), Dbsf(shape="3sigma"), ZScore()):
        assert values(fusion, [4.0, None]) == [1 / 1, 1 / 2]


@pytest.mark.parametrize(
    "parameters",
    [{"shape": "sigmoid"}, {"ddof": 2}, {"ddof": True}, {"ddof": 0.0}, {"absent": "x"}],
)
def test_parameters_that_are_none(parameters):
    with pytest.raises(ConfigurationError, match="dbsf: "):
        Dbsf(**parameters)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1020])
def test_the_size_of_the_scores_does_not_matter(scale):
    scores = [5.0, 3.0, 2.0, 1.0]
    for fusion in (ZScore(), Dbsf(), Dbsf(shape="3sigma", ddof=1)):
        assert values(fusion, [score * scale for score in scores]) == pytest.approx(
            values(fusion, scores), rel=1e-9
        )


def test_a_hit_very_far_below_the_mean_counts_nothing():
    # z = −√(n − 1): exp(−z) is out of range for the last of half a million.
    scores = [1.0] * 600_000 + [0.0]
    assert math.sqrt(600_000) > 709
    assert values(Dbsf(), scores)[-1] == pytest.approx(0.0, abs=1e-300)


def test_deviation():
    assert deviation([5.0, 3.0, 1.0], 0) == SQRT(8 / 3)
    assert deviation([5.0, 3.0, 1.0], 1) == 2.0
    assert deviation([5.0], 1) == 0.0
    assert deviation([0.0, 0.0], 0) == 0.0


def test_one_outlier_presses_the_others_together_here_too():
    # The logistic form separates the three others even less than the 0.2/99 of min-max.
    spread = values(Dbsf(), [100.0, 1.2, 1.1, 1.0])
    assert spread[1] - spread[3] < 0.2 / 99
    # So does the three sigma form: σ is as wide as the outlier is far.
    wide = values(Dbsf(shape="3sigma", ddof=1), [100.0, 1.2, 1.1, 1.0])
    assert wide[1] - wide[3] == pytest.approx(0.2 / (6 * deviation([100.0, 1.2, 1.1, 1.0], 1)))
