import math

import pytest

from plait.errors import ConfigurationError
from plait.fusion import CombMnz, CombSum, Convex, Rsf, ScoreFusion, fuse
from plait.types import Ranking


def leg(name, ids, scores, **fields):
    return Ranking(name, tuple(ids), tuple(scores), **fields)


def values(fusion, scores, **fields):
    ids = [f"h{place}" for place in range(len(scores))]
    return list(fusion.contributions(leg("a", ids, scores, **fields)))


def fused(pool):
    return {hit.id: hit.score for hit in pool.hits(0, len(pool))}


# Min-max


def test_rsf_is_where_a_score_lies_in_its_window():
    assert values(Rsf(), [9.0, 5.0, 1.0]) == [(9 - 1) / (9 - 1), (5 - 1) / (9 - 1), 0.0]


def test_rsf_adds_weighted_parts():
    pool = fuse(
        [leg("dense", "abc", [0.9, 0.8, 0.5]), leg("bm25", "bd", [12.0, 2.0])], Rsf(), [0.4, 1.0]
    )
    assert fused(pool) == pytest.approx(
        {"a": 0.4, "b": 0.4 * (0.8 - 0.5) / (0.9 - 0.5) + 1.0, "c": 0.0, "d": 0.0}
    )
    assert pool.score_bound == pytest.approx(0.4 + 1.0)


def test_a_hit_that_only_one_leg_found_keeps_all_of_its_part():
    # Under RRF the two mediocre agreements win; this is what hybrid search is for.
    dense = leg("dense", ["m1", "m2"], [0.42, 0.41])
    bm25 = leg("bm25", ["E1042", "m1", "m2"], [14.0, 2.0, 1.9])
    assert fuse([dense, bm25], Rsf(), [0.9, 1.0]).hits(0, 1)[0].id == "E1042"


def test_combsum_has_the_numbers_of_rsf():
    window = [9.0, 5.0, 1.0]
    assert values(CombSum(), window) == values(Rsf(), window)


def test_combmnz_counts_the_legs_into_every_contribution():
    pool = fuse(
        [leg("a", "xyz", [9.0, 5.0, 1.0]), leg("b", "yz", [3.0, 2.0])], CombMnz(), [1.0, 2.0]
    )
    assert fused(pool) == pytest.approx({"x": 1.0, "y": 2 * (0.5 + 2 * 1.0), "z": 2 * 0.0})
    share = pool.hits(0, 1)[0].contributions[1]
    assert (share.normalized, share.weight, share.value) == (1.0, 2.0, 4.0)
    assert pool.score_bound == pytest.approx(2 * (1 + 2))


def test_combmnz_takes_no_absent():
    with pytest.raises(TypeError):
        CombMnz(absent=0.1)


# Convex


def test_convex_measures_from_the_lowest_possible_score():
    assert values(Convex(), [8.0, 2.0], score_range=(0.0, None)) == [8 / 8, 2 / 8]
    cosine = values(Convex(), [0.5, 0.0, -0.7], score_range=(-1.0, 1.0))
    assert cosine == pytest.approx([1.0, (0 + 1) / (0.5 + 1), (-0.7 + 1) / (0.5 + 1)])


def test_convex_divides_by_the_sum_of_the_weights():
    pool = fuse(
        [
            leg("dense", "ab", [0.6, 0.2], score_range=(-1.0, 1.0)),
            leg("bm25", "b", [4.0], score_range=(0.0, None)),
            leg("down", "", []),
        ],
        Convex(),
        [1.0, 2.0, 1.0],
    )
    # The weight of the leg that found nothing is not given to the others.
    assert fused(pool) == pytest.approx({"a": 1 / 4, "b": (1.2 / 1.6) / 4 + 2 / 4})
    share = pool.hits(0, 1)[0].contributions[1]
    assert (share.normalized, share.weight, share.value) == (1.0, 2.0, 0.5)
    assert pool.score_bound == pytest.approx(1.0)


def test_convex_turns_the_range_of_distances():
    # d in 0..2: oriented, the lowest possible is −2.
    near = values(Convex(), [0.5, 1.0], higher_is_better=False, score_range=(0.0, 2.0))
    assert near == pytest.approx([1.0, (2 - 1.0) / (2 - 0.5)])


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({}, "its lowest possible score is unknown"),
        ({"score_range": (None, 1.0)}, "its lowest possible score is unknown"),
        ({"score_range": (0.0, None), "higher_is_better": False}, "its lowest possible score"),
        ({"score_range": (2.0, None)}, "a score is below its score_range"),
    ],
)
def test_convex_without_a_lowest_possible_score_says_so(fields, note):
    scores = [3.0, 2.0, 1.0] if fields.get("higher_is_better", True) else [1.0, 2.0, 3.0]
    pool = fuse([leg("a", "xyz", scores, **fields)], Convex())
    assert fused(pool) == pytest.approx({"x": 1.0, "y": 0.5, "z": 0.0})
    assert pool.notes["a"][0].startswith(note)
    assert fuse([leg("a", "", [])], Convex()).notes["a"] == ()


