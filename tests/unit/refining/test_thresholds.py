"""Thresholds read the score that they name, and say what they dropped."""

from __future__ import annotations

import math
from typing import Any

import pytest

from plait.errors import ConfigurationError
from plait.refining import Threshold, apply_threshold
from plait.types import Chunk, Contribution, Hit


def part(leg: str, raw: float | None, rank: int | None = 1) -> Contribution:
    return Contribution(leg, rank, raw, 0.0, 1.0, 0.0)


def fused(
    name: str, score: float, *parts: Contribution, rank: int = 1, rerank: float | None = None
) -> Hit:
    return Hit(
        Chunk(name, id=name),
        score if rerank is None else rerank,
        rank,
        score_kind="fusion" if rerank is None else "rerank",
        source="hybrid",
        fusion_score=score,
        rerank_score=rerank,
        contributions=parts,
    )


def ids(hits: tuple[Hit, ...]) -> list[str | None]:
    return [hit.id for hit in hits]


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("rerank>=0.5", Threshold("rerank", 0.5)),
        (" fused >= 1e-2 ", Threshold("fused", 0.01)),
        ("fused_scaled>=0.25", Threshold("fused_scaled", 0.25)),
        ("leg:bm25>=3", Threshold("leg:bm25", 3.0)),
        ("leg:bm25@rewrite>=-1.5", Threshold("leg:bm25@rewrite", -1.5)),
        ("leg:faiss l2<=0.4", Threshold("leg:faiss l2", 0.4, at_most=True)),
    ],
)
def test_the_text_form_parses_back(text: str, threshold: Threshold) -> None:
    assert Threshold.parse(text) == threshold
    assert Threshold.parse(str(threshold)) == threshold
    assert Threshold.parse(threshold) is threshold


@pytest.mark.parametrize(
    "text",
    ["", "0.5", "rerank", "rerank>0.5", "rerank>=high", "rerank>=nan", "rerank>=", 0.5, None],
)
def test_what_is_no_threshold_is_refused(text: Any) -> None:
    with pytest.raises(ConfigurationError, match="is not a threshold, expected such as 'rerank>="):
        Threshold.parse(text)


