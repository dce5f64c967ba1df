import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from plait.errors import ConfigurationError
from plait.lexical.bm25 import VARIANTS, Bm25

ln = math.log


def test_defaults():
    assert Bm25() == Bm25(k1=1.5, b=0.75, variant="lucene")
    assert Bm25().parameters == {"variant": "lucene", "k1": 1.5, "b": 0.75}
    assert Bm25(variant="bm25l").parameters["delta"] == 0.5
    assert Bm25(variant="bm25plus").parameters["delta"] == 1.0
    assert Bm25(variant="okapi").parameters["epsilon"] == 0.25
    with pytest.raises(FrozenInstanceError):
        Bm25().k1 = 2


@pytest.mark.parametrize(
    "wrong", [-0.1, math.nan, math.inf, -math.inf, 1e308, 10**400, True, np.True_, "1", None]
)
def test_k1_is_a_number_from_0_to_a_million(wrong):
    with pytest.raises(ConfigurationError, match=r"k1 is .*, expected a number from 0 to 1000000"):
        Bm25(k1=wrong)
    with pytest.raises(ConfigurationError, match=r"delta is .*, expected a number from 0 to 10000"):
        Bm25(variant="bm25plus", delta="none" if wrong is None else wrong)


@pytest.mark.parametrize("wrong", [-0.1, 1.01, math.nan, math.inf, True, "0.5", None])
def test_b_is_a_number_from_0_to_1(wrong):
    with pytest.raises(ConfigurationError, match=r"b is .*, expected a number from 0 to 1"):
        Bm25(b=wrong)


@pytest.mark.parametrize(
    "edge", [{"k1": 0}, {"b": 0}, {"b": 1}, {"k1": 1e6}, {"b": np.float32(0.5)}]
)
def test_the_edges_are_allowed_in_any_kind_of_number(edge):
    parameters = Bm25(**edge).parameters
    assert parameters.items() >= edge.items()
    assert all(type(parameters[name]) is float for name in edge)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_largest_parameters_give_finite_scores(variant):
    name = {"okapi": "epsilon", "bm25l": "delta", "bm25plus": "delta"}.get(variant)
    bm25 = Bm25(1e6, 1.0, variant, **({name: 1e6} if name else {}))
    shares = bm25.frequency(np.array([1, 2**31 - 1], dtype=np.int32), np.array([1e-9, 1e9]))
    scores = (1e6 * bm25.idf(1, 2**31, 20.0) * shares).astype(np.float32)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


@pytest.mark.parametrize("wrong", ["bm25", "Lucene", "", None, 1, ["lucene"]])
def test_variants_have_names(wrong):
    with pytest.raises(ConfigurationError, match="expected one of lucene, robertson, atire"):
        Bm25(variant=wrong)


@pytest.mark.parametrize("variant", VARIANTS)
def test_delta_and_epsilon_belong_to_their_variants(variant):
    for name, owners in (("delta", {"bm25l", "bm25plus"}), ("epsilon", {"okapi"})):
        if variant in owners:
            assert Bm25(variant=variant, **{name: 0.1}).parameters[name] == 0.1
            with pytest.raises(ConfigurationError, match=f"{name} is -1"):
                Bm25(variant=variant, **{name: -1})
        else:
            with pytest.raises(ConfigurationError, match=f"has no {name}; leave it out"):
                Bm25(variant=variant, **{name: 0.1})


# n of N chunks have the term, tf times in a chunk whose length is twice the mean: norm = 1.75


@pytest.mark.parametrize(
    ("variant", "idf"),
    [
        ("lucene", ln(1 + (10 - 3 + 0.5) / (3 + 0.5))),
        ("robertson", ln((10 - 3 + 0.5) / (3 + 0.5))),
        ("atire", ln(10 / 3)),
        ("bm25l", ln((10 + 1) / (3 + 0.5))),
        ("bm25plus", ln((10 + 1) / 3)),
        ("okapi", ln(10 - 3 + 0.5) - ln(3 + 0.5)),
    ],
)
def test_idf(variant, idf):
    assert Bm25(variant=variant).idf(3, 10) == idf


@pytest.mark.parametrize(
    ("variant", "share"),
    [
        ("lucene", 4 / (4 + 1.5 * 1.75)),
        ("robertson", 4 / (4 + 1.5 * 1.75)),
        ("atire", 2.5 * 4 / (4 + 1.5 * 1.75)),
        ("bm25l", 2.5 * (4 / 1.75 + 0.5) / (1.5 + (4 / 1.75 + 0.5))),
        ("bm25plus", 2.5 * 4 / (4 + 1.5 * 1.75) + 1.0),
        ("okapi", 2.5 * 4 / (4 + 1.5 * 1.75)),
    ],
)
def test_frequency(variant, share):
    shares = Bm25(variant=variant).frequency(np.array([4], dtype=np.int32), np.array([2.0]))
    assert shares.dtype == np.float64
    assert shares.tolist() == [share]


def test_without_k1_presence_counts_and_without_b_length_does_not():
    tf, relative = np.array([1, 5], dtype=np.int32), np.array([1.0, 3.0])
    assert Bm25(k1=0).frequency(tf, relative).tolist() == [1.0, 1.0]
    assert Bm25(b=0).frequency(tf, relative).tolist() == [1 / 2.5, 5 / 6.5]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_range_of_scores(variant):
    bm25 = Bm25(variant=variant)
    lowest = min(bm25.idf(n, 4, mean=-1.0) for n in range(1, 5))
    assert bm25.score_range == ((0.0, None) if lowest >= 0 else (None, None))
    assert (lowest < 0) == (variant in ("robertson", "okapi"))


def test_a_term_in_half_of_the_chunks_counts():
    assert Bm25().idf(1, 2) == ln(1 + 1.5 / 1.5) > 0
    assert Bm25(variant="okapi").idf(1, 2) == 0.0


def test_okapi_lifts_very_common_terms_to_a_share_of_the_mean():
    okapi = Bm25(variant="okapi", epsilon=0.5)
    # Three terms in 1 of 4 chunks, one in all four.
    mean = (3 * (ln(3.5) - ln(1.5)) + (ln(0.5) - ln(4.5))) / 4
    assert okapi.mean_idf({1: 3, 4: 1}, 4) == pytest.approx(mean, abs=1e-15)
    assert okapi.idf(4, 4, mean) == 0.5 * mean
    assert okapi.idf(1, 4, mean) == ln(3.5) - ln(1.5)
    assert okapi.mean_idf({}, 0) == 0.0
    assert okapi.needs_mean_idf
    assert not Bm25().needs_mean_idf
