from dataclasses import replace

import pytest

from plait.evaluation import Estimate
from plait.evaluation.tuning.space import Candidate
from plait.evaluation.tuning.verdict import is_real, name, say
from plait.fusion import Learned, Rrf, Rsf

LEGS = ("dense", "bm25")
CHOSEN, DEFAULT = Candidate(Rrf(), 50, (0.2, 0.6)), Candidate(Rsf(), 200, (1.0, 1.0))
# Half of the interval is three times the gain.
CHANCE = Estimate(mean=0.01, low=-0.02, high=0.04, n=100)


def test_a_gain_is_real_if_its_interval_is_above_0_on_enough_topics():
    assert is_real(replace(CHANCE, low=0.0001))
    assert is_real(replace(CHANCE, low=0.0001, n=30))
    assert not is_real(replace(CHANCE, low=0.0001, n=29))
    assert not is_real(replace(CHANCE, low=0.0))
    assert not is_real(CHANCE)


def test_a_real_gain_is_taken():
    assert say(CHOSEN, DEFAULT, LEGS, "nDCG@10", replace(CHANCE, low=0.002)) == (
        "take rrf(k=60) over 50 candidates with dense 0.25, bm25 0.75: nDCG@10 +0.010, "
        "95 % interval +0.002 to +0.040, on queries that it was not chosen on"
    )


def test_how_many_labels_would_show_a_gain_of_this_size():
    said = say(CHOSEN, DEFAULT, LEGS, "nDCG@10", CHANCE)
    assert said.startswith("keep the default: the gain on queries that it was not chosen on may be")
    # An interval shrinks with the root: three times narrower takes nine times the queries.
    assert said.endswith("would take about 900 labelled queries to see")


@pytest.mark.parametrize(
    ("low", "needed"),
    # 100 × (1.1 / 1)², × (3.1 / 1)², × (9 / 1)², rounded up to two digits.
    [(-0.001, "130"), (-0.021, "970"), (-0.08, "8,100")],
)
def test_no_more_digits_than_are_known(low, needed):
    said = say(CHOSEN, DEFAULT, LEGS, "nDCG@10", replace(CHANCE, low=low))
    assert said.endswith(f"would take about {needed} labelled queries to see")


@pytest.mark.parametrize("mean", [0.0, -0.01])
def test_no_gain_at_all(mean):
    said = say(CHOSEN, DEFAULT, LEGS, "nDCG@10", replace(CHANCE, mean=mean))
    assert said.startswith("keep the default: what was chosen is no better on queries that it was")


def test_the_default_itself_and_too_few_topics():
    assert say(DEFAULT, DEFAULT, LEGS, "nDCG@10", CHANCE).startswith(
        "keep the default: nothing that was tried"
    )
    assert "29 labelled queries are too few to tell, label at least 30" in say(
        CHOSEN, DEFAULT, LEGS, "nDCG@10", replace(CHANCE, low=0.002, n=29)
    )


def test_names():
    learned = Learned(LEGS, ((1, 1, 1), (1, 1, 1)))
    assert name(DEFAULT, LEGS) == "rsf() over 200 candidates with dense 0.5, bm25 0.5"
    assert name(Candidate(Rsf(), 20, (0.0, 1.0)), LEGS) == "bm25 alone, 20 candidates"
    assert name(Candidate(learned, 20, (1.0, 1.0)), LEGS) == (
        "the learned fusion over 20 candidates"
    )
