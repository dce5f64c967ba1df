"""The lexical study: its arithmetic, a run on a tiny input, and what its results decide."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from plait.evaluation.tuning.measure import CutMeasure
from plait.lexical import Bm25, BM25Retriever, LexicalIndex
from plait.text import Analyzer
from plait.types import Chunk

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "lexical-study.json"
TEXTS = [
    "the error E-1042 of the getUserName call",
    "the cause of E1042 is the socket, the socket and the socket again",
    "cats purr and the dog barks at the cats",
    "a user name",
    "error",
    "error",
]


def run(*arguments):
    command = [sys.executable, "benchmarks/lexical_study", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)
    assert result.returncode == 0, result.stderr


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


def write_collection(place, texts, queries):
    """Texts by id, and the query that each text answers."""
    place.mkdir()
    for name, rows in (("corpus", texts), ("queries", queries)):
        with gzip.open(place / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(
                json.dumps({"_id": key, "text": row}) + "\n" for key, row in rows.items()
            )
    judged = "".join(f"{key}\t{key}\t1\n" for key in queries)
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)


class TestScorer:
    @pytest.fixture
    def scorer(self):
        from lexical_study.measuring import POINTS
        from lexical_study.scoring import Scorer

        index = LexicalIndex().added(map(Analyzer().analyze, TEXTS))
        return Scorer(index, np.arange(len(TEXTS)), POINTS)

    @pytest.mark.parametrize("query", ["the error of E1042", "user cats cats", "unknown words"])
    @pytest.mark.parametrize("depth", [1, 3, 10])
    def test_ranks_as_the_retriever_does(self, scorer, query, depth):
        chunks = [Chunk(text, id=str(place)) for place, text in enumerate(TEXTS)]
        rankings = scorer.rankings(Analyzer().query_terms(query), depth)
        for point, ranking in zip(scorer.points, rankings, strict=True):
            retriever = BM25Retriever(chunks, **point.parameters)
            found = retriever.retrieve(query, top_k=depth)
            assert [str(place) for place in ranking] == [hit.id for hit in found]

    def test_a_document_stands_where_its_best_chunk_stands(self):
        from lexical_study.scoring import Scorer

        index = LexicalIndex().added(map(Analyzer().analyze, ["x", "a b", "a", "x", "a b c d"]))
        scorer = Scorer(index, np.array([0, 0, 1, 1, 2]), [Bm25()])
        assert [ranking.tolist() for ranking in scorer.rankings(["a"], 10)] == [[1, 0, 2]]

    def test_measures_each_query_at_each_point(self, scorer):
        terms = [["cats"], ["socket"], ["nothing"]]
        judged = [{2: 1}, {0: 1}, {0: 1}]
        values = scorer.measure(terms, judged, [CutMeasure("RR", 10), CutMeasure("R", 5)])
        assert values.shape == (2, len(scorer.points), 3)
        assert values[:, 0].tolist() == [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]


class TestSettings:
    @pytest.fixture
    def english(self):
        from lexical_study.settings import settings

        return settings("en")

    @pytest.mark.parametrize(
        ("setting", "terms"),
        [
            ("plain", ["the", "users", "of", "getusername", "get", "user", "name"]),
            ("language", ["user", "getusernam", "get", "user", "name"]),
            ("stems", ["the", "user", "of", "getusernam", "get", "user", "name"]),
            ("stop words", ["users", "getusername", "get", "user", "name"]),
            ("identifiers whole", ["the", "users", "of", "getusername"]),
            ("identifiers in parts", ["the", "users", "of", "get", "user", "name"]),
        ],
    )
    def test_asks_for(self, english, setting, terms):
        assert list(english[setting].ask("the users of getUserName")) == terms

    @pytest.mark.parametrize("setting", ["stems", "stop words"])
    def test_a_query_of_stop_words_keeps_them(self, english, setting):
        assert list(english[setting].ask("to be")) == ["to", "be"]

    @pytest.mark.parametrize(
        ("setting", "terms"),
        [
            ("plain", ["申请", "请退", "退款"]),
            ("characters", ["申", "请", "退", "款"]),
            ("bigrams", ["申请", "请退", "退款"]),
            ("trigrams", ["申请退", "请退款"]),
            ("bigrams and characters", ["申", "请", "退", "款", "申请", "请退", "退款"]),
        ],
    )
    def test_text_without_spaces(self, setting, terms):
        from lexical_study.settings import settings

        assert list(settings(None)[setting].ask("申请退款")) == terms


class TestLeavingOneFamilyOut:
    def test_the_others_choose(self):
        from lexical_study.held_out import leave_one_out

        # Candidates "old" and "new", two queries a family.
        values = {
            "a": np.array([[0.5, 0.5], [0.9, 0.9]]),  # new +0.4
            "b": np.array([[0.5, 0.5], [0.4, 0.4]]),  # new -0.1
            "c": np.array([[0.5, 0.5], [0.3, 0.3]]),  # new -0.2
        }
        found = leave_one_out({"nDCG@10": values}, ["old", "new"], "old")
        # For a: -0.1 - 0.2 < 0; for b: 0.4 - 0.2 > 0; for c: 0.4 - 0.1 > 0.
        assert found["chosen"] == {"a": "old", "b": "new", "c": "new"}
        assert found["best"] == "new"
        assert found["nDCG@10"]["gain"] == pytest.approx((0 - 0.1 - 0.2) / 3)
        assert found["nDCG@10"]["p"] == 0.5  # of the 4 signs of -0.1 and -0.2, ++ and --
        # Two queries with the same sign give 2/4; corrected over three families.
        assert [each["p"] for each in found["nDCG@10"]["families"].values()] == [1.0, 1.0, 1.0]

    @pytest.mark.parametrize(
        ("changed", "real"),
        [
            ({}, True),
            ({"interval": [0.0, 0.1]}, False),
            ({"p": 0.05}, False),
            ({"families": {"a": {"gain": -0.01, "p": 0.04}}}, False),
            ({"families": {"a": {"gain": -0.01, "p": 0.05}}}, True),
            ({"families": {"a": {"gain": -0.009, "p": 0.04}}}, True),
        ],
    )
    def test_a_gain_is_real(self, changed, real):
        from lexical_study.held_out import is_real

        found = {"interval": [0.01, 0.1], "p": 0.04, "families": {"a": {"gain": 0.1, "p": 1.0}}}
        assert is_real({**found, **changed}) is real


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """What a run over three tiny collections finds; two of them are parallel."""
    place = tmp_path_factory.mktemp("data")
    numbers = range(1000, 1020)
    codes = {f"E{n}": f"This is the cause of error E{n}, as it was for all." for n in numbers}
    asked = {f"E{n}": f"what does E{n} mean" for n in numbers}
    write_collection(place / "codes", codes, asked)
    write_collection(place / "xquad-en", codes, asked)
    write_collection(
        place / "xquad-zh", {f"E{n}": f"错误{n}的原因在这里说明" for n in numbers},
        {f"E{n}": f"错误{n}" for n in numbers},
    )  # fmt: skip
    run("--data", place, "--queries", 5, "--jobs", 1, "--results", place)
    return json.loads((place / "lexical-study.json").read_text(encoding="utf-8"))


def test_a_run_measures_every_collection(tiny):
    assert [
        (name, facts["family"], facts["language"], facts["documents"], facts["queries"])
        for name, facts in tiny["collections"].items()
    ] == [
        ("codes", "codes", "en", 20, 5),
        ("xquad-en", "xquad", "en", 20, 5),
        ("xquad-zh", "xquad", "none", 20, 5),
    ]
    plain = tiny["analyzers"]["collections"]["codes"]["plain"]
    assert plain == {"nDCG@10": 1.0, "R@200": 1.0}
    assert set(tiny["parameters"]["left_out"]["chosen"]) == {"codes", "xquad"}


def test_without_a_difference_the_defaults_stay(tiny):
    assert tiny["parameters"]["decision"] == "k1=1.5 b=0.75"
    assert tiny["variants"]["decision"] == "lucene"
    assert tiny["analyzers"]["decision"] == "plain"


def test_a_page_of_any_results(tiny):
    from lexical_study.page import page

    text = page(tiny)
    assert "| codes | codes | en | 20 | 20 | 5 | 1.000 | 1.000 |" in text
    assert "**keep lucene**" in text


def test_the_page_is_what_the_committed_results_say():
    run("--check")


def test_the_defaults_are_what_the_committed_results_decide():
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert found["parameters"]["decision"] == f"k1={Bm25().k1} b={Bm25().b}"
    assert found["variants"]["decision"] == Bm25().variant
    # What `plait index` proposes: the language that it guesses.
    assert found["analyzers"]["decision"] == "language"
