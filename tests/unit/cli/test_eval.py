"""plait eval: figures of a collection and of foreign runs, what it writes, what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plait.collection import open as open_collection
from plait.collection.tuning import Tuning
from plait.evaluation import Recording, read_run
from plait.types import Chunk

Run = Callable[..., Any]


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Topics and judgments of the documents in ``kb``."""
    folder = tmp_path / "judged"
    folder.mkdir()
    rows = {"1": "how do I cancel my plan", "2": "E1042", "3": "sockets of the plan", "4": "zebra"}
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": topic, "text": text}) + "\n" for topic, text in rows.items())
    )
    (folder / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n"
        "1\tbilling/cancel.md\t1\n2\te1042\t1\n3\te1044\t1\n3\te1042\t0\n9\tx\t1\n"
    )
    return folder


def test_figures_of_a_collection(cli: Run, kb: Path, judged: Path) -> None:
    done = cli("eval", "--in", kb, "--data", judged, "--measure", "RR", "--measure", "ndcg@5,P@1")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "default: 3 topics"
    assert "candidates a leg" in lines[1]
    assert lines[3].split() == ["measure", "mean", "95", "%", "interval"]
    assert [line.split()[0] for line in lines[4:7]] == ["RR", "nDCG@5", "P@1"]
    assert "note: 1 topic (4) without judgments left out" in lines
    assert "note: 1 topic (9) with judgments not asked" in lines


