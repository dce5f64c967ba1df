"""The fusion study on tiny collections: it runs, and finds what such collections must show."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from plait import Ranking, fuse

ROOT = Path(__file__).resolve().parents[2]
SUBJECTS = [f"subject{number}" for number in range(36)]


def run(*arguments):
    command = [sys.executable, "benchmarks/fusion_study", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result


def collection(place, queries):
    """Documents of two sentences about a subject of their own, and questions about them."""
    place.mkdir(parents=True)
    corpus = [
        {
            "_id": f"d{number}",
            "title": "",
            "text": f"The cause of {name} is known to many people here. "
            f"Nobody has yet found out why {name} happens so very often.",
        }
        for number, name in enumerate(SUBJECTS)
    ]
    asked = [{"_id": f"q{number}", "text": text} for number, text in enumerate(queries)]
    for name, lines in (("corpus", corpus), ("queries", asked)):
        with gzip.open(place / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    qrels = "".join(f"q{number}\td{number}\t1\n" for number in range(len(queries)))
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    collection(place / "data" / "codes", [f"what causes {name}" for name in SUBJECTS])
    # Parallel collections: one family, cross-lingual ones another.
    for name in ("xquad-xx", "xquad-yy"):
        collection(place / "data" / name, [f"the cause of {name}" for name in SUBJECTS[:20]])
    collection(place / "data" / "xquad-xx2yy", [f"warum gibt es {name}" for name in SUBJECTS])
    out = place / "study.json"
    run(
        "--data", place / "data", "--cache", place / "cache",
        "--embedders", "hash-64", "--boosted", "hash-64", "--large", 10, "--jobs", 2,
        "--queries", 30, "--out", out, "--docs", place,
    )  # fmt: skip
    return json.loads(out.read_text()), place


def test_families(study):
    found, _ = study
    families = {entry["name"]: entry["family"] for entry in found["collections"]}
    assert families == {
        "codes": "codes",
        "xquad-xx": "xquad",
        "xquad-yy": "xquad",
        "xquad-xx2yy": "xquad cross-lingual",
    }
    assert {entry["name"]: entry["questions"] for entry in found["collections"]} == {
        "codes": 30,
        "xquad-xx": 20,
        "xquad-yy": 20,
        "xquad-xx2yy": 30,
    }


def test_every_pair_is_measured(study):
    found, _ = study
    pairs = {(pair["collection"], pair["embedder"]) for pair in found["pairs"]}
    assert len(pairs) == len(found["pairs"]) == 8
    for pair in found["pairs"]:
        # Every subject is one word of one document.
        assert pair["systems"]["BM25"]["mean"] == 1.0
        assert pair["systems"]["best fixed weight"]["mean"] == 1.0


def test_figures_are_means_over_families(study):
    found, _ = study
    real = [pair for pair in found["pairs"] if pair["embedder"] == "hash-64"]
    dense = {pair["collection"]: pair["systems"]["dense"]["mean"] for pair in real}
    expected = (
        dense["codes"]
        + (dense["xquad-xx"] + dense["xquad-yy"]) / 2
        + dense["xquad-xx2yy"]
    ) / 3  # fmt: skip
    assert found["classes"]["all dense legs"]["dense"]["mean"] == pytest.approx(expected, abs=2e-4)
    assert found["classes"]["all dense legs"]["BM25"]["mean"] == 1.0


def test_the_simulated_leg_is_better_than_the_one_it_is_made_of(study):
    found, _ = study
    classes = found["classes"]
    boosted = classes["simulated strong leg"]["dense"]["mean"]
    assert boosted > classes["all dense legs"]["dense"]["mean"]


def test_constants_are_chosen_without_the_family(study):
    found, _ = study
    for column in found["constants"].values():
        assert set(column["left out"]) == {"codes", "xquad", "xquad cross-lingual"}


def test_windows_and_weights_are_varied(study):
    found, _ = study
    assert set(found["windows"]["rsf()"]) == {"20", "50", "100", "200"}
    # BM25 alone at the one end.
    assert found["weights"]["rsf()"]["0.0"] == 1.0


def test_a_second_run_makes_no_vectors_and_finds_the_same(study):
    found, place = study
    files = {path: path.stat().st_mtime_ns for path in (place / "cache").rglob("*.npz")}
    assert len(files) == 4
    run(
        "--data", place / "data", "--cache", place / "cache",
        "--embedders", "hash-64", "--boosted", "hash-64", "--large", 10, "--jobs", 1,
        "--queries", 30, "--out", place / "again.json", "--docs", place,
    )  # fmt: skip
    assert json.loads((place / "again.json").read_text()) == found
    assert {path: path.stat().st_mtime_ns for path in files} == files


@pytest.fixture
def importable(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")


@pytest.mark.usefixtures("importable")
def test_collections_of_one_family_count_the_same():
    from fusion_study.families import Values, by_family, mean

    def values(collection, topics, row):
        return Values("family", collection, topics, np.array(row))

    # The same questions: averaged question by question, over embedders first.
    rows = [
        values("a", ("1", "2"), [1.0, 0.0]),
        values("a", ("1", "2"), [0.0, 0.0]),
        values("b", ("1", "2"), [0.0, 1.0]),
    ]
    assert by_family(rows)["family"].tolist() == [0.25, 0.5]
    # Other questions: one behind the other, yet the mean is (1 + (0 + 0 + .75)/3)/2.
    other = [values("a", ("1",), [1.0]), values("b", ("1", "2", "3"), [0.0, 0.0, 0.75])]
    assert mean(by_family(other)) == pytest.approx((1 + 0.25) / 2)


@pytest.mark.usefixtures("importable")
def test_a_loss_is_compared_with_the_margin():
    from fusion_study.families import worse_by_more

    better = {"a": np.full(4, 0.5), "b": np.full(4, 0.5)}
    system = {"a": np.full(4, 0.4), "b": np.full(4, 0.49)}
    found = worse_by_more(system, better, 0.02)
    # Beyond the margin by .08 on each of 4: 2 of 16 patterns of signs are as large, half of
    # that on this side, times the 2 families. On b it is on the other side.
    assert found["a"] == pytest.approx(2 * (2 / 16) / 2)
    assert found["b"] == pytest.approx(1 - (2 / 16) / 2)


@pytest.mark.usefixtures("importable")
def test_margins_weigh_the_legs_of_a_query():
    from fusion_study.methods import Margin, margin

    assert margin([9.0, 3.0, 1.0]) == (9 - (3 + 1) / 2) / (9 - 1)
    assert margin([2.0, 2.0]) == margin([7.0]) == 1.0
    clear = Ranking("bm25", ("a", "b", "c"), (9.0, 1.0, 1.0))  # margin 1
    vague = Ranking("dense", ("b", "c", "a"), (0.9, 0.8, 0.1))  # (.9 - .45)/.8 = .5625
    assert fuse([clear, vague], Margin()).hits(0, 1)[0].id == "a"
    first, second = Margin().fuse([clear, vague], [1.0, 1.0])
    assert first.values[0] == pytest.approx(1 / 1.5625)
    assert second.values[0] == pytest.approx(0.5625 / 1.5625)


def test_pages_of_any_results(study):
    _, place = study
    page = (place / "fusion-study.md").read_text()
    assert "| xquad cross-lingual |" in page
    assert "| xquad-xx2yy | hash-64 |" in (place / "fusion-study-tables.md").read_text()
    (place / "fusion-study.md").write_text(page + "x")
    command = [sys.executable, "benchmarks/fusion_study", "--check", "--docs", place]
    checked = subprocess.run(
        [*command, "--out", place / "study.json"], capture_output=True, text=True, cwd=ROOT
    )
    assert checked.returncode == 1
    assert "fusion-study.md is not what the results say" in checked.stderr


def test_the_pages_are_what_the_committed_results_say():
    run("--check")


@pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no collections")
@pytest.mark.data
@pytest.mark.model
def test_a_real_collection(tmp_path):
    run(
        "--data", os.environ["PLAIT_DATA"], "--cache", tmp_path,
        "--collections", "xquad-en", "--embedders", "wordllama-256", "--queries", 100,
        "--jobs", 1, "--out", tmp_path / "study.json", "--docs", tmp_path,
    )  # fmt: skip
    found = json.loads((tmp_path / "study.json").read_text())
    (pair,) = found["pairs"]
    # A probe with another sample found .970 for BM25.
    assert pair["systems"]["BM25"]["mean"] > 0.93
    assert pair["systems"]["auto, chunks"]["mean"] > 0.9
