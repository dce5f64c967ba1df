"""Measures and run files against pytrec_eval, which is trec_eval itself.

Random runs with ties, repeated and unjudged documents, negative grades, topics without results and
topics without judgments.
"""

import random
from pathlib import Path

import pytest

from plait.evaluation import Qrels, Run, read_run, score_run, write_run

pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = {
    "nDCG@10": "ndcg_cut_10",
    "nDCG": "ndcg",
    "R@5": "recall_5",
    "R@100": "recall_100",
    "P@5": "P_5",
    "RR": "recip_rank",
    "AP": "map",
    "AP@10": "map_cut_10",
    "Success@1": "success_1",
    "Success@5": "success_5",
}


def cases(seed: int) -> tuple[Run, Qrels]:
    draw = random.Random(seed)
    documents = [f"d{n}" for n in range(60)]
    grades = {
        str(topic): {
            name: draw.choice([-1, 0, 0, 1, 1, 2, 3]) for name in draw.sample(documents, 15)
        }
        for topic in range(12)
    }
    rankings = {}
    for topic in range(2, 14):  # 0 and 1 have no results, 12 and 13 no judgments
        names = draw.choices(documents, k=draw.choice([0, 1, 40]))  # with repetitions
        scores = sorted((draw.choice([0.1, 0.5, 0.5, 1 / 3, 2.0]) for _ in names), reverse=True)
        rankings[str(topic)] = tuple(zip(names, scores, strict=True))
    return Run("r", rankings), Qrels(grades)


def by_trec_eval(scores: dict[str, dict[str, float]], qrels: Qrels) -> dict[str, dict[str, float]]:
    # Grades below 0 corrupt the memory of trec_eval's library. They are not relevant, as 0 is.
    plain = {
        topic: {name: max(grade, 0) for name, grade in grades.items()}
        for topic, grades in qrels.items()
    }
    found = pytrec_eval.RelevanceEvaluator(plain, set(NAMES.values())).evaluate(scores)
    return {
        topic: {ours: found[topic][theirs] for ours, theirs in NAMES.items()} for topic in found
    }


@pytest.mark.parametrize("seed", range(20))
def test_measures(seed: int) -> None:
    run, qrels = cases(seed)
    # The same order without ties, each document once at its best place.
    scores = {
        topic: {
            name: float(-rank)
            for rank, name in enumerate(dict.fromkeys(name for name, _ in ranking))
        }
        for topic, ranking in run.rankings.items()
    }
    oracle = by_trec_eval(scores, qrels)
    found = score_run(run, qrels, list(NAMES))
    assert set(found.per_query) == set(qrels)
    for topic, values in found.per_query.items():
        expected = oracle.get(topic, dict.fromkeys(NAMES, 0.0))
        assert dict(values) == pytest.approx(expected, abs=1e-12)
    # A mean over all judged topics, as trec_eval -c has it.
    for measure, mean in found.means.items():
        total = sum(oracle.get(topic, {}).get(measure, 0.0) for topic in qrels)
        assert mean.mean == pytest.approx(total / len(qrels))


@pytest.mark.parametrize("seed", range(20))
def test_an_exported_run_has_our_order_for_trec_eval(seed: int, tmp_path: Path) -> None:
    run, qrels = cases(seed)
    write_run(run, tmp_path / "run")
    with (tmp_path / "run").open() as file:
        theirs = pytrec_eval.parse_run(file)
    assert by_trec_eval(theirs, qrels).keys() == {
        topic for topic, ranking in run.rankings.items() if ranking and topic in qrels
    }
    ours = score_run(run, qrels, list(NAMES))
    for topic, values in by_trec_eval(theirs, qrels).items():
        assert values == pytest.approx(dict(ours.per_query[topic]), abs=1e-12)
    # Each place by itself: only the document there is relevant.
    for topic, ranking in run.rankings.items():
        order = list(dict.fromkeys(name for name, _ in ranking))
        for rank, name in enumerate(order, start=1):
            only = Qrels({topic: {name: 1}})
            assert by_trec_eval(theirs, only)[topic]["RR"] == pytest.approx(1 / rank)


@pytest.mark.parametrize("seed", range(20))
def test_a_foreign_run_is_read_as_trec_eval_reads_it(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    _, qrels = cases(seed)
    lines = [
        f"{topic} Q0 d{n} 0 {draw.choice(['0.5', '.25', '1e-3', '0.50000001', '-2', '7'])} tag"
        for topic in range(12)
        for n in draw.sample(range(60), 30)
    ]
    draw.shuffle(lines)
    (tmp_path / "run").write_text("\n".join(lines))
    with (tmp_path / "run").open() as file:
        oracle = by_trec_eval(pytrec_eval.parse_run(file), qrels)
    found = score_run(read_run(tmp_path / "run"), qrels, list(NAMES))
    for topic, values in found.per_query.items():
        assert dict(values) == pytest.approx(oracle[topic], abs=1e-12)
