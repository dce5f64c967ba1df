import pytest

from plait.errors import ConfigurationError
from plait.fusion import Learned, fuse, parse_fusion
from plait.types import Ranking

LEARNED = Learned(("dense", "bm25"), ((2.0, 30.0, 0.5), (1.0, 0.0, 0.25)), k=60)
DENSE = Ranking("dense", ("a", "b", "c"), (0.9, 0.8, 0.5))
BM25 = Ranking("bm25", ("b", "d"), (7.0, 2.0))


def test_a_contribution_is_the_share_of_the_linear_predictor():
    assert LEARNED.contributions(DENSE) == pytest.approx(
        [
            2.0 * 1 + 30 / (60 + 1) + 0.5,
            2.0 * (0.8 - 0.5) / (0.9 - 0.5) + 30 / (60 + 2) + 0.5,
            2.0 * 0 + 30 / (60 + 3) + 0.5,
        ]
    )
    assert LEARNED.contributions(BM25) == [1.25, 0.25]


def test_a_hit_that_a_leg_lacks_gets_0_from_it_and_contributions_add_up():
    hits = fuse([DENSE, BM25], LEARNED).hits(0, 4)
    assert [hit.id for hit in hits] == ["b", "a", "c", "d"]
    shares = {share.leg: share.value for share in hits[0].contributions}
    assert shares == {
        "dense": pytest.approx(2.0 * 0.75 + 30 / 62 + 0.5),
        "bm25": pytest.approx(1.25),
    }
    assert hits[0].score == pytest.approx(2.0 * 0.75 + 30 / 62 + 0.5 + 1.25)
    assert [share.value for share in hits[3].contributions] == [0.0, 0.25]


def test_the_bound_is_what_the_first_hit_gets():
    pool = fuse([DENSE, BM25], LEARNED)
    assert pool.score_bound == pytest.approx((2.0 + 30 / 61 + 0.5) + (1.0 + 0.25))


def test_scores_that_cannot_be_normalized_follow_the_rule_of_rsf_and_say_so():
    flat = Ranking("bm25", ("b", "d"), (2.0, 2.0))
    missing = Ranking("bm25", ("b", "d"), (2.0, None))
    assert LEARNED.contributions(flat) == [1.25, 1.25]
    assert LEARNED.contributions(missing) == [1.25, 0.5 + 0.25]
    notes = fuse([DENSE, missing], LEARNED).notes
    assert notes == {"dense": (), "bm25": ("used by rank: some of its hits have no score",)}


def test_empty_and_single_rankings():
    assert LEARNED.contributions(Ranking("dense", (), ())) == []
    assert LEARNED.contributions(Ranking("bm25", ("b",), (0.1,))) == [1.25]


def test_the_leg_of_a_variant_uses_the_coefficients_of_its_leg():
    variant = Ranking("bm25@rewrite", ("b", "d"), (7.0, 2.0))
    assert LEARNED.contributions(variant) == LEARNED.contributions(BM25)


def test_a_leg_that_it_was_not_learned_for_is_refused():
    with pytest.raises(
        ConfigurationError,
        match=r"learned for the legs dense, bm25 and not for title; learn it again",
    ):
        fuse([DENSE, Ranking("title", ("a",), (1.0,))], LEARNED)
    LEARNED.check_legs(["bm25"])  # some of its legs are fine


def test_a_hybrid_refuses_it_before_any_leg_runs():
    from plait.hybrid import HybridRetriever

    asked = []
    hybrid = HybridRetriever({"dense": asked.append, "title": asked.append}, fusion=LEARNED)
    with pytest.raises(ConfigurationError, match="not for title"):
        hybrid.retrieve("anything")
    assert asked == []


def test_the_text_form_is_exact():
    learned = Learned(["a'b", "c"], [[0.1 + 0.2, 1 / 3, 1e-9], [0, 0, 0]], k=9.5)
    assert parse_fusion(str(learned)) == learned
    assert hash(parse_fusion(str(learned))) == hash(learned)


@pytest.mark.parametrize(
    ("legs", "coefficients", "said"),
    [
        ("dense", [[1, 1, 1]], "expected a list of leg names"),
        ([], [], "expected each leg once"),
        (["a", "a"], [[1, 1, 1]] * 2, "expected each leg once"),
        (["a", ""], [[1, 1, 1]] * 2, "expected a list of leg names"),
        (["a", "b"], [[1, 1, 1]], "three numbers for each"),
        (["a"], [1.0], "three numbers for each"),
        (["a"], [[1, 1]], "leg 'a' has 2 coefficients"),
        (["a"], [[1, 1, -0.5]], "coefficient of leg 'a' is -0.5, expected a finite number >= 0"),
        (["a"], [[1, 1, float("nan")]], "coefficient of leg 'a' is nan"),
        (["a"], [[1, True, 1]], "coefficient of leg 'a' is True"),
        (["a"], [[0, 0, 0.0]], "all coefficients are 0"),
    ],
)
def test_bad_parameters_are_refused(legs, coefficients, said):
    with pytest.raises(ConfigurationError, match=said):
        Learned(legs, coefficients)


def test_a_bad_rank_constant_is_refused():
    with pytest.raises(ConfigurationError, match="learned: k is -1"):
        Learned(["a"], [[1, 1, 1]], k=-1)
