"""The numbers that other systems give, worked out from the formulas in their sources."""

import math

import pytest

from plait.errors import ConfigurationError
from plait.fusion import Dbsf, Haystack, LangChain, LlamaIndex, QdrantDbsf, QdrantRrf, Ranx, fuse
from plait.types import Ranking


def leg(name, **scores):
    return Ranking(name, tuple(scores), tuple(scores.values()))


def fused(pool):
    return {hit.id: hit.score for hit in pool.hits(0, len(pool))}


# a ranks p, q, r; b ranks q, s.
A = leg("a", p=0.9, q=0.6, r=0.3)
B = leg("b", q=12.0, s=4.0)
EMPTY = Ranking("c", (), ())

SD = math.sqrt(0.06)  # of 0.9, 0.6, 0.3 around 0.6; of 12 and 4 around 8 it is 4


def test_langchain():
    # EnsembleRetriever(weights=[0.5, 0.5]), its default for two.
    assert fused(fuse([A, B], LangChain(), [0.5, 0.5])) == pytest.approx(
        {"p": 0.5 / (1 + 60), "q": 0.5 / (2 + 60) + 0.5 / (1 + 60), "r": 0.5 / 63, "s": 0.5 / 62}
    )
    assert fused(fuse([A, B], LangChain(c=0), [0.25, 2.0]))["q"] == pytest.approx(0.25 / 2 + 2.0)
    assert fuse([A, B], LangChain(), [0.5, 0.5]).score_bound == pytest.approx(1 / 61)


def test_llama_index_reciprocal_rerank_counts_from_0():
    assert fused(fuse([A, B], LlamaIndex("reciprocal_rerank"))) == pytest.approx(
        {"p": 1 / (0 + 60), "q": 1 / (1 + 60) + 1 / (0 + 60), "r": 1 / 62, "s": 1 / 61}
    )
    # The weights of the retrievers are not used there, however they are scaled.
    assert fused(fuse([A, B], LlamaIndex("reciprocal_rerank"), [0.5, 0.5]))["p"] == 1 / 60


def test_llama_index_relative_score():
    weights = [3.0, 1.0]  # 0.75 and 0.25 of the sum
    assert fused(fuse([A, B], LlamaIndex("relative_score"), weights)) == pytest.approx(
        {"p": 0.75, "q": 0.75 * 0.5 + 0.25, "r": 0.0, "s": 0.0}
    )
    assert fuse([A, B, EMPTY], LlamaIndex("relative_score")).score_bound == pytest.approx(1.0)


def test_llama_index_dist_based_score():
    assert fused(fuse([A, B], LlamaIndex("dist_based_score"))) == pytest.approx(
        {
            "p": 0.5 * (0.9 - (0.6 - 3 * SD)) / (6 * SD),
            "q": 0.5 * 0.5 + 0.5 * (12 - (8 - 3 * 4)) / (6 * 4),
            "r": 0.5 * (0.3 - (0.6 - 3 * SD)) / (6 * SD),
            "s": 0.5 * (4 - (8 - 3 * 4)) / (6 * 4),
        }
    )


@pytest.mark.parametrize("mode", ["relative_score", "dist_based_score"])
def test_llama_index_counts_equal_scores_by_their_sign(mode):
    pool = fuse([leg("a", p=0.4, q=0.4), leg("b", r=-2.0)], LlamaIndex(mode))
    assert fused(pool) == {"p": 0.5, "q": 0.5, "r": 0.0}
    assert pool.notes["b"] == ("its only hit counts 0",)
    assert pool.score_bound == pytest.approx(1.0)


def test_llama_index_simple_takes_the_highest_raw_score():
    pool = fuse([A, B], LlamaIndex("simple"))
    assert fused(pool) == {"q": 12.0, "s": 4.0, "p": 0.9, "r": 0.3}
    assert [hit.id for hit in pool.hits(0, 4)] == ["q", "s", "p", "r"]
    q = pool.hits(0, 1)[0]
    assert [share.value for share in q.contributions] == [0.0, 12.0]
    assert [share.normalized for share in q.contributions] == [0.6, 12.0]
    assert pool.score_bound is None  # raw scores have no highest


def test_haystack_concatenate():
    assert fused(fuse([A, B], Haystack("concatenate"))) == {"q": 12.0, "s": 4.0, "p": 0.9, "r": 0.3}


