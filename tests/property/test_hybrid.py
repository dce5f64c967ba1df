"""Properties of the hybrid for any legs. The numbers are those of docs/fusion.md's promises."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from plait.fusion import Borda, CombMnz, CombSum, Convex, Dbsf, Isr, Rbc, Rrf, Rsf, ZScore
from plait.hybrid import HybridRetriever, Leg
from plait.types import Chunk, Query, Variant

FUSIONS = [Rrf(), Rsf(), Dbsf(), ZScore(), Convex(), CombSum(), CombMnz(), Isr(), Borda(), Rbc(0.8)]
NAMES = [f"d{number}" for number in range(12)]


@st.composite
def answers(draw):
    """One leg's answer: distinct names, scores descending."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=12, unique=True))
    scores = draw(
        st.lists(
            st.floats(0, 100, allow_nan=False, width=32),
            min_size=len(names),
            max_size=len(names),
        )
    )
    return list(zip(names, sorted(scores, reverse=True), strict=True))


def leg(answer):
    pairs = [(Chunk(f"text {name}", id=name, metadata={"n": name}), s) for name, s in answer]
    return lambda text, top_k, filter=None: pairs[:top_k]


def build(legs, **given_):
    return HybridRetriever({f"leg{n}": leg(answer) for n, answer in enumerate(legs)}, **given_)


def page(result):
    return [(hit.id, hit.score) for hit in result]


LEGS = st.lists(answers(), min_size=1, max_size=3)
WEIGHT = st.floats(0.01, 10)


@given(LEGS, st.sampled_from(FUSIONS))
def test_the_result_for_k_is_a_prefix_of_the_result_for_more(legs, fusion):
    hybrid = build(legs, fusion=fusion)
    whole = page(hybrid.retrieve("q", top_k=50))
    for k in (1, 2, 3, 7):
        assert page(hybrid.retrieve("q", top_k=k)) == whole[:k]
        assert page(hybrid.retrieve("q", top_k=k, offset=2)) == whole[2 : 2 + k]


@given(LEGS, st.sampled_from(FUSIONS), st.data())
def test_the_order_of_the_legs_changes_nothing(legs, fusion, data):
    weights = data.draw(st.lists(WEIGHT, min_size=len(legs), max_size=len(legs)))
    entries = [(f"leg{n}", Leg(None, leg(a), weight=w))
               for n, (a, w) in enumerate(zip(legs, weights, strict=True))]  # fmt: skip
    shuffled = data.draw(st.permutations(entries))
    one = HybridRetriever(dict(entries), fusion=fusion).retrieve("q", top_k=50)
    two = HybridRetriever(dict(shuffled), fusion=fusion).retrieve("q", top_k=50)
    assert page(one) == page(two)


@given(LEGS, st.sampled_from(FUSIONS), st.data())
def test_contributions_add_up_to_the_score(legs, fusion, data):
    weights = data.draw(st.lists(WEIGHT, min_size=len(legs), max_size=len(legs)))
    for hit in build(legs, fusion=fusion, weights=weights).retrieve("q", top_k=50):
        assert len(hit.contributions) == len(legs)
        total = math.fsum(share.value for share in hit.contributions)
        assert math.isclose(total, hit.score, rel_tol=1e-9, abs_tol=1e-9)


@given(LEGS, st.sampled_from(FUSIONS), answers())
def test_a_leg_of_weight_0_is_as_if_it_were_not_there(legs, fusion, extra):
    without = build(legs, fusion=fusion).retrieve("q", top_k=50)
    weights = [1.0] * len(legs) + [0.0]
    with_it = build([*legs, extra], fusion=fusion, weights=weights).retrieve("q", top_k=50)
    assert page(without) == page(with_it)


@given(LEGS, st.sampled_from(FUSIONS), st.sampled_from(NAMES))
def test_no_chunk_that_does_not_pass_is_returned(legs, fusion, name):
    result = build(legs, fusion=fusion).retrieve("q", top_k=50, filter={"n": {"$ne": name}})
    assert name not in [hit.id for hit in result]


@given(LEGS, st.sampled_from(FUSIONS))
@settings(max_examples=50)
def test_sync_async_and_many_agree(legs, fusion):
    import asyncio

    hybrid = build(legs, fusion=fusion)
    expected = page(hybrid.retrieve("q"))
    assert page(asyncio.run(hybrid.aretrieve("q"))) == expected
    assert page(hybrid.retrieve_many(["q"])[0]) == expected


@given(
    st.lists(st.lists(answers(), min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(FUSIONS),
    st.data(),
)
def test_variants_are_legs_of_a_flat_fusion(by_variant, fusion, data):
    """Searching variants is the same as a hybrid in which every variant of a leg is a leg."""
    width = min(len(answered) for answered in by_variant)
    leg_weights = data.draw(st.lists(WEIGHT, min_size=width, max_size=width))
    weights = data.draw(st.lists(WEIGHT, min_size=len(by_variant), max_size=len(by_variant)))
    names = ["original", *(f"v{n}" for n in range(1, len(by_variant)))]

    def searching(n):
        return lambda text, top_k, filter=None: leg(by_variant[names.index(text)][n])(text, top_k)

    hybrid = HybridRetriever(
        {f"leg{n}": Leg(None, searching(n), weight=leg_weights[n]) for n in range(width)},
        fusion=fusion,
    )
    variants = [
        Variant(Query(name), weight=weight, name=name)
        for name, weight in zip(names, weights, strict=True)
    ]
    flat = HybridRetriever(
        {
            f"{name}_{n}": Leg(None, leg(answered[n]), weight=leg_weights[n] * weight)
            for name, weight, answered in zip(names, weights, by_variant, strict=True)
            for n in range(width)
        },
        fusion=fusion,
    )
    found = hybrid.retrieve_variants(variants, top_k=50)
    assert page(found) == page(flat.retrieve("q", top_k=50))
    for hit in found:
        total = math.fsum(part.value for part in hit.contributions)
        assert math.isclose(total, hit.score, rel_tol=1e-9, abs_tol=1e-9)
