"""From answers written by hand to the weights that they speak for."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest

from plait.collection.settings import PRIOR
from plait.errors import ConfigurationError, RetrievalError
from plait.evaluation import Recording
from plait.evaluation.self_supervised import weigh
from plait.fusion import Auto

Recorded = Callable[..., Recording]

HITS = tuple(f"h{n}" for n in range(99))
"""Others; behind a first hit each is ahead of the next by a hundredth of the spread."""

Answers = dict[str, tuple[tuple[str, ...], tuple[str, ...]]]


def dense_knows(count: int, prefix: str = "d") -> Answers:
    """Dense finds the chunk, just ahead of another that is all that bm25 is sure of."""
    names = [f"{prefix}{n}" for n in range(count)]
    return {name: ((name, *HITS), (HITS[0], "y", "z")) for name in names}


def bm25_knows(count: int, prefix: str = "b") -> Answers:
    return {name: legs[::-1] for name, legs in dense_knows(count, prefix).items()}


def test_the_curve_is_the_measure_of_each_mix(recorded: Recorded) -> None:
    # Min-max 1, 1/2, 0 in both legs, which are trusted alike. With w for dense the chunk has w, x
    # w/2 + 1 - w, y (1 - w)/2: it is first from w > 2/3 on, second from w > 1/3, then third, and
    # with bm25 alone it is not found.
    answers = {f"t{n}": ((f"t{n}", "x", "v"), ("x", "y", "u")) for n in range(40)}
    result = weigh(recorded(answers), None, seed=5, generation=9)
    third, second = 1 / math.log2(4), 1 / math.log2(3)
    assert list(result.curve) == [n / 10 for n in range(11)]
    assert list(result.curve.values()) == pytest.approx(
        [0, third, third, third, second, second, second, 1, 1, 1, 1]
    )
    assert result.as_good == (0.7, 1.0)
    assert result.answer == (
        "take dense 0.7, bm25 0.3: on 40 sentences a dense weight from 0.7 to 1 is as good as any"
    )
    tuning = result.tuning
    assert tuning is not None
    assert tuning.options == {
        "fusion": Auto(),
        "weights": {"dense": 0.7, "bm25": 0.3},
        "window": 200,
    }
    assert tuning.evidence == {
        "by": "held-out sentences",
        "measure": "nDCG@10",
        "sentences": 40,
        "queries": 0,
        "effective": 40.0,
        "curve": [round(value, 6) for value in result.curve.values()],
        "as_good": [0.7, 1.0],
        "seed": 5,
        "generation": 9,
    }


@pytest.mark.parametrize(
    ("answers", "dense"), [(dense_knows(30), 1.0), (bm25_knows(30), 0.0)], ids=["dense", "bm25"]
)
def test_weights_reach_both_ends(recorded: Recorded, answers: Answers, dense: float) -> None:
    result = weigh(recorded(answers), None, seed=0)
    assert result.curve[dense] == 1.0
    assert result.tuning is not None
    assert result.tuning.weights == {"dense": dense, "bm25": 1 - dense}
    assert result.as_good == (dense, dense)
    assert result.answer == (
        f"take dense {dense:g}, bm25 {1 - dense:g}: on 30 sentences no other weight is as good"
    )


@pytest.mark.parametrize("found", [True, False])
def test_where_no_weight_matters_the_default_is_kept(recorded: Recorded, found: bool) -> None:
    names = [f"t{n}" for n in range(50)]
    same = {name: ((name, "x") if found else ("x", "y"),) * 2 for name in names}
    result = weigh(recorded(same), None, seed=0)
    assert set(result.curve.values()) == {float(found)}
    assert result.tuning is not None
    assert result.tuning.weights == PRIOR
    assert result.as_good == (0.0, 1.0)
    assert result.answer == (
        "keep the default weights, dense 0.3, bm25 0.7: on 50 sentences a dense weight from 0 to 1 "
        "is as good as any"
    )


def test_a_curve_that_finds_hardly_anything_says_so(recorded: Recorded) -> None:
    lost = {f"t{n}": (HITS[:5], HITS[:5]) for n in range(59)}
    found = {"found": (("found", *HITS), HITS)}
    result = weigh(recorded({**lost, **found}), None, seed=0)
    (note,) = result.notes
    assert note.startswith("hardly any sentence finds its chunk, nDCG@10 0.017 at best:")  # 1/60
    assert weigh(recorded(dense_knows(40)), None, seed=0).notes == ()


def test_thin_evidence_changes_nothing(recorded: Recorded) -> None:
    result = weigh(recorded(dense_knows(29)), None, seed=0)
    assert result.tuning is None
    assert result.curve[1.0] == 1.0
    assert result.answer == (
        "keep the default weights: 29 sentences' worth of evidence, at least 30 are needed"
    )


def test_a_difference_within_its_error_is_none(recorded: Recorded) -> None:
    # Dense alone is right once more than any mix, of 61: mean 1/61, error about as much.
    names = [f"t{n}" for n in range(60)]
    even = {name: ((name, "x"), (name, "x")) for name in names}
    result = weigh(recorded(even | dense_knows(1)), None, seed=0)
    best = max(result.curve.values())
    assert result.curve[1.0] == best > result.curve[0.3]
    assert result.tuning is not None
    assert result.tuning.weights == PRIOR
    # Ten times as often it is one.
    result = weigh(recorded(even | dense_knows(10)), None, seed=0)
    assert result.tuning is not None
    assert result.tuning.weights["dense"] == 1.0


def test_the_order_of_the_legs_is_that_of_the_recording(recorded: Recorded) -> None:
    turned = {name: legs[::-1] for name, legs in dense_knows(30).items()}
    result = weigh(recorded(turned, legs=("bm25", "dense")), None, seed=0)
    assert result.legs == ("bm25", "dense")
    assert result.tuning is not None
    assert result.tuning.weights == {"bm25": 0.0, "dense": 1.0}
    assert result.as_good == (0.0, 0.0)


class TestQueries:
    def test_sentences_count_as_far_as_they_are_like_what_users_ask(
        self, recorded: Recorded
    ) -> None:
        both = recorded(dense_knows(100) | bm25_knows(100))
        for queries, dense in ((dense_knows(50, "q"), 1.0), (bm25_knows(50, "q"), 0.0)):
            result = weigh(both, recorded(queries), seed=0)
            assert result.tuning is not None
            assert result.tuning.weights["dense"] == dense
            assert (result.sentences, result.queries) == (200, 50)
            # Half of the sentences are like them, and the other half hardly counts.
            assert 90 < result.effective < 120
            assert result.tuning.evidence["queries"] == 50
            assert result.curve[dense] > 0.9

    def test_queries_that_are_like_the_sentences_change_nothing(self, recorded: Recorded) -> None:
        both = recorded(dense_knows(60) | bm25_knows(40))
        result = weigh(both, recorded(dense_knows(60, "q") | bm25_knows(40, "r")), seed=0)
        alone = weigh(both, None, seed=0)
        assert result.curve == pytest.approx(dict(alone.curve))
        assert result.effective == pytest.approx(100)
        assert result.tuning is not None
        assert alone.tuning is not None
        assert result.tuning.weights == alone.tuning.weights

    def test_too_few_like_them_change_nothing(self, recorded: Recorded) -> None:
        both = recorded(dense_knows(10) | bm25_knows(200))
        result = weigh(both, recorded(dense_knows(50, "q")), seed=0)
        assert result.effective < 30
        assert result.tuning is None
        assert "sentences' worth of evidence, at least 30 are needed" in result.answer


class TestFailures:
    def test_sentences_and_queries_that_failed_are_left_out(self, recorded: Recorded) -> None:
        whole = dense_knows(40)
        failed: dict[str, Any] = {f"d{n}": {"dense": "OSError: gone"} for n in range(5)}
        answers = whole | {name: ((), whole[name][1]) for name in failed}
        queries = {"q1": ((), ("x",)), **dense_knows(9, "q")}
        result = weigh(
            recorded(answers, failures=failed),
            recorded(queries, failures={"q1": {"dense": "OSError: gone"}}),
            seed=0,
        )
        assert (result.sentences, result.queries) == (35, 8)
        assert result.curve[1.0] == 1.0
        assert result.notes == (
            "a leg failed for 5 of 40 sentences, which are left out",
            "a leg failed for 1 of 9 queries, which are left out",
        )

    @pytest.mark.parametrize("what", ["sentences", "queries"])
    def test_nothing_is_learned_from_failures_alone(self, recorded: Recorded, what: str) -> None:
        whole = dense_knows(40)
        failures = {name: {"dense": "OSError: gone"} for name in whole}
        good, bad = recorded(whole), recorded(whole, failures=failures)
        given = (bad, None) if what == "sentences" else (good, bad)
        with pytest.raises(RetrievalError) as error:
            weigh(*given, seed=0)
        assert str(error.value) == (f"a leg failed for all of the 40 {what}: dense: OSError: gone")

    def test_the_legs_are_those_of_a_collection(self, recorded: Recorded) -> None:
        other = recorded({"t": (("t",), ("t",))}, legs=("a", "bm25"))
        with pytest.raises(ConfigurationError, match="the legs are a, bm25; expected the two"):
            weigh(other, None, seed=0)
        turned = recorded({"t": (("t",), ("t",))}, legs=("bm25", "dense"))
        with pytest.raises(ConfigurationError, match="of both recordings in the same order"):
            weigh(recorded(dense_knows(1)), turned, seed=0)


def test_it_is_json(recorded: Recorded) -> None:
    result = weigh(recorded(dense_knows(30)), None, seed=3)
    values = json.loads(json.dumps(result.to_dict()))
    assert values["curve"][10] == {"weight": 1.0, "nDCG@10": 1.0}
    assert result.tuning is not None
    assert values["tuning"] == result.tuning.to_dict()
    assert (values["legs"], values["seed"], values["as_good"]) == (["dense", "bm25"], 3, [1.0, 1.0])
    assert weigh(recorded(dense_knows(3)), None, seed=3).to_dict()["tuning"] is None


def test_the_curve_cannot_be_changed(recorded: Recorded) -> None:
    result = weigh(recorded(dense_knows(30)), None, seed=3)
    with pytest.raises(TypeError):
        result.curve[0.5] = 1.0  # type: ignore[index]