def test_json(cli: Run, kb: Path, judged: Path) -> None:
    found = cli("eval", "--in", kb, "--data", judged, "--leg", "bm25", "--json").json
    assert found["measures"] == ["nDCG@10", "R@100", "RR@10"]
    assert found["means"]["RR@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0, "n": 3}
    assert found["asked"]["leg"] == "bm25"
    assert found["asked"]["fusion"] is None
    assert "per_query" not in found
    found = cli("eval", "--in", kb, "--data", judged, "--json", "--per-topic").json
    assert list(found["per_query"]) == ["1", "2", "3"]


def test_a_tuned_collection_is_measured_as_it_is_searched(cli: Run, kb: Path, judged: Path) -> None:
    plain = cli("eval", "--in", kb, "--data", judged, "--json").json["asked"]
    assert plain["weights"] == {"dense": 0.3, "bm25": 0.7}  # what auto goes by untuned
    with open_collection(kb) as opened:
        opened.apply(Tuning("rrf(k=5)", {"dense": 0.25, "bm25": 1.0}, 50))
    asked = cli("eval", "--in", kb, "--data", judged, "--json").json["asked"]
    assert (asked["fusion"], asked["fetch_k"]) == ("rrf(k=5)", 50)
    assert asked["weights"] == {"dense": 0.25, "bm25": 1.0}
    other = cli("eval", "--in", kb, "--data", judged, "--fusion", "rsf", "--json").json["asked"]
    assert (other["weights"], other["fetch_k"]) == ({"dense": 1.0, "bm25": 1.0}, 200)


def test_how_it_was_asked(cli: Run, kb: Path, judged: Path) -> None:
    given = ("--fusion", "rrf(k=5)", "--weights", "bm25=2", "--fetch-k", "7", "--name", "mine")
    found = cli("eval", "--in", kb, "--data", judged, *given, "--json").json
    assert found["name"] == "mine"
    assert found["asked"]["fusion"] == "rrf(k=5)"
    assert found["asked"]["weights"]["bm25"] == 2.0
    assert found["asked"]["fetch_k"] == 7
    both = ("--leg", "bm25", "--leg", "dense")
    found = cli("eval", "--in", kb, "--data", judged, *both, "--json").json
    assert found["asked"]["leg"] is None


def test_each_topic_the_worst_first(cli: Run, kb: Path, judged: Path) -> None:
    (judged / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n1\tbilling/cancel.md\t1\n2\tnowhere\t1\n"
    )
    done = cli("eval", "--in", kb, "--data", judged, "--per-topic", "--measure", "RR")
    rows = done.out.splitlines()[:3]
    assert rows[0].split() == ["topic", "RR"]
    assert rows[1].startswith("2  E1042 ")
    assert rows[1].endswith("0.0000")
    assert rows[2].startswith("1  how do I cancel my plan")


def test_the_run_that_it_writes_has_the_same_figures(
    cli: Run, kb: Path, judged: Path, tmp_path: Path
) -> None:
    out = tmp_path / "mine.run"
    first = cli("eval", "--in", kb, "--data", judged, "--run-out", out, "--json").json
    again = cli("eval", "--run", out, "--data", judged, "--json").json
    assert again["means"] == first["means"]
    assert again["asked"] is None
    assert read_run(out).name == "default"


def test_a_run_is_measured_without_topics(cli: Run, judged: Path, tmp_path: Path) -> None:
    path = tmp_path / "their.run"
    path.write_text("1 Q0 x 1 2 theirs\n1 Q0 billing/cancel.md 2 1 theirs\n")
    done = cli("eval", "--run", path, "--qrels", judged / "qrels.tsv", "--measure", "RR", "--json")
    assert done.json["name"] == "theirs"
    assert done.json["means"]["RR"]["mean"] == pytest.approx((1 / 2 + 0 + 0 + 0) / 4)
    done = cli("eval", "--run", path, "--qrels", judged / "qrels.tsv", "--name", "x")
    assert done.out.startswith("x: 4 topics\n\nmeasure")
    assert "note: 3 topics (2, 3, 9) without results counted 0" in done.out
    done = cli("eval", "--run", path, "--qrels", judged / "qrels.tsv", "--per-topic")
    assert done.code == 0, done.err


def test_the_recording_gives_the_same_run(cli: Run, kb: Path, judged: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "legs.gz", tmp_path / "a.run"
    given = ("--fusion", "rrf(k=60)", "--weights", "dense=1,bm25=1")
    done = cli("eval", "--in", kb, "--data", judged, "--record", file, "--run-out", out, *given)
    assert done.code == 0, done.err
    recording = Recording.load(file)
    run = recording.fused("rrf(k=60)")
    written = read_run(out).rankings
    for topic, ranking in run.rankings.items():
        assert [each for each, _ in written[topic]] == [each for each, _ in ranking]


def test_filled(cli: Run, kb: Path, judged: Path, tmp_path: Path) -> None:
    asked = ("eval", "--in", kb, "--data", judged, "--fetch-k", 2)
    kept = tmp_path / "legs"
    done = cli(*asked, "--fill", "--record", kept)
    assert done.code == 0, done.err
    assert "; filled; 2 candidates a leg" in done.out.splitlines()[1]
    assert cli(*asked, "--fill", "--json").json["asked"]["fill"] is True
    assert cli(*asked, "--json").json["asked"]["fill"] is False
    recording = Recording.load(kept)
    assert any(any(ranking.filled) for legs in recording.filled.values() for ranking in legs)
    compared = cli(
        "compare", "--data", judged, "--recorded", kept, "--system", "rsf", "--system", "rsf@fill"
    )
    assert compared.code == 0, compared.err
    assert "rsf@fill" in compared.out


def test_fewer_candidates_than_a_measure_looks_at_are_told(
    cli: Run, kb: Path, judged: Path
) -> None:
    said = "note: 2 candidates of each leg take part, fewer than nDCG@10, R@100 look at"
    given = ("--measure", "nDCG@10,R@100,RR@2")
    assert said in cli("eval", "--in", kb, "--data", judged, "--fetch-k", 2, *given).out
    shown = cli("compare", "--in", kb, "--data", judged, "--system", "rsf@window=2",
                "--system", "bm25", *given)  # fmt: skip
    assert said.replace("note: ", "note: rsf@window=2: ") in shown.out
    assert "take part" not in cli("eval", "--in", kb, "--data", judged, "--fetch-k", 100).out


@pytest.mark.parametrize("option", ["--run-out", "--record"])
def test_a_folder_that_is_not_there_is_wrong_usage(
    cli: Run, kb: Path, judged: Path, tmp_path: Path, option: str
) -> None:
    done = cli("eval", "--in", kb, "--data", judged, option, tmp_path / "none" / "file")
    assert done.code == 2
    assert "there is no folder" in done.err


def test_ids_that_a_run_cannot_hold_do_not_cost_the_figures(
    cli: Run, kb: Path, judged: Path, tmp_path: Path
) -> None:
    with open_collection(kb) as opened:
        opened.add([Chunk("sockets of the plan", document_id="a b", index=0)])
    done = cli("eval", "--in", kb, "--data", judged, "--run-out", tmp_path / "my.run")
    assert done.code == 1
    assert "'a b' has white space in it" in done.err
    assert "nDCG@10" in done.out


def test_by_chunk(cli: Run, kb: Path, judged: Path) -> None:
    done = cli("eval", "--in", kb, "--data", judged, "--by", "chunk", "--leg", "bm25", "--json")
    assert done.json["means"]["RR@10"]["mean"] < 1.0


def test_a_filter(cli: Run, kb: Path, judged: Path) -> None:
    keep = '{"product": "free"}'
    done = cli("eval", "--in", kb, "--data", judged, "--filter", keep, "--leg", "bm25", "--json")
    assert done.json["means"]["R@100"]["mean"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ([], 2, "give --topics FILE, or --data DIR for topics and judgments"),
        (["--topics", "{judged}/queries.jsonl"], 2, "give --qrels FILE, or --data DIR"),
        (["--data", "{judged}/.."], 2, "has no queries.jsonl or queries.jsonl.gz; name the file"),
        (["--data", "{judged}/none"], 2, "does not exist"),
        (["--data", "{judged}", "--measure", "foo"], 2, "unknown measure 'foo'; there are nDCG"),
        (["--data", "{judged}", "--leg", "foo"], 2, "there is no leg 'foo'; the legs are dense"),
        (["--data", "{judged}", "--weights", "foo=1"], 2, "unknown legs"),
        (["--data", "{judged}", "--weights", "dense=0,bm25=0"], 2, "all weights are 0"),
        (["--data", "{judged}", "--fusion", "foo"], 2, "unknown fusion 'foo'"),
        (["--data", "{judged}", "--collection", "foo"], 1, "there is no collection 'foo' in"),
        (["--data", "{judged}", "--run", "{judged}/qrels.tsv"], 1, "line 1: 3 columns, expected 6"),
        (["--data", "{judged}", "--qrels", "{judged}/queries.jsonl"], 1, "queries.jsonl, line 1: "),
        (["--data", "{judged}", "--topics", "{judged}/qrels.tsv"], 1, "line 1: 3 columns"),
    ],
)
def test_refuses(
    cli: Run, kb: Path, judged: Path, given: list[str], code: int, message: str
) -> None:
    done = cli("eval", "--in", kb, *(each.format(judged=judged) for each in given))
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "given",
    [
        ["--fusion", "rrf"],
        ["--weights", "bm25=1"],
        ["--leg", "bm25"],
        ["--fetch-k", "5"],
        ["--filter", '{"a": 1}'],
        ["--record", "x"],
    ],
)
def test_a_run_takes_no_option_of_a_collection(
    cli: Run, judged: Path, tmp_path: Path, given: list[str]
) -> None:
    path = tmp_path / "their.run"
    path.write_text("1 Q0 x 1 2 theirs\n")
    done = cli("eval", "--run", path, "--data", judged, *given)
    assert done.code == 2
    assert f"{given[0]} is for a collection, and --run measures a file" in done.err


