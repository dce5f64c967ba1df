import json
import random
import shutil

import pytest

import plait
from plait.collection import Tuning


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A collection whose dense leg is noise, and 40 labelled queries that only words answer."""
    folder = tmp_path_factory.mktemp("tune")
    chance = random.Random(0)

    def vector():
        return [chance.gauss(0, 1) for _ in range(8)]

    words = [f"word{n}" for n in range(40)]
    chunks = [
        plait.Chunk(f"{word} stands here", id=f"c{n}", document_id=f"d{n}", embedding=vector())
        for n, word in enumerate(words)
    ]
    with plait.open(folder / "kb", embedder="hash(dim=8)", fusion="rrf(k=60)") as kb:
        kb.add(chunks)
    data = folder / "judged"
    data.mkdir()
    queries = [{"_id": f"q{n}", "text": f"{word} stands"} for n, word in enumerate(words)]
    queries.append({"_id": "unjudged", "text": "stands"})
    (data / "queries.jsonl").write_text("".join(json.dumps(each) + "\n" for each in queries))
    (data / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"q{n}\td{n}\t1\n" for n in range(40))
    )
    return folder


def tune(cli, place, *more):
    return cli("tune", "--in", place / "kb", "--data", place / "judged", *more)


def test_what_was_found_is_shown_and_nothing_is_stored(cli, place):
    outcome = tune(cli, place, "--method", "rsf()", "--window", 40)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "nDCG@10 on 40 labelled queries, 12 candidates, 5 folds"
    assert any(line.strip().endswith("bm25 alone, 40 candidates") for line in lines)
    assert lines[-2].startswith("take ")
    assert lines[-1] == "nothing is stored: --apply stores it, --write FILE writes it"


def test_json(cli, place):
    found = tune(cli, place, "--method", "rrf(k=60)", "--json").json
    assert found["tuning"]["weights"]["bm25"] > found["tuning"]["weights"]["dense"]
    assert found["topics"] == 40
    assert found["stored"] == []
    assert found["answer"].startswith("take ")


def test_the_result_is_written_for_a_hybrid(cli, place, tmp_path):
    file = tmp_path / "plait.toml"
    outcome = tune(cli, place, "--method", "rrf(k=60)", "--steps", 4, "--write", file)
    assert outcome.code == 0
    assert f"stored in {file}" in outcome.out
    tuning = Tuning.read(file)
    assert tuning.weights["bm25"] > tuning.weights["dense"]
    legs = {"dense": lambda text: ["x"], "bm25": lambda text: ["y"]}
    hybrid = plait.HybridRetriever(legs, **tuning.options)
    assert hybrid.weights == dict(tuning.weights)


def test_queries_without_judgments_are_counted(cli, place):
    said = "1 of 41 queries have no judgments and are left out"
    assert f"note: {said}" in tune(cli, place, "--method", "rsf").out.splitlines()
    assert said in tune(cli, place, "--method", "rsf", "--json").json["notes"]


def test_a_kept_default_is_not_stored(cli, place, tmp_path):
    file = tmp_path / "plait.toml"
    outcome = tune(cli, place, "--measure", "Success@200", "--write", file)
    assert outcome.code == 0
    answer, stored = outcome.out.splitlines()[-2:]
    assert answer.startswith("keep the default")
    assert stored == "nothing is stored"
    assert not file.exists()


def test_what_is_named_twice_is_tried_once(cli, place):
    twice = ("--method", "rsf", "--method", "rsf()", "--window", 40, "--window", 40)
    assert "12 candidates" in tune(cli, place, *twice).out


def test_without_a_terminal_stderr_is_empty(cli, place):
    assert tune(cli, place, "--method", "rsf()", "--window", 40).err == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--measure", "nDCG"), "tuning looks at"),
        (("--method", "nope()"), "unknown fusion 'nope'"),
        (("--folds", "1"), "--folds"),
        (("--steps", "0"), "--steps"),
    ],
)
def test_wrong_options_are_usage_errors(cli, place, given, said):
    outcome = tune(cli, place, *given)
    assert outcome.code == 2
    assert said in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_queries_must_be_named_and_judged(cli, place, tmp_path):
    outcome = cli("tune", "--in", place / "kb")
    assert outcome.code == 2
    assert "--data" in outcome.err
    qrels = tmp_path / "qrels.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\nother\td1\t1\n")
    outcome = tune(cli, place, "--qrels", qrels)
    assert outcome.code == 1
    assert "no topic has judgments; ids are such as 'q0' in the topics and 'other'" in outcome.err


def test_a_collection_that_is_not_there(cli, place, tmp_path):
    outcome = cli("tune", "--in", tmp_path, "--data", place / "judged")
    assert outcome.code == 1
    assert "make one with: plait index" in outcome.err


def test_the_result_is_applied_to_the_collection(cli, place, tmp_path):
    shutil.copytree(place / "kb", tmp_path / "kb")
    outcome = cli(
        "tune",
        "--in",
        tmp_path / "kb",
        "--data",
        place / "judged",
        "--method",
        "rrf(k=60)",
        "--apply",
    )
    assert outcome.code == 0
    assert "stored in " in outcome.out
    with plait.open(tmp_path / "kb", read_only=True) as kb:
        assert kb.tuning.weights["bm25"] > kb.tuning.weights["dense"]
        assert kb.tuning.evidence["topics"] == 40
    with plait.open(place / "kb", read_only=True) as kb:
        assert kb.tuning is None