def test_convex_is_flat_only_at_its_floor():
    # All equal, yet well above what BM25 can give at least: each is as good as the best.
    pool = fuse([leg("a", "xy", [5.0, 5.0], score_range=(0.0, None))], Convex())
    assert fused(pool) == {"x": 1.0, "y": 1.0}
    assert pool.notes["a"] == ()
    floor = fuse([leg("a", "xy", [-1.0, -1.0], score_range=(-1.0, 1.0))], Convex(flat=0.25))
    assert fused(floor) == {"x": 0.25, "y": 0.25}
    assert floor.notes["a"] == ("scores do not vary: each hit counts 0.25",)


# Scores that cannot be normalized: the same rule for every method


def test_a_missing_score_makes_the_leg_go_by_rank():
    pool = fuse([leg("a", "xyz", [9.0, None, 1.0]), leg("b", "y", [3.0])], Rsf())
    assert fused(pool) == pytest.approx({"x": 1 / 1, "y": 1 / 2 + 1, "z": 1 / 3})
    assert pool.notes["a"] == ("used by rank: some of its hits have no score",)
    assert pool.score_bound == 1 + 1
    hit = pool.hits(0, 1)[0]
    assert (hit.id, hit.contributions[0].raw_score, hit.contributions[0].normalized) == (
        "y",
        None,
        0.5,
    )


def test_an_order_that_does_not_follow_the_scores_is_used_by_rank():
    pool = fuse([leg("mmr", "xyz", [5.0, 9.0, 1.0], order="position")], Rsf())
    assert fused(pool) == pytest.approx({"x": 1 / 1, "y": 1 / 2, "z": 1 / 3})
    assert pool.notes["mmr"] == ("used by rank: its order does not follow its scores",)
    assert pool.hits(0, 1)[0].contributions[0].raw_score == 5.0


def test_equal_scores_share_rank_1():
    pool = fuse([leg("a", "xyz", [4.0, 4.0, 4.0])], Rsf())
    assert fused(pool) == {"x": 1.0, "y": 1.0, "z": 1.0}
    assert pool.notes["a"] == ("scores do not vary: each hit counts 1",)


def test_a_single_hit_counts_as_a_first_one():
    pool = fuse([leg("bm25", "x", [12.0]), leg("dense", "ab", [0.63, 0.5])], Rsf())
    assert fused(pool)["x"] == 1.0  # not 12, not 0
    assert pool.notes["bm25"] == ("its only hit counts 1",)


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1.0, 1e9, 1e150])
def test_flat_is_relative_to_the_size_of_the_scores(scale):
    flat = [1.0 * scale, (1.0 - 0.9e-6) * scale]
    varied = [1.0 * scale, (1.0 - 1.1e-6) * scale]
    assert values(Rsf(), flat) == [1.0, 1.0]
    assert values(Rsf(), varied) == [1.0, 0.0]


def test_scores_of_0_are_flat():
    assert values(Rsf(), [0.0, 0.0]) == [1.0, 1.0]
    assert values(Rsf(), [0.0, -0.0]) == [1.0, 1.0]


def test_flat_by_a_number_or_by_rank():
    assert values(Rsf(flat=0.5), [4.0, 4.0]) == [0.5, 0.5]
    assert values(Rsf(flat="rank"), [4.0, 4.0, 4.0]) == [1 / 1, 1 / 2, 1 / 3]
    pool = fuse([leg("a", "xy", [4.0, 4.0])], Rsf(flat="rank"))
    assert pool.notes["a"] == ("scores do not vary: each hit counts 1/rank",)
    assert pool.score_bound == 1.0
    assert fuse([leg("a", "xy", [4.0, 3.0])], Rsf(flat="rank")).notes["a"] == ()


def test_a_flat_above_1_is_in_the_bound():
    assert fuse([leg("a", "xy", [4.0, 4.0])], Rsf(flat=3.0), [2.0]).score_bound == 6.0
    assert fuse([leg("a", "", [])], Rsf(flat=0.5), [2.0]).score_bound == 1.0


@pytest.mark.parametrize("flat", ["ranks", float("nan"), float("inf"), True, [1.0]])
def test_a_flat_that_is_none(flat):
    with pytest.raises(ConfigurationError, match=r'rsf: flat is .* or "rank"'):
        Rsf(flat=flat)