def test_ids_that_do_not_agree_are_found_before_the_collection_is_asked(
    cli: Run, judged: Path, tmp_path: Path
) -> None:
    (judged / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    done = cli("eval", "--in", tmp_path / "no-collection", "--data", judged)
    assert done.code == 1
    assert "ids are such as '1' in the topics and 'q1' in the judgments" in done.err


def test_failures_are_named(cli: Run, kb: Path, judged: Path) -> None:
    # The vector has another dimension, and there is no text: both legs fail.
    with (judged / "queries.jsonl").open("a") as file:
        for number in range(10, 17):
            file.write(json.dumps({"_id": str(number), "embedding": [1.0, 0.0]}) + "\n")
    with (judged / "qrels.tsv").open("a") as file:
        file.write("".join(f"{number}\te1042\t1\n" for number in range(10, 17)))
    done = cli("eval", "--in", kb, "--data", judged)
    assert done.code == 0, done.err
    assert "note: 7 topics (10, 11, 12, ...) failed in part or as a whole" in done.out
    assert "failed: topic 10: " in done.out
    assert "failed: 2 more topics; --json names them all" in done.out
    found = cli("eval", "--in", kb, "--data", judged, "--json").json
    assert list(found["failures"]) == [str(number) for number in range(10, 17)]
