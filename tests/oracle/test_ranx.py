"""Fused scores against ranx, an independent implementation of the same papers."""

import random

import pytest

from plait.fusion import Borda, CombMnz, CombSum, Isr, Ranx, Rbc, Rrf, Rsf, ZScore, fuse
from plait.types import Ranking

QUERIES = 12


@pytest.fixture(scope="module")
def ranx():
    """ranx, run as plain Python: compiling it with numba takes a minute, these inputs a second."""
    import numba

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba.config, "DISABLE_JIT", True)
        import ranx

        yield ranx


def legs_of(seed):
    """Three legs without ties, duplicates or flat scores, over a pool of forty ids."""
    rng = random.Random(seed)
    legs = []
    for name, size in (("bm25", 20), ("dense", 15), ("title", 6)):
        ids = tuple(f"d{n:02}" for n in rng.sample(range(40), size))
        scores = tuple(sorted((rng.uniform(0, 20) for _ in ids), reverse=True))
        legs.append(Ranking(name, ids, scores))
    return legs


POOLS = {f"q{seed}": legs_of(seed) for seed in range(QUERIES)}


@pytest.fixture(scope="module")
def runs(ranx):
    return [
        ranx.Run(
            {
                query: dict(zip(legs[place].ids, legs[place].scores, strict=True))
                for query, legs in POOLS.items()
            }
        )
        for place in range(3)
    ]


CASES = [
    (Rrf(k=60), "rrf", None, {"k": 60}, None),
    (Rrf(k=5), "rrf", None, {"k": 5}, None),
    (Isr(), "isr", None, {}, None),
    (Borda(), "bordafuse", None, {}, None),
    (Rbc(phi=0.8), "rbc", None, {"phi": 0.8}, None),
    (CombSum(), "sum", "min-max", {}, None),
    (CombMnz(), "mnz", "min-max", {}, None),
    (Rsf(), "wsum", "min-max", {"weights": [0.2, 0.5, 0.3]}, [0.2, 0.5, 0.3]),
    (Ranx(), "wsum", "min-max", {"weights": [0.2, 0.5, 0.3]}, [0.2, 0.5, 0.3]),
    (Ranx(method="sum"), "sum", "min-max", {}, None),
    (Ranx(method="mnz"), "mnz", "min-max", {}, None),
    (Ranx(method="sum", norm="zmuv"), "sum", "zmuv", {}, None),
    (Ranx(norm="zmuv"), "wsum", "zmuv", {"weights": [1.0, 2.0, 0.5]}, [1.0, 2.0, 0.5]),
]


@pytest.mark.parametrize(
    ("fusion", "method", "norm", "params", "weights"), CASES, ids=[str(case[0]) for case in CASES]
)
def test_scores_are_those_of_ranx(ranx, runs, fusion, method, norm, params, weights):
    theirs = ranx.fuse(runs=runs, norm=norm, method=method, params=params).to_dict()
    for query, legs in POOLS.items():
        pool = fuse(legs, fusion, weights)
        ours = {hit.id: hit.score for hit in pool.hits(0, len(pool))}
        assert ours == pytest.approx(theirs[query], rel=1e-9, abs=1e-12)


def test_z_scores_are_those_of_ranx(ranx, runs):
    # Where every leg returned the hit, nothing is absent, and the two agree.
    theirs = ranx.fuse(runs=runs, norm="zmuv", method="sum").to_dict()
    compared = 0
    for query, legs in POOLS.items():
        pool = fuse(legs, ZScore())
        for hit in pool.hits(0, len(pool)):
            if len(hit.legs) == len(legs):
                assert hit.score == pytest.approx(theirs[query][hit.id], rel=1e-9, abs=1e-12)
                compared += 1
    assert compared >= QUERIES / 2


@pytest.mark.parametrize("method", ["sum", "mnz"])
def test_equal_scores_count_0_as_in_ranx(ranx, method):
    flat = Ranking("flat", ("a", "b"), (4.0, 4.0))
    other = Ranking("other", ("b", "c", "d"), (3.0, 2.0, 1.0))
    runs = [ranx.Run({"q": dict(zip(leg.ids, leg.scores, strict=True))}) for leg in (flat, other)]
    theirs = ranx.fuse(runs=runs, norm="min-max", method=method).to_dict()["q"]
    pool = fuse([flat, other], Ranx(method=method))
    assert {hit.id: hit.score for hit in pool.hits(0, 9)} == pytest.approx(theirs)
