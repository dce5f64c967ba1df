"""Properties that every fusion keeps, for any rankings: see each test's name."""

import dataclasses
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plait.errors import ConfigurationError, ContractError
from plait.fusion import (
    Borda,
    CombMnz,
    CombSum,
    Convex,
    Dbsf,
    Haystack,
    Isr,
    LangChain,
    Learned,
    LlamaIndex,
    QdrantDbsf,
    QdrantRrf,
    Ranx,
    Rbc,
    Rrf,
    Rsf,
    ZScore,
    fuse,
    parse_fusion,
)
from plait.identity import group
from plait.types import Chunk, Ranking

# Every method of plait's own; the presets follow other systems, weaknesses included.
METHODS = [
    Rrf(k=60),
    Rrf(k=0),
    Rrf(k=60, absent="min"),
    Rsf(),
    Rsf(flat="rank"),
    Rsf(absent=-0.25),
    Dbsf(),
    Dbsf(ddof=1, absent="min"),
    Dbsf(shape="3sigma", ddof=0),
    Dbsf(shape="3sigma", ddof=1),
    ZScore(),
    Convex(),
    Convex(absent="min"),
    CombSum(),
    CombMnz(),
    Isr(),
    Borda(),
    Rbc(phi=0.8),
    Learned(
        ("dense", "bm25", "title", "graph", "off"),
        ((2.0, 0.0, 0.5), (1.0, 30.0, 0.0), (0.0, 8.0, 0.25), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)),
    ),
]
PRESETS = [
    LangChain(),
    LlamaIndex("reciprocal_rerank"),
    LlamaIndex("relative_score"),
    LlamaIndex("dist_based_score"),
    LlamaIndex("simple"),
    Haystack("merge"),
    Haystack("concatenate"),
    Haystack("reciprocal_rank_fusion"),
    Haystack("distribution_based_rank_fusion"),
    QdrantRrf(k=2),
    QdrantDbsf(),
    Ranx(norm="zmuv"),
]

# Twenty-five examples for each of the methods are several hundred for each property.
each = settings(max_examples=25, deadline=None)
patient = settings(deadline=None)

finite = st.floats(allow_nan=False, allow_infinity=False)
plain = st.integers(-20, 20).map(lambda number: number / 4) | st.floats(-1e3, 1e3)
weights_of = st.floats(0.01, 100.0)


@st.composite
def rankings(draw, scores=plain, unique=False):
    """One to four legs over twelve ids, empty and repeated hits among them."""
    legs = []
    for name in draw(st.permutations(["dense", "bm25", "title", "graph"]))[
        : draw(st.integers(1, 4))
    ]:
        ids = draw(st.lists(st.sampled_from("abcdefghijkl"), max_size=10, unique=unique))
        given_scores = sorted(
            draw(st.lists(scores, min_size=len(ids), max_size=len(ids))), reverse=True
        )
        better = draw(st.booleans())
        shown = [score if better else -score for score in given_scores]
        kind = draw(st.sampled_from(["scored", "scored", "missing", "position"]))
        if kind == "missing":
            shown = [None if draw(st.booleans()) else score for score in shown]
        elif kind == "position":
            shown = draw(st.permutations(shown))
        legs.append(
            Ranking(
                name,
                tuple(ids),
                tuple(shown),
                higher_is_better=better,
                order="position" if kind == "position" else "score",
            )
        )
    return legs


def whole(pool):
    return pool.hits(0, len(pool))


def gist(pool):
    """What does not depend on the order in which the legs are given."""
    return [
        (hit.id, hit.score, hit.legs, hit.retrieval_score, sorted(map(repr, hit.contributions)))
        for hit in whole(pool)
    ]


