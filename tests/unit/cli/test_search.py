"""plait search: what is asked of the collection, and how the answer is told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plait.collection import open as open_collection


def test_words_and_quotes_ask_the_same(cli, kb: Path) -> None:
    words = cli("search", "--in", kb, "cancel", "my", "plan", "--json").json
    quoted = cli("search", "cancel my plan", "--in", kb, "--json").json
    assert words["query"] == "cancel my plan"
    assert words["hits"] == quoted["hits"]


def test_json_is_what_the_library_gives(cli, kb: Path) -> None:
    options = ["--top-k", "2", "--offset", "1", "--fetch-k", "50", "--fusion", "rrf(k=10)",
               "--weights", "dense=1,bm25=2", "--filter", '{"product": "pro"}',
               "--fill"]  # fmt: skip
    printed = cli("search", "plan", "--in", kb, "--json", *options).json
    with open_collection(kb, read_only=True) as opened:
        result = opened.search(
            "plan", top_k=2, offset=1, fetch_k=50, fusion="rrf(k=10)",
            weights={"dense": 1, "bm25": 2}, filter={"product": "pro"}, fill=True,
        )  # fmt: skip
    expected = json.loads(json.dumps(result.to_dict()))
    for values in (printed, expected):
        for leg in values["legs"]:
            del leg["elapsed_ms"]
    assert printed == expected
    assert printed["hits"]


def test_text_for_a_reader(cli, kb: Path) -> None:
    shown = cli("search", "E1042", "--in", kb, "--top-k", "1")
    assert shown.code == 0
    assert shown.err == ""
    lines = shown.out.splitlines()
    assert lines[0] == "1. Error E1042"
    assert lines[1] == "   errors.jsonl, e1042"
    assert "bm25 #1 (" in lines[2]
    assert lines[3] == "   The socket was closed."
    assert lines[5].startswith("hit 1 of ")


def test_output_that_is_no_terminal_is_plain_and_whole(cli, kb: Path) -> None:
    shown = cli("search", "cancel", "plan", "--in", kb, "--explain")
    assert "\x1b" not in shown.out
    assert all(line == line.rstrip() for line in shown.out.splitlines())
    assert "«cancel» your «plan» at any time under Settings, Billing." in shown.out


def test_explain_shows_the_sum(cli, kb: Path) -> None:
    lines = cli("search", "E1042", "--in", kb, "--top-k", "1", "--explain").out.splitlines()
    table = lines[4:8]
    assert table[0].split() == [
        "leg", "rank", "raw", "score", "normalized", "weight", "contribution",
    ]  # fmt: skip
    values = {line.split()[0]: float(line.split()[-1]) for line in table[1:]}
    assert values["sum"] == pytest.approx(values["dense"] + values["bm25"], abs=2e-6)


def test_one_leg_alone(cli, kb: Path) -> None:
    values = cli("search", "socket", "--in", kb, "--leg", "bm25", "--json").json
    assert [leg["name"] for leg in values["legs"]] == ["bm25"]
    both = cli("search", "socket", "--in", kb, "--leg", "bm25", "--leg", "dense", "--json").json
    assert {leg["name"] for leg in both["legs"]} == {"bm25", "dense"}


def test_nothing_found_is_0(cli, kb: Path) -> None:
    shown = cli("search", "zzzqqq", "--in", kb, "--leg", "bm25")
    assert shown.code == 0
    assert shown.out.startswith("no hits; ")
    beyond = cli("search", "plan", "--in", kb, "--offset", "100")
    assert beyond.code == 0
    assert beyond.out.startswith("no hits from 101 on, there are ")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--top-k", "0"), "'--top-k'"),
        (("--top-k", "many"), "'--top-k'"),
        (("--offset", "-1"), "'--offset'"),
        (("--fetch-k", "0"), "'--fetch-k'"),
        (("--filter", "{"), "'--filter': '{' is not JSON"),
        (("--filter", '{"a": {"$regx": 1}}'), "unknown operator '$regx'"),
        (("--fusion", "bogus"), "'--fusion'"),
        (("--weights", "dense"), "'--weights'"),
        (("--leg",), "'--leg' requires an argument"),
        (("--leg", "sparse"), "'sparse'"),
        (("--weights", "sparse=1"), "'sparse'"),
        (("--weights", "dense=-1"), "-1.0"),
        (("--weights", "dense=nan"), "nan"),
        (("--weights", "dense=0,bm25=0"), "weight"),
        (("--fetch-k", "1", "--top-k", "2"), "fetch_k"),
    ],
)
def test_wrong_usage_is_2(cli, kb: Path, options: tuple[str, ...], part: str) -> None:
    shown = cli("search", "plan", "--in", kb, *options)
    assert (shown.code, shown.out) == (2, "")
    assert part in shown.err
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_query_is_2(cli, kb: Path, blank: str) -> None:
    shown = cli("search", blank, "--in", kb)
    assert (shown.code, shown.err) == (
        2, "plait search: the query is blank. See: plait search --help\n",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), ["warm", "plan"]),
        (("--leg", "dense"), ["warm", "plan"]),
        (("--leg", "bm25"), []),
        (("--weights", "dense=0"), []),
    ],
)
def test_the_model_is_loaded_before_the_dense_leg_is_timed(
    cli, kb: Path, options: tuple[str, ...], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from plait.embedders import HashEmbedder

    made, texts = HashEmbedder.embed_query, []

    def embed(self: HashEmbedder, text: str):
        texts.append(text)
        return made(self, text)

    monkeypatch.setattr(HashEmbedder, "embed_query", embed)
    assert cli("search", "plan", "--in", kb, *options).code == 0
    assert texts == asked


def test_no_collection(cli, kb: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    assert cli("search", "x", "--in", nowhere).err == (
        f"plait: there is no collection in {nowhere}; make one with: "
        f"plait index PATHS --to {nowhere}\n"
    )
    assert not nowhere.exists()
    assert cli("search", "x", "--in", kb, "--collection", "other").err == (
        f"plait: there is no collection 'other' in {kb}, which has 'default'\n"
    )


def test_a_damaged_collection(cli, kb: Path) -> None:
    (kb / "default.plait").write_bytes(b"not a database " * 100)
    shown = cli("search", "plan", "--in", kb)
    assert (shown.code, shown.out) == (1, "")
    assert "default.plait" in shown.err
    assert shown.err.count("\n") == 1


def test_a_leg_that_fails_is_seen(cli, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plait.embedders import HashEmbedder

    def broken(self: HashEmbedder, text: str) -> None:
        raise OSError("the model is gone")

    monkeypatch.setattr(HashEmbedder, "embed_query", broken)
    shown = cli("search", "E1042", "--in", kb)
    assert shown.code == 0
    assert shown.out.startswith("degraded: dense: error; ")
    assert "the model is gone" in shown.out.splitlines()[0]
    assert "1. Error E1042" in shown.out
    assert cli("search", "E1042", "--in", kb, "--json").json["degraded"] is True
    alone = cli("search", "E1042", "--in", kb, "--leg", "dense")
    assert alone.code == 1
    assert "the model is gone" in alone.err.splitlines()[-1]


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_reader_that_leaves_early(kb: Path, options: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "plait", "search", "plan", "--in", str(kb), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        complaint = process.stderr.read()
    assert complaint == b""
    assert process.returncode == 141


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colors_follow_the_environment(
    cli, kb: Path, environment: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = cli("search", "E1042", "--in", kb).out
    assert ("\x1b[36m" in shown) is colored