@pytest.mark.parametrize("score", ["score", "", "leg:", "cosine", "Rerank", 3, None])
def test_a_score_that_is_not_named_is_refused(score: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected one of 'leg:NAME'"):
        Threshold(score, 0.5)


@pytest.mark.parametrize("limit", [math.nan, math.inf, True, "0.5", None])
def test_a_limit_that_is_no_finite_number_is_refused(limit: Any) -> None:
    with pytest.raises(ConfigurationError, match="expected a finite number"):
        Threshold("rerank", limit)


def test_only_a_leg_has_distances() -> None:
    with pytest.raises(ConfigurationError, match=r"write rerank>=0\.5"):
        Threshold.parse("rerank<=0.5")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected 'keep' or 'drop'"):
        Threshold("rerank", 0.5, missing="zero")  # type: ignore[arg-type]


def test_a_leg_threshold_reads_the_leg_and_keeps_what_the_leg_did_not_return() -> None:
    hits = [
        fused("both", 0.03, part("dense", 0.9), part("bm25", 2.9)),
        fused("strong", 0.02, part("dense", 0.1), part("bm25", 3.0)),
        fused("dense only", 0.01, part("dense", 0.8), part("bm25", None, rank=None)),
    ]
    kept = apply_threshold(hits, Threshold("leg:bm25", 3.0))
    assert ids(kept.hits) == ["strong", "dense only"]
    assert [hit.rank for hit in kept.hits] == [1, 2]
    assert (kept.step, kept.before, kept.after) == ("leg:bm25>=3", 3, 2)
    assert kept.notes == ("leg:bm25>=3 dropped 1 of 3 hits",)

    strict = apply_threshold(hits, Threshold("leg:bm25", 3.0, missing="drop"))
    assert ids(strict.hits) == ["strong"]
    assert strict.notes == ("leg:bm25>=3 dropped 2 of 3 hits (1 without that score)",)


def test_the_best_score_of_a_legs_variants_counts() -> None:
    hits = [
        fused("rewritten", 0.03, part("bm25", 1.0), part("bm25@rewrite", 4.0)),
        fused("original", 0.02, part("bm25", 5.0), part("bm25@rewrite", None, rank=None)),
        fused("neither", 0.01, part("bm25", 1.0), part("bm25@rewrite", 2.0)),
        fused("other leg", 0.01, part("bm25x", 1.0), part("bm25", 3.0)),
    ]
    assert ids(apply_threshold(hits, Threshold("leg:bm25", 3.0)).hits) == [
        "rewritten",
        "original",
        "other leg",
    ]
    assert ids(apply_threshold(hits[:3], Threshold("leg:bm25@rewrite", 3.0)).hits) == [
        "rewritten",
        "original",
    ]


def test_a_distance_passes_below_its_limit() -> None:
    hits = [fused("far", 0.1, part("l2", 0.9)), fused("near", 0.1, part("l2", 0.4))]
    assert ids(apply_threshold(hits, Threshold.parse("leg:l2<=0.4")).hits) == ["near"]


# FAULTS: a threshold compared with the leg score, not the final one.
def test_a_rerank_threshold_reads_the_rerank_score_whatever_the_legs_say() -> None:
    hits = [
        fused("good", 0.03, part("dense", 0.3), rerank=0.9),
        fused("bad", 0.03, part("dense", 0.99), rerank=0.3),
    ]
    assert ids(apply_threshold(hits, Threshold("rerank", 0.5)).hits) == ["good"]


# FAULTS: scores of hits that the reranker did not score.
def test_a_hit_that_was_not_reranked_does_not_reach_a_rerank_threshold() -> None:
    hits = [fused("scored", 0.03, rerank=0.9), fused("unscored", 0.9)]
    dropped = apply_threshold(hits, Threshold("rerank", 0.5))
    assert ids(dropped.hits) == ["scored"]
    assert dropped.notes == ("rerank>=0.5 dropped 1 of 2 hits (1 without that score)",)
    assert ids(apply_threshold(hits, Threshold("rerank", 0.5, missing="keep")).hits) == [
        "scored",
        "unscored",
    ]


def test_a_fused_threshold_reads_the_fused_score_behind_a_reranker_too() -> None:
    hits = [fused("a", 1 / 61, rerank=0.1), fused("b", 1 / 62, rerank=0.9)]
    assert ids(apply_threshold(hits, Threshold("fused", 1 / 61)).hits) == ["a"]


def test_a_scaled_threshold_reads_parts_of_the_bound() -> None:
    hits = [fused("both", 2 / 61), fused("one", 1 / 61)]
    kept = apply_threshold(hits, Threshold("fused_scaled", 0.6), score_bound=2 / 61)
    assert ids(kept.hits) == ["both"]


def test_without_a_bound_there_is_no_scaled_score() -> None:
    hits = [fused("a", 2 / 61)]
    assert apply_threshold(hits, Threshold("fused_scaled", 0.6)).after == 1
    assert apply_threshold(hits, Threshold("fused_scaled", 0.6, missing="drop")).after == 0


def test_a_threshold_says_behind_which_stage_it_stands() -> None:
    texts = ("leg:bm25>=3", "fused>=0.01", "fused_scaled>=0.2", "rerank>=0.5")
    assert [Threshold.parse(text).stage for text in texts] == [*["fusion"] * 3, "rerank"]


def test_a_retriever_that_is_asked_alone_is_its_own_leg() -> None:
    hits = [
        Hit(Chunk("a"), 4.0, 1, source="bm25", retrieval_score=4.0),
        Hit(Chunk("b"), 2.0, 2, source="bm25", retrieval_score=2.0),
    ]
    kept = apply_threshold(hits, Threshold("leg:bm25", 3.0))
    assert [hit.chunk.content for hit in kept.hits] == ["a"]


def test_no_hits_stay_none_and_nothing_is_said() -> None:
    kept = apply_threshold([], Threshold("rerank", 0.5))
    assert (kept.hits, kept.before, kept.notes) == ((), 0, ())


def test_hits_are_not_changed() -> None:
    hits = [fused("low", 0.01, rank=1), fused("high", 0.03, rank=2)]
    copies = list(hits)
    kept = apply_threshold(hits, Threshold("fused", 0.02))
    assert hits == copies
    assert hits[1].rank == 2
    assert kept.hits[0].rank == 1
