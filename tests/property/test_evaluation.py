"""What holds for every run, every set of judgments and every file of them."""

import math
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.evaluation import Qrels, Run, read_qrels, read_run, score_run, write_run
from plait.evaluation.statistics import bootstrap_interval, holm, randomization_test

IDS = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6)
SCORES = st.floats(allow_nan=False, allow_infinity=False)
RANKINGS = st.lists(st.tuples(IDS, SCORES), max_size=12).map(
    lambda pairs: tuple(sorted(pairs, key=lambda pair: -pair[1]))
)
RUNS = st.dictionaries(IDS, RANKINGS, max_size=4).map(lambda rankings: Run("r", rankings))
GRADES = st.dictionaries(IDS, st.integers(-2, 3), min_size=1, max_size=8)
MEASURES = ["nDCG@3", "nDCG", "R@3", "P@3", "RR", "RR@3", "AP", "Success@3", "Judged@3"]


@settings(deadline=None)
@given(RANKINGS, GRADES)
def test_measures_are_between_0_and_1(
    ranking: tuple[tuple[str, float], ...], grades: dict[str, int]
) -> None:
    found = score_run(Run("r", {"1": ranking}), Qrels({"1": grades}), MEASURES)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in found.per_query["1"].values())
    assert all(each.low <= each.mean <= each.high for each in found.means.values())


@settings(deadline=None)
@given(GRADES)
def test_the_ideal_order_has_the_full_gain(grades: dict[str, int]) -> None:
    best = sorted(grades, key=lambda name: -grades[name])
    run = Run("r", {"1": tuple((name, 1.0) for name in best)})
    found = score_run(run, Qrels({"1": grades}), ["nDCG", "RR"]).per_query["1"]
    expected = 1.0 if max(grades.values()) > 0 else 0.0
    assert math.isclose(found["nDCG"], expected)
    assert found["RR"] == expected


@settings(deadline=None)
@given(RUNS)
def test_a_written_run_is_read_in_its_order(run: Run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run")
        write_run(run, path)
        if not any(run.rankings.values()):
            assert path.read_text() == ""
            return
        again = read_run(path)
    for topic, ranking in run.rankings.items():
        expected = list(dict.fromkeys(document for document, _ in ranking))
        assert [document for document, _ in again.rankings.get(topic, ())] == expected
        written = np.array([score for _, score in again.rankings.get(topic, ())], dtype=np.float32)
        assert all(above > below for above, below in pairwise(written))


@settings(deadline=None)
@given(st.dictionaries(IDS, GRADES, min_size=1, max_size=4))
def test_judgments_are_read_alike_from_both_formats(grades: dict[str, dict[str, int]]) -> None:
    rows = [
        (topic, name, grade) for topic, judged in grades.items() for name, grade in judged.items()
    ]
    with tempfile.TemporaryDirectory() as folder:
        trec, beir = Path(folder, "trec"), Path(folder, "beir")
        trec.write_text("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows), encoding="utf-8")
        header = "query-id\tcorpus-id\tscore\n"
        beir.write_text(header + "".join(f"{t}\t{d}\t{g}\n" for t, d, g in rows), encoding="utf-8")
        assert read_qrels(trec) == read_qrels(beir) == grades


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 5))
def test_an_interval_stays_among_the_values(values: list[float], seed: int) -> None:
    low, high = bootstrap_interval(values, rounds=200, seed=seed)
    assert min(values) <= low <= high <= max(values)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=14))
def test_a_p_value_is_one(pairs: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    p = randomization_test(first, second, rounds=500)
    assert 0 < p <= 1
    assert p == randomization_test(second, first, rounds=500)


@given(st.lists(st.floats(0, 1), max_size=12))
def test_correction_never_helps_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    assert all(adjusted[a] <= adjusted[b] for a, b in pairwise(order))