@pytest.mark.parametrize("fusion", [*METHODS, *PRESETS], ids=str)
@each
@given(data=st.data())
def test_contributions_add_up_to_the_score_and_the_score_is_within_its_bound(fusion, data):
    legs = data.draw(rankings())
    weight = data.draw(weights_of)
    pool = fuse(legs, fusion, [weight] * len(legs))
    for hit in whole(pool):
        assert [share.leg for share in hit.contributions] == [leg.leg for leg in legs]
        total = math.fsum(share.value for share in hit.contributions)
        assert hit.score == pytest.approx(total, rel=1e-9, abs=1e-9)
        assert hit.score == hit.fusion_score
        assert type(hit.score) is float
        for share in hit.contributions:
            assert (share.rank is None) == (share.leg not in hit.legs)
            assert share.weight == weight
        if pool.score_bound is not None:
            assert hit.score <= pool.score_bound * (1 + 1e-9) + 1e-12
    assert [hit.rank for hit in whole(pool)] == list(range(1, len(pool) + 1))


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(data=st.data())
def test_the_order_of_the_legs_changes_nothing(fusion, data):
    legs = data.draw(rankings())
    weights = data.draw(st.lists(weights_of, min_size=len(legs), max_size=len(legs)))
    pairs = data.draw(st.permutations(list(zip(legs, weights, strict=True))))
    one = fuse(legs, fusion, weights)
    other = fuse([leg for leg, _ in pairs], fusion, [weight for _, weight in pairs])
    assert gist(one) == gist(other)
    assert one.score_bound == other.score_bound


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(data=st.data(), factor=st.sampled_from([0.1, 1 / 3, 2.0, 7.0, 1000.0]))
def test_scaling_all_weights_changes_no_order(fusion, data, factor):
    legs = data.draw(rankings())
    weights = data.draw(st.lists(weights_of, min_size=len(legs), max_size=len(legs)))
    one = fuse(legs, fusion, weights)
    other = fuse(legs, fusion, [weight * factor for weight in weights])
    assert [hit.id for hit in whole(one)] == [hit.id for hit in whole(other)]


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(data=st.data())
def test_weight_0_is_the_same_as_no_leg(fusion, data):
    legs = data.draw(rankings())
    extra = Ranking("off", ("a", "z"), (2.0, 1.0))
    one = fuse([*legs, extra], fusion, [1.0] * len(legs) + [0.0])
    other = fuse(legs, fusion)
    assert [(hit.id, hit.score, hit.legs) for hit in whole(one)] == [
        (hit.id, hit.score, hit.legs) for hit in whole(other)
    ]
    assert one.score_bound == other.score_bound


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(data=st.data())
def test_better_or_equal_in_every_leg_is_not_ranked_lower(fusion, data):
    legs = data.draw(rankings(unique=True))
    weights = data.draw(st.lists(weights_of, min_size=len(legs), max_size=len(legs)))
    place = {hit.id: hit.rank for hit in whole(fuse(legs, fusion, weights))}
    last = 99
    ranks = {
        name: [leg.ids.index(name) if name in leg.ids else last for leg in legs] for name in place
    }
    for one, other in ((one, other) for one in place for other in place if one != other):
        if all(a <= b for a, b in zip(ranks[one], ranks[other], strict=True)):
            assert place[one] < place[other]


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(data=st.data())
def test_any_finite_scores_give_finite_contributions(fusion, data):
    legs = data.draw(rankings(scores=finite))
    for hit in whole(fuse(legs, fusion)):
        assert math.isfinite(hit.score)


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(legs=rankings(), start=st.integers(0, 12), stop=st.integers(0, 40))
def test_pages_are_cuts_of_one_order(fusion, legs, start, stop):
    pool = fuse(legs, fusion)
    assert pool.hits(start, stop) == whole(pool)[start:stop]
    assert len(pool) == len({name for leg in legs for name in leg.ids})


@pytest.mark.parametrize("fusion", METHODS, ids=str)
@each
@given(legs=rankings())
def test_duplicates_count_once_at_their_best_rank(fusion, legs):
    kept = []
    for leg in legs:
        rows = sorted({name: row for row, name in reversed(list(enumerate(leg.ids)))}.values())
        kept.append(
            dataclasses.replace(
                leg,
                ids=tuple(leg.ids[row] for row in rows),
                scores=tuple(leg.scores[row] for row in rows),
            )
        )
    assert gist(fuse(legs, fusion)) == gist(fuse(kept, fusion))


@patient
@given(legs=rankings())
def test_nothing_that_is_given_is_changed(legs):
    before = [dataclasses.replace(leg) for leg in legs]
    for fusion in METHODS:
        whole(fuse(legs, fusion))
    assert legs == before


@patient
@given(data=st.data(), fusion=st.sampled_from(METHODS))
def test_one_leg_keeps_its_order(data, fusion):
    leg = data.draw(rankings(unique=True))[0]
    assert [hit.id for hit in whole(fuse([leg], fusion))] == list(leg.ids)


@patient
@given(legs=rankings(), fusion=st.sampled_from(METHODS))
def test_hits_of_one_leg_alone_keep_that_legs_order(legs, fusion):
    order = [hit for hit in whole(fuse(legs, fusion)) if len(hit.legs) == 1]
    for leg in legs:
        ranks = [hit.contributions for hit in order if hit.legs == (leg.leg,)]
        own = [next(s.rank for s in shares if s.leg == leg.leg) for shares in ranks]
        assert own == sorted(own)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), True, 1])
def test_scores_that_are_none_never_reach_a_fusion(score):
    with pytest.raises(ContractError, match=r"leg 'bm25': score .* at position 1"):
        Ranking("bm25", ("a", "b"), (score, 0.5))


@patient
@given(fusion=st.sampled_from([*METHODS, *PRESETS]))
def test_text_forms_parse_back(fusion):
    assert parse_fusion(str(fusion)) == fusion


@patient
@given(absent=st.floats(-2, 2), legs=rankings(unique=True))
def test_absence_is_never_rewarded(absent, legs):
    fusion = Rsf(absent=absent)
    try:
        pool = fuse(legs, fusion)
    except ConfigurationError:
        assert absent > 0
        return
    for leg in legs:
        given = [s for hit in whole(pool) for s in hit.contributions if s.leg == leg.leg]
        found = [share.value for share in given if share.rank is not None]
        lost = [share.value for share in given if share.rank is None]
        if found and lost:
            assert max(lost) <= min(found)


