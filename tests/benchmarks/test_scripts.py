"""Every benchmark runs on a tiny input and finds what it should; nothing looks at times."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments):
    # The parent may have blas or coverage settings that a fresh process should see as they are.
    command = [sys.executable, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result


def collection(place):
    """The sample knowledge base's judged queries over a corpus in BEIR's shape."""
    place.mkdir()
    corpus = [
        {"_id": f"E{number}", "title": f"Error E{number}", "text": f"the cause of E{number}"}
        for number in range(1000, 1060)
    ]
    queries = [{"_id": f"q{n}", "text": f"what does E{n} mean"} for n in range(1000, 1010)]
    for name, lines in (("corpus", corpus), ("queries", queries)):
        with gzip.open(place / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    qrels = "".join(f"q{n}\tE{n}\t1\n" for n in range(1000, 1010))
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + qrels)


def test_quality(tmp_path):
    collection(tmp_path / "codes")
    run("benchmarks/quality.py", "--data", tmp_path, "--collection", "codes",
        "--embedder", "hash(dim=64)", "--documents", 50, "--results", tmp_path)  # fmt: skip
    found = json.loads(next(tmp_path.glob("collection-*.json")).read_text())
    assert found["answer"]["chunks"] == 50
    assert found["answer"]["queries"] == 10
    assert found["answer"]["ways"]["bm25"]["nDCG@10"] == 1.0
    assert set(found["answer"]["ways"]) == {"bm25", "dense", "fused"}


def test_speed(tmp_path):
    run("benchmarks/speed.py", "--documents", 200, "--repeats", 5, "--results", tmp_path)
    found = json.loads((tmp_path / "speed.json").read_text())
    assert found["lexical"]["documents"] == 200
    assert [fusing["hits"] for fusing in found["fusing"]] == [100, 200]


def test_rag(tmp_path):
    run("benchmarks/rag.py", "--repeats", 3, "--results", tmp_path)
    found = json.loads((tmp_path / "rag.json").read_text())
    for kind in ("sync", "async"):
        assert set(found[kind]) == {"retriever", "retrieve", "search"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for its memory")
def test_memory(tmp_path):
    run("benchmarks/memory.py", "--gigabytes", 0.0003, 0.0006, "--work", tmp_path,
        "--results", tmp_path)  # fmt: skip
    found = json.loads((tmp_path / "memory.json").read_text())
    assert [row["written"]["gigabytes"] for row in found["rows"]] == [0.0003, 0.0006]
    for row in found["rows"]:
        size, count = row["written"]["gigabytes"] * 10**9, row["written"]["chunks"]
        assert 1000 < size / count < 2000
        assert row["written"]["most"]["private_mb"] >= row["written"]["start"]["private_mb"] > 0
        assert 9 < row["asked"]["hits"] / row["asked"]["queries"] <= 10
        assert 0 < row["asked"]["after"]["private_mb"] < row["asked"]["after"]["resident_mb"]
    assert not (tmp_path / "memory").exists()


def test_filling(tmp_path):
    collection(tmp_path / "codes")
    run("benchmarks/filling.py", "--data", tmp_path, "--collections", "codes",
        "--embedder", "hash-64", "--cache", tmp_path, "--results", tmp_path)  # fmt: skip
    found = json.loads((tmp_path / "filling.json").read_text())
    assert {row["window"] for row in found} == {50, 200}
    for row in found:  # 60 documents: a window of 200 has nothing to fill
        if row["window"] == 200:
            assert row["nDCG@10"]["plain"] == row["nDCG@10"]["filled"]


def test_the_page_is_what_the_committed_results_say():
    run("benchmarks/report.py", "--check")


def test_the_report_of_no_results_is_a_page(tmp_path):
    without = shutil.ignore_patterns("results")
    shutil.copytree(ROOT / "benchmarks", tmp_path / "benchmarks", ignore=without)
    (tmp_path / "docs").mkdir()
    run(tmp_path / "benchmarks" / "report.py")
    assert "# Benchmarks" in (tmp_path / "docs" / "benchmarks.md").read_text()


@pytest.mark.skipif("PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no collections")
@pytest.mark.data
@pytest.mark.model
def test_quality_of_a_real_collection(tmp_path):
    run("benchmarks/quality.py", "--data", os.environ["PLAIT_DATA"], "--collection", "xquad-en",
        "--embedder", "static", "--queries", 200, "--results", tmp_path)  # fmt: skip
    ways = json.loads(next(tmp_path.glob("collection-*.json")).read_text())["answer"]["ways"]
    # A probe with another analyzer found .970 for BM25 and .976 for the best fusion.
    assert ways["bm25"]["nDCG@10"] > 0.93
    assert ways["fused"]["nDCG@10"] > 0.93
    assert ways["dense"]["nDCG@10"] > 0.6
