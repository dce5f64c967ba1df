"""Thresholds that no hit can pass are refused before any work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from plait.errors import ConfigurationError
from plait.fusion import Borda, CombMnz, Convex, Dbsf, Fusion, Isr, Rrf, Rsf, ZScore, fuse
from plait.refining import Threshold, check_thresholds
from plait.types import Ranking

TWO = {"dense": 1.0, "bm25": 1.0}


def check(text: str, fusion: Fusion | None = None, **given: Any) -> tuple[str, ...]:
    given = {"weights": TWO, "fusion": Rrf() if fusion is None else fusion, **given}
    return check_thresholds([Threshold.parse(text)], **given)


# FAULTS: min_score(.25) on a hybrid is always empty, since the highest RRF score is 2/61.
def test_a_floor_above_what_rrf_can_give_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"can never pass: the highest .* is 0.0327869"):
        check("fused>=0.25")


def test_the_highest_score_itself_is_accepted() -> None:
    check(f"fused>={2 / 61!r}")
    with pytest.raises(ConfigurationError, match="can never pass"):
        check(f"fused>={2 / 61 * 1.0001!r}")


def test_the_weights_count() -> None:
    check("fused>=0.25", weights={"dense": 8.0, "bm25": 8.0})  # 16/61 = 0.262
    with pytest.raises(ConfigurationError, match="can never pass"):
        check("fused>=0.25", weights={"dense": 15.0, "bm25": 0.0})  # 15/61 = 0.246


# FAULTS: weights [.6, .4] and min_score .012 drop the document that is first in BM25 alone.
def test_a_floor_on_a_rank_fused_score_says_whose_best_hit_it_drops() -> None:
    (note,) = check("fused>=0.008", weights={"dense": 0.6, "bm25": 0.4})
    assert "no measure of confidence" in note
    assert "drops even the first hit of 'bm25' (0.00655738) if no other leg returned it" in note
    (note,) = check("fused>=0.001")
    assert "drops" not in note


def test_variants_score_higher_together() -> None:
    # Two legs, the question and two variants of half its weight: 2 · (1 + 0.5 + 0.5)/61 = 4/61.
    shares = (1.0, 0.5, 0.5)
    check(f"fused>={4 / 61!r}", shares=shares)
    with pytest.raises(ConfigurationError, match=r"and 3 variants is 0\.0655738"):
        check("fused>=0.07", shares=shares)
    (note,) = check("fused>=0.01", weights={"dense": 1.0, "bm25": 0.5}, shares=shares)
    assert note.endswith("this drops even the first hit of 'bm25' (0.00819672) if no other leg "
                         "returned it")  # fmt: skip


def test_variants_that_nobody_knows_may_score_any_number() -> None:
    check("fused>=100", shares=None)
    with pytest.raises(ConfigurationError, match="can never pass"):
        check("fused_scaled>=1.01", shares=None)


def test_a_leg_may_have_the_name_of_a_variant() -> None:
    ranges = {"dense": (-1.0, 1.0)}
    check("leg:dense@rewrite>=0.5", shares=(1.0, 1.0), ranges=ranges)
    with pytest.raises(ConfigurationError, match="highest score of leg 'dense' is 1"):
        check("leg:dense@rewrite>=1.5", shares=None, ranges=ranges)
    with pytest.raises(ConfigurationError, match="the legs are dense, bm25"):
        check("leg:colbert@rewrite>=0.5", shares=None)
    with pytest.raises(ConfigurationError, match="the legs are dense, bm25"):
        check("leg:dense@rewrite>=0.5")


@pytest.mark.parametrize("fusion", [Rrf(k=10), Isr(), Borda()])
def test_every_rank_fused_score_has_that_note(fusion: Fusion) -> None:
    (note,) = check("fused>=0.001", fusion)
    assert "reads ranks only" in note


@pytest.mark.parametrize("fusion", [Rsf(), Dbsf(), Convex()])
def test_a_score_fused_score_has_none(fusion: Fusion) -> None:
    assert check("fused>=0.5", fusion) == ()


@pytest.mark.parametrize("fusion", [Rrf(), Rsf(), Dbsf(), Convex(), CombMnz(), Isr(), Borda()])
def test_no_score_that_the_fusion_gives_is_above_what_is_accepted(fusion: Fusion) -> None:
    best = fuse(
        [
            Ranking("dense", ("a", "b", "c"), (0.9, 0.5, 0.1)),
            Ranking("bm25", ("a", "d"), (7.0, 2.0)),
        ],
        fusion,
    ).hits(0, 1)[0]
    check_thresholds([Threshold("fused", float(best.score or 0))], fusion=fusion, weights=TWO)


def test_the_bound_of_a_leg_without_scores_counts_too() -> None:
    # A leg whose scores are missing gives 1/r: more than a convex combination with weight 1/2.
    unscored = fuse([Ranking("dense", ("a",), (None,)), Ranking("bm25", (), ())], Dbsf())
    check_thresholds(
        [Threshold("fused", float(unscored.hits(0, 1)[0].score or 0))], fusion=Dbsf(), weights=TWO
    )


def test_a_fusion_without_a_highest_score_accepts_any_floor_but_no_scaled_one() -> None:
    @dataclass(frozen=True)
    class Raw(Fusion):
        def contributions(self, ranking: Ranking) -> Sequence[float]:
            return [score or 0.0 for score in ranking.scores]

    assert check("fused>=1000", Raw()) == ()
    with pytest.raises(ConfigurationError, match=r"but raw\(\) has none"):
        check("fused_scaled>=0.5", Raw())


def test_nothing_scaled_is_above_one() -> None:
    check("fused_scaled>=1")
    with pytest.raises(ConfigurationError, match=r"can never pass: scaled, the highest .* is 1"):
        check("fused_scaled>=1.01")


def test_zscore_is_checked_like_any_other() -> None:
    assert check("fused>=0.5", ZScore()) == ()


def test_a_rerank_threshold_needs_a_reranker() -> None:
    with pytest.raises(ConfigurationError, match="there is no reranker"):
        check("rerank>=0.5")
    assert check("rerank>=0.5", reranked=True) == ()


def test_a_leg_threshold_needs_the_leg() -> None:
    assert check("leg:bm25>=3") == ()
    with pytest.raises(ConfigurationError, match="the legs are dense, bm25"):
        check("leg:bm52>=3")
    with pytest.raises(ConfigurationError, match="its weight is 0"):
        check("leg:bm25>=3", weights={"dense": 1.0, "bm25": 0.0})


def test_a_leg_threshold_outside_the_legs_range_is_refused() -> None:
    ranges = {"dense": (-1.0, 1.0), "bm25": (0.0, None)}
    assert check("leg:dense>=1", ranges=ranges) == ()
    assert check("leg:bm25>=100", ranges=ranges) == ()
    with pytest.raises(ConfigurationError, match="the highest score of leg 'dense' is 1"):
        check("leg:dense>=1.5", ranges=ranges)
    with pytest.raises(ConfigurationError, match="the lowest score of leg 'dense' is -1"):
        check("leg:dense<=-2", ranges=ranges)


def test_without_fusion_there_is_no_fused_score() -> None:
    with pytest.raises(ConfigurationError, match=r"nothing is fused; set one on .* leg:bm25"):
        check_thresholds([Threshold("fused", 0.1)], fusion=None, weights={"bm25": 1.0})


def test_variants_raise_what_can_be_reached() -> None:
    weights = {f"{leg}{variant}": 1.0 for leg in TWO for variant in ("", "@rewrite", "@hyde")}
    check("fused>=0.09", weights=weights)  # 6/61 = 0.098
