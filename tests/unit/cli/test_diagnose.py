"""plait diagnose: which queries are asked, and how what was found is told."""

import json
from pathlib import Path

import pytest

import plait
from plait.evaluation import diagnose, read_queries, record


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.txt"
    path.write_text("\n".join(f"cancel plan {n}" for n in range(11)) + "\nqqq\n")
    return path


def test_json_is_what_the_library_gives(cli, kb: Path, log: Path) -> None:
    options = ["--fusion", "rrf(k=10)", "--weights", "bm25=2", "--fetch-k", "7"]
    printed = cli("diagnose", "--in", kb, "--queries", log, *options, "--json").json
    with plait.open(kb, read_only=True) as opened:
        recording = record(opened, read_queries(log), fetch_k=7)
    expected = diagnose(recording, fusion="rrf(k=10)", weights={"bm25": 2}).to_dict()
    assert printed["sampled"] is False
    assert (printed["queries"], printed["fetch_k"], printed["fusion"]) == (12, 7, "rrf(k=10)")
    assert printed["legs"] == json.loads(json.dumps(expected["legs"]))
    assert printed["pairs"] == json.loads(json.dumps(expected["pairs"]))


def test_the_window_is_that_of_a_search(cli, kb: Path, log: Path) -> None:
    assert cli("diagnose", "--in", kb, "--queries", log, "--json").json["fetch_k"] == 200


def test_a_query_without_a_match_is_shown_with_its_words(cli, kb: Path, log: Path) -> None:
    shown = cli("diagnose", "--in", kb, "--queries", log)
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0].startswith("12 queries, 200 candidates a leg, ")
    assert lines[2].split()[:3] == ["leg", "weight", "answered"]
    assert "warning: bm25 finds nothing for 1 of 12 queries (8.3 %)" in lines
    assert '  e.g. 12 "qqq": no chunk has: qqq' in lines
    assert "\x1b" not in shown.out


def test_without_queries_the_collection_s_own_sentences_are_asked(cli, kb: Path) -> None:
    shown = cli("diagnose", "--in", kb)
    assert shown.code == 0
    assert "own chunks" in shown.out.splitlines()[1]
    told = cli("diagnose", "--in", kb, "--json").json
    assert told["sampled"] is True
    assert 1 <= told["queries"] <= 4
    assert cli("diagnose", "--in", kb, "--json", "--limit", "1").json["queries"] == 1


def test_judgments_say_where_the_fusion_hurts(cli, kb: Path, tmp_path: Path) -> None:
    topics, qrels = tmp_path / "topics.tsv", tmp_path / "qrels.tsv"
    topics.write_text("1\tE1042\n2\tcancel plan\n")
    qrels.write_text("query-id\tcorpus-id\tscore\n1\te1042\t1\n2\tgone\t1\n")
    arguments = ["--in", kb, "--topics", topics, "--qrels", qrels]
    told = cli("diagnose", *arguments, "--json").json
    (reach,) = [each for each in told["findings"] if each["kind"] == "out_of_reach"]
    assert reach["figures"]["union_recall"] == 1 / 2
    assert "not found: gone" in cli("diagnose", *arguments).out
    topics.rename(tmp_path / "queries.jsonl")
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "E1042"}\n')
    folder = cli("diagnose", "--in", kb, "--data", tmp_path, "--json").json
    assert folder["queries"] == 1
    assert [each["kind"] for each in folder["findings"]] == ["few_queries"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--topics", "LOG", "--queries", "LOG"], "--queries excludes --topics"),
        (["--queries", "LOG", "--qrels", "LOG"], "--qrels needs --topics"),
        (["--weights", "sparse=1"], "unknown legs"),
        (["--queries", "gone.txt"], "does not exist"),
        (["--limit", "0"], "x>=1"),
        (["--fusion", "rrff"], "rrff"),
    ],
)
def test_wrong_usage(cli, kb: Path, log: Path, arguments: list[str], said: str) -> None:
    given = [log if argument == "LOG" else argument for argument in arguments]
    shown = cli("diagnose", "--in", kb, *given)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_failures_are_one_line(cli, kb: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    for arguments, said in (
        (["--in", tmp_path / "nowhere"], "there is no collection"),
        (["--in", kb, "--queries", empty], "expected a query in each line"),
    ):
        shown = cli("diagnose", *arguments)
        assert (shown.code, shown.out) == (1, "")
        assert said in shown.err
        assert shown.err.count("\n") == 1


def test_an_empty_collection_has_nothing_to_ask_for(cli, tmp_path: Path) -> None:
    plait.open(tmp_path / "empty", embedder=None).close()
    shown = cli("diagnose", "--in", tmp_path / "empty")
    assert shown.code == 1
    assert "give queries with --queries" in shown.err
