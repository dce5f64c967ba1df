import pytest

from plait.errors import ConfigurationError
from plait.evaluation.tuning.space import Candidate, Space
from plait.fusion import Rrf, Rsf


def test_every_method_with_every_window_and_every_weighting():
    space = Space(("rsf()", Rrf(k=2)), windows=(20, 50), steps=2)
    candidates = space.candidates(legs=2)
    assert space.size(legs=2) == len(candidates) == 2 * 2 * 3
    assert len(set(candidates)) == 12
    assert candidates[:4] == (
        Candidate(Rsf(), 20, (0.0, 1.0)),
        Candidate(Rsf(), 20, (0.5, 0.5)),
        Candidate(Rsf(), 20, (1.0, 0.0)),
        Candidate(Rsf(), 50, (0.0, 1.0)),
    )
    assert candidates[-1] == Candidate(Rrf(k=2), 50, (1.0, 0.0))


def test_weights_are_tenths_and_not_sums_of_tenths():
    weights = {candidate.weights for candidate in Space(("rsf()",), (20,)).candidates(legs=2)}
    assert weights == {(part / 10, (10 - part) / 10) for part in range(11)}
    assert (0.3, 0.7) in weights


def test_the_default_space_stays_within_what_was_fetched():
    assert Space.default(legs=2, fetch_k=200).windows == (20, 50, 100, 200)
    assert Space.default(legs=2, fetch_k=1000).windows == (20, 50, 100, 200)
    assert Space.default(legs=2, fetch_k=120).windows == (20, 50, 100, 120)
    assert Space.default(legs=2, fetch_k=10).windows == (10,)
    assert Space.default(legs=2, fetch_k=200).size(2) == 9 * 4 * 11
    assert Space.default(legs=3, fetch_k=200).size(3) == 9 * 4 * 66
    assert Space.default(legs=4, fetch_k=200).size(4) == 9 * 4 * 56


def test_shares_are_parts_of_the_sum():
    assert Candidate(Rsf(), 20, (1.0, 3.0)).shares == (0.25, 0.75)


def test_a_candidate_takes_a_text_form():
    assert Candidate("rrf(k=2)", 20, (1.0,)) == Candidate(Rrf(k=2), 20, (1.0,))
    with pytest.raises(ConfigurationError, match="unknown fusion"):
        Candidate("nope()", 20, (1.0,))
    with pytest.raises(ConfigurationError, match="fusion is 3"):
        Candidate(3, 20, (1.0,))
    with pytest.raises(ConfigurationError, match="window is 0"):
        Candidate(Rsf(), 0, (1.0,))


def test_a_candidate_as_json():
    assert Candidate(Rrf(k=2), 20, (0.5, 0.5)).to_dict(["dense", "bm25"]) == {
        "fusion": "rrf(k=2)",
        "window": 20,
        "weights": {"dense": 0.5, "bm25": 0.5},
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"methods": ()}, "methods is empty"),
        ({"methods": "rsf()"}, "expected a list of fusions"),
        ({"methods": (3,)}, "methods hold 3"),
        ({"methods": ("rsf", "rsf()")}, r"methods is rsf\(\), rsf\(\); expected .* each once"),
        ({"methods": ("nope()",)}, "unknown fusion 'nope'"),
        ({"windows": ()}, "windows is empty"),
        ({"windows": (20, 20)}, "windows is 20, 20"),
        ({"windows": (0,)}, "a window is 0"),
        ({"windows": (True,)}, "a window is True"),
        ({"steps": 0}, "steps is 0"),
    ],
)
def test_a_space_that_is_none_is_refused(given, said):
    with pytest.raises(ConfigurationError, match=said):
        Space(**{"methods": ("rsf()",), **given})
