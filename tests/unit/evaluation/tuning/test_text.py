from plait.evaluation import Estimate
from plait.evaluation.tuning import Candidate, Tried, TuneResult
from plait.fusion import Learned, Rrf, Rsf

DEFAULT = Tried(Candidate(Rsf(), 200, (1.0, 1.0)), 0.5, 0.0)
CHOSEN = Tried(Candidate(Rsf(), 200, (0.25, 0.75)), 0.55, 0.05)
ALONE = Tried(Candidate(Rrf(), 200, (0.0, 1.0)), 0.4, -0.1)
LEARNED = Candidate(Learned(("dense", "bm25"), ((1, 1, 1), (2, 2, 2))), 200, (1.0, 1.0))


def result(**given):
    values = {
        "legs": ("dense", "bm25"),
        "measure": "nDCG@10",
        "default": DEFAULT,
        "chosen": CHOSEN,
        "tuning": None,
        "answer": "keep the default: because",
        "baseline": Estimate(0.5, 0.4, 0.6, 1200),
        "gain": Estimate(0.03, -0.01, 0.07, 1200),
        "p": 0.1234,
        "folds": (CHOSEN.candidate, DEFAULT.candidate, CHOSEN.candidate),
        "learned": None,
        "tried": (CHOSEN, DEFAULT, ALONE),
        "size": 3,
    }
    return TuneResult(**{**values, **given})


def test_the_whole():
    assert str(result()).splitlines() == [
        "nDCG@10 on 1,200 labelled queries, 3 candidates, 3 folds",
        "",
        "on the queries that the choice was made from:",
        "  0.500  +0.000  default: rsf() over 200 candidates with dense 0.5, bm25 0.5",
        "  0.550  +0.050  chosen: rsf() over 200 candidates with dense 0.25, bm25 0.75",
        "",
        "the best of each method, and each leg alone:",
        "  0.550  +0.050  rsf() over 200 candidates with dense 0.25, bm25 0.75",
        "  0.400  -0.100  bm25 alone, 200 candidates",
        "",
        "held out, each query without a part in the choice that it is measured on:",
        "  +0.030  -0.010 to +0.070  chosen, p 0.123",
        "  on 2 of 3 folds: rsf() over 200 candidates with dense 0.25, bm25 0.75",
        "  on 1 of 3 folds: rsf() over 200 candidates with dense 0.5, bm25 0.5",
        "",
        "keep the default: because",
    ]


def test_the_default_as_the_choice_is_shown_once():
    shown = str(result(chosen=DEFAULT))
    assert "default: rsf()" in shown
    assert "chosen: " not in shown


def test_the_learned_fusion_and_notes():
    shown = str(result(learned=Estimate(0.04, 0.01, 0.07, 1200), notes=("5 topics\nare left out",)))
    assert "  +0.040  +0.010 to +0.070  learned" in shown
    assert "note: 5 topics are left out" in shown


def test_folds_that_chose_a_learned_fusion_agree_whatever_its_coefficients():
    other = Candidate(Learned(("dense", "bm25"), ((3, 1, 1), (2, 2, 2))), 200, (1.0, 1.0))
    both = result(chosen=Tried(LEARNED, 0.6, 0.1), folds=(LEARNED, other, CHOSEN.candidate))
    assert both.stability == 2 / 3
    assert "on 2 of 3 folds: the learned fusion over 200 candidates" in str(both)
    assert result().stability == 2 / 3
