import json
import random
from dataclasses import replace
from itertools import product

import pytest

from plait.collection.tuning import Tuning
from plait.errors import ConfigurationError
from plait.evaluation import Qrels, Recording, Topics, bootstrap_interval, score_run
from plait.evaluation.tuning import Candidate, Space, tune
from plait.fusion import Learned, Rrf, Rsf
from plait.types import Ranking

ORIGIN = {"fusion": "rsf()", "weights": {"dense": 1.0, "bm25": 1.0}, "window": 10, "generation": 7}
SMALL = Space(("rsf()", "rrf(k=60)"), (5, 10), steps=10)


def collection(topics, dense, bm25, seed=0, legs=("dense", "bm25")):
    """Each leg puts the relevant hit first with this chance, else anywhere among ten."""
    chance = random.Random(seed)
    rankings, grades = {}, {}
    for topic in map(str, range(topics)):
        ids = [f"{topic}-{hit}" for hit in range(10)]
        rows = []
        for leg, good in zip(legs, (dense, bm25), strict=True):
            order = chance.sample(ids, 10)
            if chance.random() < good:
                order = [ids[0], *(id for id in order if id != ids[0])]
            scores = sorted((chance.random() for _ in ids), reverse=True)
            rows.append(Ranking(leg, tuple(order), tuple(scores)))
        rankings[topic] = tuple(rows)
        grades[topic] = {ids[0]: 1}
    topics_of = Topics({topic: f"question {topic}" for topic in rankings})
    recording = Recording(legs, topics_of, rankings, {}, 10, failures={}, origin=ORIGIN)
    return recording, Qrels(grades)


def test_a_leg_that_only_harms_loses_its_weight():
    result = tune(*collection(120, dense=0.0, bm25=1.0), space=SMALL)
    assert isinstance(result.tuning, Tuning)
    weights = dict(result.tuning.weights)
    assert weights["bm25"] > 0.7
    assert weights["bm25"] + weights["dense"] == pytest.approx(1.0)
    assert result.gain.low > 0
    assert result.p < 0.01
    assert result.answer.startswith("take bm25 alone, 10 candidates: nDCG@10 +0.")
    assert result.chosen.gain == pytest.approx(result.chosen.mean - result.default.mean)
    assert result.baseline.n == result.gain.n == 120


def test_evidence_is_stored_with_the_tuning():
    result = tune(*collection(120, dense=0.0, bm25=1.0), space=SMALL, seed=3)
    evidence = dict(result.tuning.evidence)
    assert evidence["gain"] == result.gain.mean
    assert evidence["generation"] == 7
    assert (evidence["seed"], evidence["folds"], evidence["topics"]) == (3, 5, 120)
    assert evidence["default"] == {
        "fusion": "rsf()",
        "window": 10,
        "weights": {"dense": 1.0, "bm25": 1.0},
    }
    assert Tuning.from_json(result.tuning.to_json()) == result.tuning


def test_legs_that_are_alike_keep_the_default():
    space = Space(("rsf()",), (10,))
    result = tune(*collection(120, dense=0.6, bm25=0.6), space=space)
    assert result.tuning is None
    assert result.answer.startswith("keep the default")
    assert result.gain.low <= 0


def test_few_labels_keep_the_default_however_large_the_gain():
    result = tune(*collection(20, dense=0.0, bm25=1.0), space=SMALL)
    assert result.gain.low > 0
    assert result.tuning is None
    assert result.answer == (
        "keep the default: 20 labelled queries are too few to tell, label at least 30"
    )


def test_what_is_held_out_takes_no_part_in_the_choice():
    # The labels of a fold decide nothing that is measured on it: a choice on the other folds stays
    # the same when they are turned around.
    recording, qrels = collection(60, dense=0.0, bm25=1.0)
    from plait.evaluation.tuning.folds import part

    fold = part([recording.topics[topic].text for topic in qrels], 5)
    turned = Qrels(
        {
            topic: (grades if number else {f"{topic}-9": 1})
            for number, (topic, grades) in zip(fold.tolist(), qrels.items(), strict=True)
        }
    )
    before, after = (tune(recording, each, space=SMALL) for each in (qrels, turned))
    assert before.folds[0] == after.folds[0]
    assert before.gain != after.gain


def test_the_same_seed_gives_the_same_result():
    taken = collection(60, dense=0.3, bm25=0.6)
    assert tune(*taken, space=SMALL) == tune(*taken, space=SMALL)
    assert tune(*taken, space=SMALL, seed=1).folds != () != tune(*taken, space=SMALL).folds


