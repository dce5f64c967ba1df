"""plait compare: systems over recorded legs, run files, its outputs, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from plait.collection import open as open_collection
from plait.evaluation import read_qrels, read_topics, record, score_run
from plait.hybrid import HybridRetriever

TOPICS = {"1": "cancel my plan", "2": "E1042 socket closed", "3": "how long do refunds take",
          "4": "not judged"}  # fmt: skip
CANCEL = "billing/cancel.md"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Topics and judgments of the collection in BEIR's shape."""
    folder = tmp_path / "judged"
    folder.mkdir()
    lines = [json.dumps({"_id": id, "text": text}) for id, text in TOPICS.items()]
    (folder / "queries.jsonl").write_text("\n".join(lines))
    rows = ["query-id\tcorpus-id\tscore", f"1\t{CANCEL}\t1", "2\te1042\t2", f"3\t{CANCEL}\t1"]
    (folder / "qrels.tsv").write_text("\n".join(rows))
    return folder


def _run(path: Path, rankings: dict[str, list[str]], tag: str = "mine") -> Path:
    lines = [
        f"{topic} Q0 {document} {rank} {100 - rank} {tag}"
        for topic, documents in rankings.items()
        for rank, document in enumerate(documents, start=1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


GOOD = {"1": [CANCEL, "x"], "2": ["e1042"], "3": [CANCEL]}
BAD = {"1": ["x", CANCEL], "2": ["x", "y"], "3": ["x", CANCEL]}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    return _run(tmp_path / "good.run", GOOD, "good"), _run(tmp_path / "bad.run", BAD, "bad")


def test_systems_are_measured_as_the_library_does(cli, kb: Path, data: Path) -> None:
    options = ["--system", "bm25", "--system", "mine=rsf@dense=0.3@window=20", "--measure", "RR"]
    values = cli("compare", "--in", kb, "--data", data, *options, "--json").json
    qrels = read_qrels(data / "qrels.tsv")
    with open_collection(kb, read_only=True) as opened:
        recording = record(opened, read_topics(data / "queries.jsonl"), fetch_k=200)
    expected = {
        "bm25": recording.leg("bm25"),
        "mine": recording.fused("rsf", {"dense": 0.3}, window=20),
    }
    assert values["systems"] == ["bm25", "mine"]
    assert (values["baseline"], values["measures"]) == ("bm25", ["RR"])
    assert sorted(values["topics"]) == ["1", "2", "3"]
    for name, run in expected.items():
        measured = score_run(run, qrels, ["RR"])
        assert values["means"]["RR"][name]["mean"] == measured.means["RR"].mean


def test_without_systems_the_collection_and_its_legs(cli, kb: Path, data: Path) -> None:
    values = cli("compare", "--in", kb, "--data", data, "--json").json
    assert values["systems"] == ["default", "dense", "bm25"]
    assert values["measures"] == ["nDCG@10", "R@100", "RR@10"]


def test_a_collection_without_vectors_has_one_leg(cli, docs: Path, data: Path, tmp_path) -> None:
    folder = tmp_path / "words"
    assert cli("index", docs, "--to", folder, "--embedder", "none", "--language", "en").code == 0
    values = cli("compare", "--in", folder, "--data", data, "--json").json
    assert values["systems"] == ["default", "bm25"]


def test_legs_run_once_however_many_systems(
    cli, kb: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import plait.cli.recorded as recorded

    asked = []

    def counting(source, topics, **given):
        asked.append(sorted(topics))
        return record(source, topics, **given)

    monkeypatch.setattr(recorded, "record", counting)
    systems = [option for k in range(20) for option in ("--system", f"rrf(k={k})")]
    values = cli("compare", "--in", kb, "--data", data, *systems, "--json").json
    assert len(values["systems"]) == 20
    assert asked == [["1", "2", "3"]]  # and no leg runs for a topic without judgments


def test_run_files_need_no_collection_and_no_topics(cli, data: Path, runs) -> None:
    good, bad = runs
    qrels = data / "qrels.tsv"
    given = ["--qrels", qrels, "--run", bad, "--run", f"new={good}", "--measure", "RR@10"]
    values = cli("compare", *given, "--json").json
    assert values["systems"] == ["bad", "new"]
    assert values["values"]["RR@10"] == {"bad": [0.5, 0.0, 0.5], "new": [1.0, 1.0, 1.0]}
    (difference,) = values["differences"]
    assert (difference["wins"], difference["ties"], difference["losses"]) == (3, 0, 0)
    assert difference["p"] == difference["p_adjusted"] == 2 / 2**3
    first = values["contrasts"]["new"][0]
    assert (first["topic"], first["text"], first["difference"]) == ("2", None, 1.0)
    assert first["returned"] == [{"id": "e1042", "rank": 1, "score": 99.0, "grade": 2}]


def test_run_files_beside_systems_come_after_them(cli, kb: Path, data: Path, runs) -> None:
    good, _ = runs
    values = cli(
        "compare", "--in", kb, "--data", data, "--run", good, "--system", "bm25",
        "--baseline", "good", "--json",
    ).json  # fmt: skip
    assert (values["systems"], values["baseline"]) == (["bm25", "good"], "good")


def test_several_collections(cli, docs: Path, kb: Path, data: Path, tmp_path: Path) -> None:
    second = ["--to", kb, "--collection", "other", "--embedder", "hash(dim=8)"]
    assert cli("index", docs, *second, "--language", "none").code == 0
    given = ["--in", kb, "--collection", "default", "--collection", "other", "--data", data]
    values = cli("compare", *given, "--system", "dense", "--json").json
    assert values["systems"] == ["default: dense", "other: dense"]
    third = tmp_path / "kb3"
    assert cli("index", docs, "--to", third, "--embedder", "none", "--language", "en").code == 0
    given = ["--in", kb, "--in", third, "--data", data]
    values = cli("compare", *given, "--system", "bm25", "--json").json
    assert values["systems"] == [f"{kb}: bm25", f"{third}: bm25"]


@pytest.fixture
def kept(cli, kb: Path, data: Path, tmp_path: Path) -> Path:
    """The legs of the collection, kept by plait eval."""
    path = tmp_path / "legs.jsonl.gz"
    done = cli("eval", "--in", kb, "--data", data, "--fetch-k", "200", "--record", path)
    assert done.code == 0, done.err
    return path


def test_kept_legs_give_what_asked_ones_do(
    cli, kb: Path, data: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = ["--system", "default", "--system", "rrf(k=1)@dense=2", "--system", "bm25", "--json"]
    asked = cli("compare", "--in", kb, "--data", data, *systems).json
    monkeypatch.setattr("plait.cli.recorded.record", None)
    assert cli("compare", "--recorded", kept, "--data", data, *systems).json == asked


def test_several_files_of_kept_legs(cli, data: Path, kept: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl.gz"
    other.write_bytes(kept.read_bytes())
    given = ["--recorded", kept, "--recorded", other, "--data", data, "--system", "bm25"]
    assert cli("compare", *given, "--json").json["systems"] == [f"{kept}: bm25", f"{other}: bm25"]


def test_kept_legs_lack_a_topic(cli, data: Path, kept: Path) -> None:
    with (data / "queries.jsonl").open("a") as file:
        file.write('\n{"_id": "5", "text": "new"}')
    with (data / "qrels.tsv").open("a") as file:
        file.write("\n5\te1042\t1")
    shown = cli("compare", "--recorded", kept, "--data", data)
    assert shown.code == 1
    assert f"{kept} keeps no answers to 1 of 4 topics, such as '5'" in shown.err


def test_kept_legs_are_not_asked(cli, kb: Path, data: Path, kept: Path) -> None:
    shown = cli("compare", "--recorded", kept, "--in", kb, "--data", data)
    assert shown.code == 2
    assert "--recorded stands for a collection" in shown.err


def test_a_recording_that_does_not_say_how_it_was_fused(cli, data: Path, tmp_path: Path) -> None:
    kept = tmp_path / "legs"
    topics = read_topics(data / "queries.jsonl")
    recording = record(HybridRetriever({"faq": lambda text: ["x"]}), topics)
    replace(recording, origin={}).save(kept)
    asked = ["compare", "--recorded", kept, "--data", data]
    shown = cli(*asked)
    assert shown.code == 1
    assert "does not say how its hybrid fuses" in shown.err
    shown = cli(*asked, "--system", "auto", "--system", "faq", "--json")
    assert shown.json["systems"] == ["auto", "faq"]


def test_legs_of_a_hybrid_of_ones_own(cli, data: Path, tmp_path: Path) -> None:
    legs = {
        "faq": lambda text: [(CANCEL, 2.0), ("x", 1.0)],
        "codes": lambda text: [("e1042", 9.0)] if "E1042" in text else [],
        "silent": lambda text: [],
    }
    kept = tmp_path / "legs"
    record(HybridRetriever(legs, fetch_k=7), read_topics(data / "queries.jsonl")).save(kept)
    shown = cli("compare", "--recorded", kept, "--data", data, "--json").json
    assert shown["systems"] == ["default", "faq", "codes"]
    given = ["--system", "codes", "--system", "rsf@faq=2,silent=0"]
    shown = cli("compare", "--recorded", kept, "--data", data, "--json", *given).json
    assert shown["systems"] == ["codes", "rsf@faq=2,silent=0"]
    shown = cli("compare", "--recorded", kept, "--data", data, "--system", "bm25")
    assert shown.code == 2
    assert "default, faq, codes, silent" in shown.err
    shown = cli("compare", "--recorded", kept, "--data", data, "--system", "rsf@bm25=1")
    assert shown.code == 2
    assert "'bm25'" in shown.err


def test_a_window_wider_than_what_is_kept(cli, data: Path, kept: Path) -> None:
    given = ["--system", "rsf@window=201", "--system", "bm25"]
    shown = cli("compare", "--recorded", kept, "--data", data, *given)
    assert shown.code == 1
    assert "window is 201" in shown.err


def test_text_for_a_reader(cli, data: Path, runs) -> None:
    good, bad = runs
    shown = cli(
        "compare", "--data", data, "--run", bad, "--run", good, "--measure", "RR", "--show", "1"
    )
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "2 systems over 3 topics, compared with bad"
    assert lines[1].startswith("  good and bad cannot be told apart: +0.667 RR")
    table = next(place for place, line in enumerate(lines) if line.startswith("system"))
    cells = [line.split()[:2] for line in lines[table : table + 3]]
    assert cells == [["system", "RR"], ["bad", "0.333"], ["good", "1.000"]]
    place = lines.index("good against bad, topics that differ most by RR (* judged relevant)")
    assert lines[place + 1 : place + 4] == [
        "  +1.000 (0.000 to 1.000) 2: E1042 socket closed",
        "    bad: 1. x, 2. y",
        "    good: 1. e1042*",
    ]
    assert lines[-1].startswith("Intervals are 95 % bootstrap intervals")
    assert "\x1b" not in shown.out


def test_show_0_leaves_the_topics_out(cli, data: Path, runs) -> None:
    given = ["--data", data, "--run", runs[0], "--run", runs[1], "--show", "0"]
    assert "differ most" not in cli("compare", *given).out


def test_files_of_reports(cli, data: Path, runs, tmp_path: Path) -> None:
    page, text = tmp_path / "report.html", tmp_path / "report.md"
    given = ["--data", data, "--run", runs[0], "--run", runs[1], "--html", page, "--markdown", text]
    shown = cli("compare", *given)
    assert shown.code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert text.read_text(encoding="utf-8").startswith("# Comparison\n")
    assert "E1042 socket closed" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--system", "bogus", "--system", "bm25"), "'bogus'"),
        (("--system", "bm25"), "two or more"),
        (("--system", "bm25", "--system", "bm25"), "2 systems are called 'bm25'"),
        (("--system", "bm25", "--system", "dense", "--baseline", "rrf"), "bm25, dense"),
        (("--measure", "speed"), "unknown measure 'speed'"),
        (("--fetch-k", "5", "--system", "rsf@window=9", "--system", "bm25"), "--fetch-k 9"),
        (("--html", "nowhere/at/all.html"), "nowhere/at"),
        (("--show", "-1"), "--show"),
        (("--by", "page"), "--by"),
    ],
)
def test_wrong_usage_is_2_before_a_leg_runs(
    cli, kb: Path, data: Path, options, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plait.cli.recorded.record", None)
    shown = cli("compare", "--in", kb, "--data", data, *options)
    assert (shown.code, shown.out) == (2, "")
    assert part in shown.err
    assert shown.err.count("\n") == 1


def test_what_is_missing_is_named(cli, kb: Path, data: Path, tmp_path: Path) -> None:
    assert "--topics" in cli("compare", "--in", kb).err
    none = cli("compare", "--in", tmp_path / "none", "--data", data)
    assert none.code == 1
    assert "there is no collection" in none.err
    gone = cli("compare", "--data", data, "--run", "gone.run", "--run", "b.run")
    assert gone.code == 1
    assert "gone.run" in gone.err


def test_topics_that_nobody_judged(cli, kb: Path, data: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "other.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    shown = cli("compare", "--in", kb, "--data", data, "--qrels", qrels)
    assert shown.code == 1
    assert "no topic has judgments; ids are such as '1' in the topics and 'q1'" in shown.err


def test_a_line_of_a_run_that_is_wrong(cli, data: Path, runs, tmp_path: Path) -> None:
    broken = tmp_path / "broken.run"
    broken.write_text("1 Q0 a 1 0.5 x\n1 Q0 b\n")
    shown = cli("compare", "--data", data, "--run", broken, "--run", runs[0])
    assert shown.code == 1
    assert f"{broken}" in shown.err
    assert "line 2" in shown.err or ":2" in shown.err


def test_ids_that_a_terminal_would_obey(cli, data: Path, tmp_path: Path) -> None:
    odd = _run(tmp_path / "odd.run", {"1": ["\x1b[31mred", CANCEL]}, "odd")
    good = _run(tmp_path / "good.run", GOOD, "good")
    shown = cli("compare", "--data", data, "--run", odd, "--run", good)
    assert shown.code == 0
    assert "\x1b" not in shown.out
    assert "[31mred" in shown.out