def test_haystack_merge():
    # weights 1/n unless given; given ones are divided by their sum.
    assert fused(fuse([A, B], Haystack("merge"))) == pytest.approx(
        {"p": 0.45, "q": 0.3 + 6.0, "r": 0.15, "s": 2.0}
    )
    assert fused(fuse([A, B], Haystack("merge"), [3, 1]))["q"] == pytest.approx(
        0.75 * 0.6 + 0.25 * 12
    )


def test_haystack_reciprocal_rank_fusion_is_scaled_to_1():
    # weight·n/(61 + rank from 0), divided by n/61.
    pool = fuse([A, B], Haystack("reciprocal_rank_fusion"))
    assert fused(pool) == pytest.approx(
        {"p": 0.5 * 61 / 61, "q": 0.5 * 61 / 62 + 0.5, "r": 0.5 * 61 / 63, "s": 0.5 * 61 / 62}
    )
    assert pool.score_bound == pytest.approx(1.0)
    weighted = fuse([A, B], Haystack("reciprocal_rank_fusion"), [1, 3])
    assert fused(weighted)["q"] == pytest.approx(0.25 * 61 / 62 + 0.75)


def test_haystack_distribution_based_rank_fusion_takes_the_highest():
    pool = fuse([A, B], Haystack("distribution_based_rank_fusion"))
    assert fused(pool) == pytest.approx(
        {
            "p": (0.9 - (0.6 - 3 * SD)) / (6 * SD),
            "q": (12 - (8 - 3 * 4)) / (6 * 4),  # not 0.5 more
            "r": (0.3 - (0.6 - 3 * SD)) / (6 * SD),
            "s": (4 - (8 - 3 * 4)) / (6 * 4),
        }
    )
    flat = fuse([leg("a", p=0.4, q=0.4), B], Haystack("distribution_based_rank_fusion"))
    assert fused(flat)["p"] == 0.0
    assert pool.score_bound == pytest.approx((math.sqrt(2) + 3) / 6)


def test_of_equal_values_the_best_rank_and_then_the_leg_gives_all():
    for legs in (
        [leg("a", x=2.0, q=1.0), leg("b", q=1.0)],
        [leg("b", q=1.0), leg("a", x=2.0, q=1.0)],
    ):
        q = next(hit for hit in fuse(legs, Haystack("concatenate")).hits(0, 2) if hit.id == "q")
        assert {share.leg: share.value for share in q.contributions} == {"a": 0.0, "b": 1.0}
    even = fuse([leg("b", q=1.0), leg("a", q=1.0)], Haystack("concatenate")).hits(0, 1)[0]
    assert {share.leg: share.value for share in even.contributions} == {"a": 1.0, "b": 0.0}


def test_qdrant_rrf():
    # The numbers of its own test: 2, 1 and 1, 2, 3 and 5, 3, 1 with k = 2.
    lists = [leg("x", b=0.9, a=0.8), leg("y", a=0.7, b=0.6, c=0.5), leg("z", e=0.9, c=0.5, a=0.4)]
    assert fused(fuse(lists, QdrantRrf())) == pytest.approx(
        {"a": 1.0833334, "b": 0.8333334, "c": 0.5833334, "e": 0.5}, abs=1e-7
    )


def test_qdrant_rrf_stretches_the_ranks_by_the_weight():
    pool = fuse([A, B], QdrantRrf(k=60), [3.0, 0.5])
    assert fused(pool) == pytest.approx(
        {
            "p": 1 / (1 / 3 + 60 - 1),
            "q": 1 / (2 / 3 + 60 - 1) + 1 / (1 / 0.5 + 60 - 1),
            "r": 1 / (3 / 3 + 60 - 1),
            "s": 1 / (2 / 0.5 + 60 - 1),
        }
    )
    first = pool.hits(0, 1)[0].contributions[0]
    assert first.weight * first.normalized == pytest.approx(first.value)
    assert pool.score_bound == pytest.approx(1 / (1 / 3 + 59) + 1 / (2 + 59))
    # With 3 to 1 about three hits of the first leg come to one of the second.
    one = Ranking("one", tuple(f"1{n}" for n in range(8)), (0.0,) * 8)
    two = Ranking("two", tuple(f"2{n}" for n in range(8)), (0.0,) * 8)
    top = [hit.id[0] for hit in fuse([one, two], QdrantRrf(k=60), [3.0, 1.0]).hits(0, 8)]
    assert top.count("1") == 6


def test_qdrant_rrf_of_one_leg():
    assert QdrantRrf().contributions(A) == [1 / (1 + 2 - 1), 1 / (2 + 2 - 1), 1 / (3 + 2 - 1)]