def test_distances_are_never_upside_down():
    near = leg("dense", "xyz", [0.1, 0.4, 0.5], higher_is_better=False)
    pool = fuse([near], Rsf())
    assert fused(pool) == pytest.approx({"x": 1.0, "y": (0.5 - 0.4) / (0.5 - 0.1), "z": 0.0})
    # Fused as −d, shown as d.
    assert [hit.contributions[0].raw_score for hit in pool.hits(0, 3)] == [0.1, 0.4, 0.5]


def test_negative_scores():
    assert values(Rsf(), [-1.0, -2.0, -5.0]) == [1.0, (5 - 2) / (5 - 1), 0.0]


def test_scores_at_the_end_of_the_range_of_a_double():
    huge = 1.7e308
    assert values(Rsf(), [huge, 0.0, -huge]) == [1.0, 0.5, 0.0]
    assert values(Convex(), [huge, 0.0], score_range=(-huge, None)) == [1.0, 0.5]
    assert values(Rsf(), [5e-324, 0.0]) == [1.0, 0.0]


def test_an_outlier_presses_the_others_together():
    # Known of min-max: three of four hits lie within two thousandths.
    spread = values(Rsf(), [100.0, 1.2, 1.1, 1.0])
    assert spread[1] - spread[3] == pytest.approx(0.2 / 99)


def test_an_empty_ranking():
    for fusion in (Rsf(), CombSum(), CombMnz(), Convex()):
        assert values(fusion, []) == []
        pool = fuse([leg("a", "", []), leg("b", "xy", [2.0, 1.0])], fusion)
        assert [hit.id for hit in pool.hits(0, 9)] == ["x", "y"]
        assert pool.notes["a"] == ()


def test_absent():
    legs = [leg("a", "xy", [2.0, 1.0]), leg("b", "z", [1.0])]
    pool = fuse(legs, Rsf(absent=-0.5), [1.0, 2.0])
    assert fused(pool) == {"x": 1 - 1.0, "y": 0 - 1.0, "z": -0.5 + 2}
    share = pool.hits(0, 1)[0].contributions[0]
    assert (share.rank, share.raw_score, share.normalized, share.value) == (None, None, -0.5, -0.5)
    with pytest.raises(ConfigurationError, match="leg 'a' gives 0 to the last hit"):
        fuse(legs, Rsf(absent=0.1))


def test_the_minimum_for_absent_hits():
    legs = [
        leg("a", "xy", [2.0, 1.0], score_range=(0.0, None)),
        leg("b", "z", [1.0], score_range=(0.0, None)),
    ]
    # a gives its last hit 1/2, so z gets that from a; b gives its only hit 1, so all have 1.
    pool = fuse(legs, Convex(absent="min"))
    assert fused(pool) == pytest.approx({"x": (1 + 1) / 2, "y": (0.5 + 1) / 2, "z": (0.5 + 1) / 2})


def test_nothing_is_nan_for_any_finite_scores():
    for scores in ([1e308, -1e308], [5e-324, -5e-324], [1.0, math.nextafter(1.0, 0.0)]):
        for fusion in (Rsf(), Convex(), CombMnz()):
            assert all(0 <= value <= 1 for value in values(fusion, scores))


def test_a_normalization_of_ones_own():
    class MaxNorm(ScoreFusion):
        """s/max, which keeps the lowest hit above 0."""

        def spread(self, window):
            return window.highest

        def normalize(self, window, spread):
            return [score / spread for score in window.scores]

    pool = fuse([leg("a", "xy", [4.0, 1.0]), leg("b", "z", [7.0])], MaxNorm(flat=0.5))
    assert fused(pool) == {"x": 1.0, "y": 0.25, "z": 0.5}
    assert pool.score_bound is None  # it does not say how high it goes
    assert fuse([leg("a", "xy", [4.0, None])], MaxNorm()).score_bound == 1.0


def test_a_normalization_that_writes_nothing():
    class Nothing(ScoreFusion):
        pass

    class Half(ScoreFusion):
        def spread(self, window):
            return 1.0

    for cls, missing in ((Nothing, "spread"), (Half, "normalize")):
        with pytest.raises(NotImplementedError, match=f"{cls.__name__} does not write {missing}"):
            values(cls(), [2.0, 1.0])


def test_combmnz_refuses_a_flat_value_that_punishes_agreement():
    assert CombMnz(flat=0).flat == 0
    with pytest.raises(ConfigurationError, match=r"combmnz: flat is -1, expected .* >= 0 or"):
        CombMnz(flat=-1)
