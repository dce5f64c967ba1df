"""The study of rivals: its arithmetic by hand, and a tiny run of every section.

The run has no environments, so it asks those systems that can be imported here. It looks at what
they found, never at how long they took.
"""

import gzip
import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = 400
QUERIES = 20  # of a batch


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def run(*arguments):
    command = [sys.executable, "benchmarks/rivals", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A collection in BEIR's shape, and vectors of two."""
    place = tmp_path_factory.mktemp("rivals")
    (place / "data" / "codes").mkdir(parents=True)
    corpus = [{"_id": f"E{n}", "title": f"Error E{n}", "text": "The cause."} for n in range(40)]
    queries = [{"_id": f"q{n}", "text": f"What is E{n}?"} for n in range(10)]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        with gzip.open(place / "data" / "codes" / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    draw = np.random.default_rng(0)
    subjects = draw.normal(size=(10, 16))
    for name, count in (("one", 150), ("two", 100)):
        (place / "vectors" / name).mkdir(parents=True)
        rows = {
            part: subjects[draw.integers(0, 10, n)] + 0.3 * draw.normal(size=(n, 16))
            for part, n in (("docs", count), ("queries", 30))
        }
        np.savez(place / "vectors" / name / "small.npz", **rows)
    return place


@pytest.fixture(scope="module")
def study(inputs):
    """The results of every section, by name."""
    given = [
        "--work", inputs / "work", "--rounds", 4, "--data", inputs / "data",
        "--collections", "codes", "--vectors", inputs / "vectors", "--model", "small",
        "--results", inputs / "results",
    ]  # fmt: skip
    others = ("lexical", "dense", "hybrid", "indexing", "opening")
    run(*given, "--documents", DOCUMENTS, "--only", *others)
    run(*given, "--documents", QUERIES, "--only", "fusing")
    return {
        path.stem.removeprefix("rivals-"): json.loads(path.read_text())
        for path in (inputs / "results").glob("rivals-*.json")
    }


def test_a_run_has_every_section(study):
    from rivals.sections import SECTIONS

    assert set(study) == set(SECTIONS)
    for result in study.values():
        assert result["machine"]["versions"]["plait"]
        assert all(version for each in result["systems"].values() for version in each.values())


def test_lexical_finds_the_exact_best(study):
    rows = {(row["corpus"], row["end"], row["top_k"]): row for row in study["lexical"]["rows"]}
    assert [key for key in rows if key[0] == "real-codes"] == [
        ("real-codes", "ids", 10), ("real-codes", "ids", 200), ("real-codes", "contents", 10),
    ]  # fmt: skip
    for (_, end, _), row in rows.items():
        assert {"plait", "bm25s", "SQLite FTS5"} <= set(row["systems"])
        for name in ("plait", "bm25s") if end == "ids" else ():
            assert row["systems"][name]["recall"] == 1.0
            assert row["systems"][name]["asked"] == 4


def test_dense_finds_the_exact_nearest(study):
    dense = study["dense"]
    for row in dense["rows"]:
        assert row["documents"] == DOCUMENTS
        assert row["systems"]["plait"]["recall"] == 1.0
        assert row["systems"]["plait, both cores"]["recall"] == 1.0
        assert row["building"]["plait"]["first_answer_s"] > 0
    assert [(each["documents"], each["recall@10"]) for each in dense["sets"]] == [
        (150, 1.0),
        (100, 1.0),
    ]
    facts = dense["facts"][f"both-{DOCUMENTS}"]
    assert facts["sigma"] > 0
    assert facts["tenth_neighbor_made"] == pytest.approx(facts["tenth_neighbor_real"], rel=0.1)


def test_hybrid_finds_what_exact_legs_would(study):
    ids, contents = study["hybrid"]["rows"]
    assert ids["systems"]["plait"]["recall"] == 1.0
    assert ids["systems"]["plait"]["dense_recall"] == 1.0
    assert {"plait, bm25 alone", "plait, dense alone"} <= set(ids["systems"])
    assert set(contents["systems"]) >= {"plait", "plait, snippets too"}


def test_fusing_agrees(study):
    # A section raises if the two find other scores.
    rows = [(row["end"], row["method"], row["queries"]) for row in study["fusing"]["rows"]]
    assert ("explain", "rrf", 1) in rows
    assert ("many", "min-max", QUERIES) in rows
    many = next(row for row in study["fusing"]["rows"] if row["end"] == "many")
    assert set(many["systems"]) == {"plait, fusing", "ranx"}


def test_indexing_and_opening(study):
    for row in study["indexing"]["rows"]:
        assert {"plait", "plait, default analyzer", "bm25s"} <= set(row["systems"])
    (row,) = study["opening"]["rows"]
    assert row["systems"]["plait"]["asked"] == 4


def test_the_page_of_any_results(study, inputs):
    from rivals.page import rivals

    text = "\n".join(rivals(inputs / "results"))
    for title in ("By words", "By vectors", "Hybrid", "Fusion alone", "Indexing", "Opening"):
        assert f"\n### {title}\n" in text
    assert "| lexical | top 10 of 1M, of tantivy's time | ≤ 0.35 × | not measured | – |" in text
    assert f"| {DOCUMENTS}: top 10 |" in text
    assert "| set | passages | recall@10 | recall@200 |" in text


def test_no_results_no_page(tmp_path):
    from rivals.page import rivals

    assert list(rivals(tmp_path)) == []


class TestTruth:
    def test_best_by_words(self):
        from rivals.truth import best_by_words

        texts = ["a b", "a a", "c", "b a", "a c"]
        (numbers,), (scores,) = best_by_words(texts, ["a"], 2)
        # N = 5, n = 4, lengths 2 2 1 2 2, mean 1.8; "a a" is first, the others are equal.
        idf = math.log(1 + 1.5 / 4.5)
        norm = 1.5 * (0.25 + 0.75 * 2 / 1.8)
        assert numbers.tolist() == [1, 0, 3, 4]
        assert scores == pytest.approx([idf * 2 / (2 + norm), *[idf / (1 + norm)] * 3])

    def test_a_word_asked_twice_counts_twice(self):
        from rivals.truth import best_by_words

        _, ((one,), (two,)) = best_by_words(["a", "b"], ["a", "a a"], 5)
        assert two == pytest.approx(2 * one)

    def test_recall_takes_any_of_equal_documents(self):
        from rivals.truth import recall

        best, scores = [4, 7, 8, 9], [3.0, 2.0, 2.0, 1.0]
        assert recall([4, 8, 1], best, scores, 2) == 1.0
        assert recall([9, 4], best, scores, 2) == 0.5
        assert recall([], [], [], 2) == 1.0

    def test_fused(self):
        from rivals.truth import FusedTruth

        # 1: 1/61 + 1/62; 2: 1/62 + 1/61; 3: 1/63; 4 and 5 are equal in the second: 1/63 each.
        legs = (([1, 2, 3], [3.0, 2.0, 1.0]), ([2, 1, 4, 5], [9.0, 8.0, 7.0, 7.0]))
        truth = FusedTruth(legs, window=3)
        assert truth.recall([2, 1], 2) == 1.0
        assert truth.recall([1, 2, 5], 3) == 1.0
        assert truth.recall([1, 6, 5], 3) == pytest.approx(2 / 3)


class TestVectors:
    def test_nearest(self, monkeypatch):
        from rivals import vectors

        monkeypatch.setattr(vectors, "_BLOCK", 3)
        draw = np.random.default_rng(1)
        rows = draw.normal(size=(20, 4)).astype(np.float32)
        queries = draw.normal(size=(2, 4)).astype(np.float32)
        numbers, scores = vectors.nearest(rows, queries, 5)
        exact = queries.astype(float) @ rows.astype(float).T
        assert numbers.tolist() == np.argsort(-exact, axis=1)[:, :5].tolist()
        assert scores == pytest.approx(-np.sort(-exact, axis=1)[:, :5])

    def test_no_more_than_there_are_are_the_real_ones(self):
        from rivals.vectors import enlarged, matching_sigma

        rows = np.eye(6, dtype=np.float32)
        assert matching_sigma(rows, 4)[0] == 0
        made = enlarged(rows, 6, 0.0)
        assert sorted(made.tolist()) == sorted(rows.tolist())

    def test_made_vectors_have_length_one(self):
        from rivals.vectors import enlarged

        made = enlarged(np.eye(3, dtype=np.float32), 50, 0.5)
        assert made.shape == (50, 3)
        assert np.linalg.norm(made, axis=1) == pytest.approx(np.ones(50))


class TestTurns:
    def study(self, rounds, budget):
        from rivals.running import Study

        return Study(Path(), Path(), None, rounds, budget)

    def test_everyone_is_asked_in_every_turn(self, monkeypatch):
        from rivals import running
        from rivals.running import Answer, spread_of_turns, take_turns

        monkeypatch.setattr(running, "TURN", 2)

        asked = []

        def ask(name):
            return lambda number: asked.append((name, number)) or Answer(1.0, number)

        answers = take_turns({"a": ask("a"), "b": ask("b")}, self.study(3, 9), start=5, warming=2)
        assert [answer.value for answer in answers["a"]] == [5, 6, 7]
        assert asked == [
            ("a", 8), ("a", 9), ("b", 8), ("b", 9),
            ("a", 5), ("a", 6), ("b", 5), ("b", 6), ("a", 7), ("b", 7),
        ]  # fmt: skip
        times = [Answer(ms, None) for ms in (7.0, 1.0, 9.0, 2.0)]
        assert spread_of_turns(times)["first_ms"] == 8.0
        assert spread_of_turns(times)["median_ms"] == 4.5

    def test_the_slow_leave_when_their_budget_is_used_up(self):
        from rivals.running import FEWEST, Answer, take_turns

        asks = {"slow": lambda _: Answer(900.0, 0), "quick": lambda _: Answer(1.0, 0)}
        answers = take_turns(asks, self.study(20, 7))
        assert len(answers["slow"]) == 8 > FEWEST  # 7.2 s are more than 7
        assert len(answers["quick"]) == 20

    def test_a_slow_one_is_not_warmed_for_long(self):
        from rivals.running import WARMING, Answer, take_turns

        asked = {"slow": 0, "quick": 0}

        def ask(name, ms):
            def answer(_):
                asked[name] += 1
                return Answer(ms, 0)

            return answer

        take_turns({"slow": ask("slow", 900.0), "quick": ask("quick", 1.0)}, self.study(5, 20))
        assert asked == {"slow": 5 + 5, "quick": WARMING + 5}  # 4.5 s are more than a fifth of 20

    def test_spread(self):
        from rivals.running import Answer, spread

        times = [Answer(ms, None) for ms in (5.0, 1.0, 3.0, 2.0, 4.0)]
        assert spread(times) == {"median_ms": 3.0, "quartiles_ms": [2.0, 4.0], "asked": 5}
        assert spread(times[:1]) == {"median_ms": 5.0, "quartiles_ms": [5.0, 5.0], "asked": 1}


class TestTargets:
    def test_judged(self):
        from rivals.targets import judged

        def row(documents, top_k, plait, tantivy):
            systems = {"plait": {"median_ms": plait}, "tantivy": {"median_ms": tantivy}}
            return {
                "corpus": f"words-{documents}", "documents": documents, "end": "ids",
                "top_k": top_k, "systems": systems,
            }  # fmt: skip

        found = judged("lexical", [row(1_000_000, 10, 0.3, 1.0), row(100_000, 10, 0.09, 0.1)])
        by_what = {target["what"]: (target["found"], target["met"]) for target in found}
        assert by_what["top 10 of 1M, of tantivy's time"] == (0.3, True)
        assert by_what["top 10 of 100k, of tantivy's"] == (0.9, False)
        assert by_what["top 10 of 1M, of bm25s' time"] == (None, None)
        assert by_what["100k to 1M, top 10"] == (pytest.approx(10 / 3, abs=1e-3), True)

    def test_the_quickest_way_to_ask_a_rival_counts(self):
        from rivals.targets import ratio

        systems = {name: {"median_ms": ms} for name, ms in (("plait", 1.0), ("a", 4.0), ("b", 2.0))}
        assert ratio("a", "b", "not there")([{"systems": systems}]) == 0.5
        assert ratio("not there")([{"systems": systems}]) is None

    def test_more_is_better(self):
        from rivals.targets import judged

        rows = [
            {
                "documents": 100_000,
                "systems": {
                    "plait": {"documents_per_s": 900},
                    "bm25s": {"documents_per_s": 1000},
                    "tantivy": {"documents_per_s": 1500},
                },
            }
        ]
        met = {target["what"]: target["met"] for target in judged("indexing", rows)}
        assert met["documents a second of 100k, of bm25s's"] is False
        assert met["documents a second of 100k, of tantivy's"] is True


class TestWorkers:
    def test_an_error_of_a_system_says_whose_it_is(self, tmp_path):
        from rivals.corpus import Corpus
        from rivals.running import Study, SystemFailedError

        worker = Study(tmp_path, tmp_path, None, 1, 1).worker("SQLite FTS5", Corpus(tmp_path))
        try:
            with pytest.raises(SystemFailedError, match=r"SQLite FTS5: (.|\n)*texts.txt"):
                worker.call("build")  # there are no texts
        finally:
            worker.close()

    def test_a_system_that_cannot_start_says_why(self, tmp_path):
        from rivals.corpus import Corpus
        from rivals.running import Study, SystemFailedError

        study = Study(tmp_path, tmp_path, None, 1, 1)
        with pytest.raises(SystemFailedError, match="multiple values for argument"):
            study.worker("SQLite FTS5", Corpus(tmp_path), folder="twice")

    def test_a_process_that_was_ended_is_an_error(self, tmp_path):
        from rivals.corpus import Corpus
        from rivals.running import Study, SystemFailedError

        worker = Study(tmp_path, tmp_path, None, 1, 1).worker("SQLite FTS5", Corpus(tmp_path))
        worker._process.kill()
        worker._process.wait()
        with pytest.raises(SystemFailedError, match="SQLite FTS5: ended with -9"):
            worker.call("build")
        worker.close()

    def test_every_rival_has_pinned_requirements(self):
        from rivals.environments import REQUIREMENTS
        from rivals.systems import SYSTEMS

        for spec in SYSTEMS.values():
            if spec.environment is not None:
                lines = (REQUIREMENTS / f"{spec.environment}.txt").read_text().split()
                assert all("==" in line for line in lines)
                assert {line.partition("==")[0] for line in lines} >= set(spec.packages)

    def test_without_environments_it_is_this_interpreter(self):
        from rivals.environments import python_of

        assert python_of(None, "tantivy") == sys.executable