@pytest.mark.parametrize("k", [0, 2.0, True, "2"])
def test_a_qdrant_rank_constant_that_is_none(k):
    with pytest.raises(ConfigurationError, match="qdrant_rrf: k is"):
        QdrantRrf(k=k)


def test_qdrant_dbsf():
    # Sample deviations: √0.09 = 0.3 and √32.
    pool = fuse([A, B, leg("c", p=7.0)], QdrantDbsf())
    assert fused(pool) == pytest.approx(
        {
            "p": (0.9 - (0.6 - 0.9)) / 1.8 + 0.5,
            "q": 0.5 + (12 - (8 - 3 * math.sqrt(32))) / (6 * math.sqrt(32)),
            "r": (0.3 - (0.6 - 0.9)) / 1.8,
            "s": (4 - (8 - 3 * math.sqrt(32))) / (6 * math.sqrt(32)),
        }
    )
    assert fused(pool) == pytest.approx(
        fused(fuse([A, B, leg("c", p=7.0)], Dbsf(shape="3sigma", ddof=1)))
    )


def test_qdrant_dbsf_gives_absent_hits_0_also_above_a_negative_contribution():
    low = Ranking("low", tuple(f"l{n}" for n in range(100)), (1.0,) * 99 + (-100.0,))
    scores = fused(fuse([low, B], QdrantDbsf()))
    assert scores["l99"] == pytest.approx((-99 / 10 + 3) / 6)
    assert scores["s"] == pytest.approx((3 - 1 / math.sqrt(2)) / 6)


def test_ranx():
    assert fused(fuse([A, B], Ranx(), [0.3, 0.7])) == pytest.approx(
        {"p": 0.3, "q": 0.15 + 0.7, "r": 0.0, "s": 0.0}
    )
    assert fused(fuse([A, B], Ranx(method="sum")))["q"] == pytest.approx(1.5)
    assert fused(fuse([A, B], Ranx(method="mnz")))["q"] == pytest.approx(2 * 1.5)
    assert fused(fuse([leg("a", p=0.4, q=0.4), B], Ranx()))["p"] == 0.0
    z = 0.3 / SD
    zmuv = fuse([A, B], Ranx(method="sum", norm="zmuv"))
    assert fused(zmuv) == pytest.approx({"q": 0 + 1, "p": z, "s": -1, "r": -z})
    assert fuse([A, B], Ranx(method="mnz")).score_bound == pytest.approx(2 * 2)


@pytest.mark.parametrize(
    "fusion",
    [
        LlamaIndex("reciprocal_rerank"),
        LlamaIndex("simple"),
        Haystack("concatenate"),
        Haystack("distribution_based_rank_fusion"),
        QdrantDbsf(),
        Ranx(method="sum"),
        Ranx(method="mnz"),
    ],
    ids=str,
)
def test_weights_are_refused_where_the_system_has_none(fusion):
    with pytest.raises(ConfigurationError, match=r"does not weight legs.*\[1\.0, 0\.0001\]"):
        fuse([A, B], fusion, [1.0, 0.0001])
    assert fused(fuse([A, B], fusion, [0.25, 0.25])) == fused(fuse([A, B], fusion))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: LlamaIndex("rrf"),
            "llama_index: mode is 'rrf', expected one of: reciprocal_rerank",
        ),
        (lambda: Haystack("rrf"), "haystack: mode is 'rrf', expected one of: concatenate, merge"),
        (lambda: Ranx(method="max"), "ranx: method is 'max', expected one of: wsum, sum, mnz"),
        (lambda: Ranx(norm="borda"), "ranx: norm is 'borda', expected one of: min-max, zmuv"),
        (lambda: LangChain(c=-1), "langchain: c is -1"),
    ],
)
def test_modes_that_are_none(build, message):
    with pytest.raises(ConfigurationError, match=message):
        build()


def test_missing_scores_go_by_rank_here_too():
    unscored = Ranking("a", ("p", "q"), (None, None))
    for fusion in (Haystack("merge"), LlamaIndex("relative_score")):
        pool = fuse([unscored], fusion)
        assert fused(pool) == {"p": 1 / 1, "q": 1 / 2}
        assert pool.notes["a"] == ("used by rank: some of its hits have no score",)


def test_a_preset_shows_its_contributions():
    assert Haystack("reciprocal_rank_fusion").contributions(A) == [1 / 61, 1 / 62, 1 / 63]