def test_from_200_topics_on_a_fusion_is_learned_too():
    fewer = tune(*collection(199, dense=0.2, bm25=0.8), space=SMALL)
    result = tune(*collection(200, dense=0.2, bm25=0.8), space=SMALL)
    assert fewer.learned is None
    assert result.learned is not None
    assert result.learned.low > 0
    learned = [each for each in result.tried if isinstance(each.candidate.fusion, Learned)]
    assert len(learned) == 1
    assert learned[0].candidate.window == 10
    assert len(result.tried) == SMALL.size(2) + 1  # the default is one of the grid


def test_a_learned_fusion_can_be_the_choice():
    # Ranks of "dense" say nothing but that it found the hit: no grid of weights can say that.
    chance = random.Random(1)
    recording, qrels = collection(240, dense=0.0, bm25=0.3)
    rankings = {}
    for topic, (_, bm25) in recording.rankings.items():
        found = chance.sample([f"{topic}-{hit}" for hit in range(1, 10)], 3)
        first = chance.sample([*found, f"{topic}-0"], 4)
        scores = tuple(sorted((chance.random() for _ in first), reverse=True))
        rankings[topic] = (Ranking("dense", tuple(first), scores), bm25)
    space = Space(("rsf()",), (10,), steps=2)
    result = tune(replace(recording, rankings=rankings), qrels, space=space)
    assert isinstance(result.tuning.fusion, Learned)
    assert dict(result.tuning.weights) == {"dense": 1.0, "bm25": 1.0}
    assert result.answer.startswith("take the learned fusion over 10 candidates")
    assert result.stability > 0
    assert Tuning.from_json(result.tuning.to_json()) == result.tuning


def test_where_nothing_can_be_learned_the_result_says_so():
    recording, qrels = collection(200, dense=1.0, bm25=1.0)
    only = {topic: {f"{topic}-{hit}": 1 for hit in range(10)} for topic in qrels}
    result = tune(recording, Qrels(only), space=SMALL)
    assert result.learned is None
    assert any(note.startswith("no fusion was learned: nothing to learn") for note in result.notes)


def test_three_legs():
    recording, qrels = collection(60, dense=0.0, bm25=1.0)
    rankings = {
        topic: (*rows, Ranking("title", (), ())) for topic, rows in recording.rankings.items()
    }
    three = replace(
        recording,
        legs=("dense", "bm25", "title"),
        rankings=rankings,
        origin={**ORIGIN, "weights": {"dense": 1.0, "bm25": 1.0, "title": 1.0}},
    )
    result = tune(three, qrels, space=Space(("rsf()",), (10,), steps=5))
    assert result.size == 21 + 1  # equal thirds are no fifths
    assert set(result.tuning.weights) == {"dense", "bm25", "title"}
    assert result.tuning.weights["bm25"] > 3 * result.tuning.weights["dense"]


def test_the_default_is_what_is_given():
    recording, qrels = collection(60, dense=0.0, bm25=1.0)
    alone = Candidate(Rsf(), 10, (0.0, 1.0))
    result = tune(recording, qrels, default=alone, space=SMALL)
    assert result.default.candidate == alone
    assert result.default.mean == pytest.approx(1.0)
    assert result.tuning is None
    assert result.answer == "keep the default: nothing that was tried is better by more than chance"


def test_a_single_leg_keeps_what_it_is():
    recording, qrels = collection(40, dense=0.5, bm25=0.5)
    alone = replace(
        recording,
        legs=("dense",),
        rankings={topic: rows[:1] for topic, rows in recording.rankings.items()},
        origin={**ORIGIN, "weights": {"dense": 1.0}},
    )
    result = tune(alone, qrels)
    assert result.tuning is None
    assert result.chosen == result.default


def test_topics_left_out_and_failures_are_told():
    recording, qrels = collection(40, dense=0.5, bm25=0.5)
    failing = replace(recording, failures={"3": {"dense": "LegTimeoutError"}})
    result = tune(failing, Qrels({t: qrels[t] for t in list(qrels)[:35]}), space=SMALL)
    assert result.gain.n == 35
    assert result.notes == (
        "5 topics have no judgments and are left out",
        "a leg failed on 1 topics, which count with what was returned",
    )


def test_the_best_of_each_method_and_each_leg_alone_are_shown_best_first():
    result = tune(*collection(40, dense=0.2, bm25=0.7), space=SMALL)
    kinds = [
        str(each.candidate.fusion) if all(each.candidate.weights) else each.candidate.weights
        for each in result.best
    ]
    assert sorted(map(str, kinds)) == ["(0.0, 1.0)", "(1.0, 0.0)", "rrf(k=60)", "rsf()"]
    means = [each.mean for each in result.best]
    assert means == sorted(means, reverse=True)
    for each, other in product(result.best, result.tried):
        if each.candidate.fusion == other.candidate.fusion and all(other.candidate.weights):
            assert each.mean >= other.mean or not all(each.candidate.weights)