# Identity, with chunks of every kind


@st.composite
def chunks(draw):
    maybe = lambda values: st.none() | st.sampled_from(values)  # noqa: E731
    chunk = Chunk(
        draw(st.sampled_from(["x", "y", ""])),
        id=draw(st.sampled_from([None, None, "1", "2", "d#0"])),
        document_id=draw(maybe(["d", "e"])),
        index=draw(maybe([0, 1])),
        source_path=draw(maybe(["p", "q"])),
        source_name=draw(maybe(["s"])),
        section=draw(maybe(["A", "B"])),
    )
    return chunk.with_id() if draw(st.booleans()) else chunk


@st.composite
def chunked(draw):
    legs = []
    for name in ("a", "b", "c"):
        hits = draw(st.lists(chunks(), max_size=5))
        bare = [draw(st.booleans()) and chunk.id is not None for chunk in hits]
        scores = tuple(float(-place) for place in range(len(hits)))
        shown = tuple(None if b else chunk for b, chunk in zip(bare, hits, strict=True))
        ids = tuple(chunk.id for chunk in hits)
        legs.append(Ranking(name, ids, scores, shown if any(shown) else ()))
        assume(any(shown) or None not in ids)
    return legs


@patient
@given(legs=chunked(), data=st.data())
def test_who_is_the_same_does_not_depend_on_the_order_of_the_legs(legs, data):
    shuffled = data.draw(st.permutations(legs))
    assert gist(fuse(legs, Rrf())) == gist(fuse(shuffled, Rrf()))


@patient
@given(legs=chunked())
def test_an_unrelated_hit_does_not_change_who_is_the_same(legs):
    # It has no id, so that the quick ways for rankings with ids are not taken.
    other = Ranking("z", (None,), (1.0,), (Chunk("like no other"),))
    assert group([*legs, other])[:-1] == group(legs)


@patient
@given(texts=st.lists(st.sampled_from("xy"), min_size=2, max_size=6), placed=st.booleans())
def test_made_ids_are_grouped_as_the_rule_says(texts, placed):
    chunks = [
        Chunk(text, document_id="d" if placed else None, index=row % 3 if placed else None)
        for row, text in enumerate(texts)
    ]
    made = [chunk.with_id() for chunk in chunks]
    scores = tuple(float(-row) for row in range(len(made)))
    legs = [
        Ranking("a", tuple(chunk.id for chunk in made), scores, tuple(made)),
        Ranking("b", tuple(chunk.id for chunk in made[::-1]), scores),
    ]
    other = Ranking("z", (None,), (1.0,), (Chunk("like no other"),))
    assert group([*legs, other])[:-1] == group(legs)


@patient
@given(legs=chunked())
def test_hits_with_different_given_ids_are_never_one(legs):
    owners = {}
    for hit in whole(fuse(legs, Rrf())):
        given_ids = set()
        for leg in legs:
            share = next(s for s in hit.contributions if s.leg == leg.leg)
            if share.rank is not None:
                row = leg_rows(leg, legs)[share.rank - 1]
                chunk = leg.chunks[row] if leg.chunks else None
                if chunk is not None and chunk.id is not None and not chunk.id_made:
                    given_ids.add(chunk.id)
        assert len(given_ids) <= 1
        for identity in given_ids:
            assert owners.setdefault(identity, hit.rank) == hit.rank


def leg_rows(leg, legs):
    """Rows of a leg that are left after its duplicates were removed."""
    names = group(legs)[legs.index(leg)]
    return sorted({name: row for row, name in reversed(list(enumerate(names)))}.values())


# The same bytes under any PYTHONHASHSEED

_PROGRAM = """
import json
from plait.fusion import fuse, parse_fusion
from plait.types import Chunk, Ranking

def leg(name, texts):
    chunks = tuple(Chunk(f"text {t}", document_id="d", source_path=t, index=n % 3)
                   for n, t in enumerate(texts))
    return Ranking(name, (None,) * len(chunks), (1.0,) * len(chunks), chunks)

legs = [leg("a", "qwerty"), leg("b", "ytrewq"), leg("c", "asdfgh"),
        Ranking("d", ("one", "two", "three"), (3.0, 2.0, 1.0))]
out = []
for text in ("rrf", "rsf", "zscore", "borda", "combmnz", 'haystack(mode="concatenate")'):
    pool = fuse(legs, parse_fusion(text))
    out.append([[h.id, h.score, h.legs, repr(h.contributions), list(h.sources)]
                for h in pool.hits(0, len(pool))])
print(json.dumps(out))
"""


def test_the_same_bytes_under_any_hash_seed():
    source = str(Path(sys.modules["plait"].__file__).parents[1])
    outputs = []
    for seed in ("0", "1", "77"):
        ran = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": source},
            capture_output=True,
            check=True,
        )
        outputs.append(ran.stdout)
    assert len(set(outputs)) == 1
    assert json.loads(outputs[0])