def test_a_result_is_json():
    for taken in (collection(60, dense=0.0, bm25=1.0), collection(20, dense=0.5, bm25=0.5)):
        result = tune(*taken, space=SMALL)
        values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert values["answer"] == result.answer
        assert values["gain"]["mean"] == result.gain.mean
        assert values["tuning"] == (None if result.tuning is None else result.tuning.to_dict())
        assert [fold["fusion"] for fold in values["folds"]] == [
            str(fold.fusion) for fold in result.folds
        ]
        assert values["best"][0]["mean"] == max(each.mean for each in result.tried)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"measure": "nDCG"}, "measure is 'nDCG'; tuning looks at"),
        ({"folds": 1}, "folds is 1"),
        ({"folds": 41}, "41 folds for 40 different queries"),
        ({"space": Space(("rsf()",), (20,))}, "window of 20 .* 10 candidates of each leg were"),
        ({"default": Candidate(Rrf(), 500, (1.0, 1.0))}, "window of 500"),
        ({"default": Candidate(Rrf(), 10, (1.0,))}, "weights is"),
    ],
)
def test_bad_arguments_are_refused(given, said):
    with pytest.raises(ConfigurationError, match=said):
        tune(*collection(40, dense=0.5, bm25=0.5), **given)


def test_judgments_of_other_topics_are_refused():
    recording, _ = collection(40, dense=0.5, bm25=0.5)
    with pytest.raises(ConfigurationError, match="none of the 40 topics has judgments"):
        tune(recording, Qrels({"q1": {"x": 1}}))


def test_a_recording_that_does_not_say_how_it_was_fused_needs_a_default():
    recording, qrels = collection(40, dense=0.5, bm25=0.5)
    with pytest.raises(ConfigurationError, match="say what to compare with"):
        tune(replace(recording, origin={}), qrels)


@pytest.mark.parametrize("measure", ["nDCG@10", "RR@3", "AP@5"])
def test_figures_are_those_of_the_fused_runs(measure):
    recording, qrels = collection(40, dense=0.2, bm25=0.7)
    result = tune(recording, qrels, space=SMALL, measure=measure)
    for tried in (result.default, result.chosen, *result.best):
        candidate = tried.candidate
        run = recording.fused(candidate.fusion, candidate.weights, window=candidate.window)
        figures = score_run(run, qrels, [measure])
        assert tried.mean == pytest.approx(figures.means[measure].mean, abs=1e-12)
    assert result.baseline.mean == pytest.approx(result.default.mean)


def test_labels_that_are_noise_keep_the_default():
    """Where no fusion can be better, the interval of the best of many is hardly ever above 0."""
    space = Space(("rsf()", "rrf(k=60)", "zscore()"), (5, 10), steps=5)
    results = [
        tune(*collection(40, dense=0.0, bm25=0.0, seed=seed), space=space, seed=seed)
        for seed in range(60)
    ]
    assert sum(result.chosen != result.default for result in results) > 20
    assert sum(result.tuning is not None for result in results) <= 1


@pytest.mark.parametrize(("folds", "wider"), [(5, 1.5), (2, 3**0.5)])
def test_the_interval_allows_for_folds_that_share_topics(folds, wider):
    """√(1 + 5/4) = 1.5 times as wide as if what the folds choose were independent."""
    recording, qrels = collection(60, dense=0.2, bm25=0.8)
    only = Space(("rsf()",), (10,), steps=1)  # dense alone or bm25 alone
    result = tune(recording, qrels, space=only, folds=folds)
    assert {fold.weights for fold in result.folds} == {(0.0, 1.0)}
    measured = {
        weights: score_run(recording.fused("rsf()", weights, window=10), qrels, ["nDCG@10"])
        for weights in ((1.0, 1.0), (0.0, 1.0))
    }
    gains = [
        measured[0.0, 1.0].per_query[topic]["nDCG@10"]
        - measured[1.0, 1.0].per_query[topic]["nDCG@10"]
        for topic in recording.topics
    ]
    low, high = bootstrap_interval(gains)
    mean = sum(gains) / len(gains)
    assert result.gain.mean == pytest.approx(mean)
    assert result.gain.low == pytest.approx(mean - wider * (mean - low))
    assert result.gain.high == pytest.approx(mean + wider * (high - mean))
