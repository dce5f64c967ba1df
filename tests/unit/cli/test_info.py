"""plait info: what a folder holds, without a model."""

from pathlib import Path

import pytest

import plait
import plait.cli.info
from plait.collection import describe
from plait.collection import open as open_collection
from plait.embedders import CallableEmbedder
from plait.kernels import native
from plait.types import Chunk


def test_text(cli, kb: Path, docs: Path) -> None:
    shown = cli("info", kb)
    assert (shown.code, shown.err) == (0, "")
    values = dict(
        line.strip().split("  ", 1) for line in shown.out.splitlines() if line.startswith("  ")
    )
    values = {name: value.strip() for name, value in values.items()}
    described = describe(kb)
    assert shown.out.splitlines()[0] == "collection default"
    assert values["file"] == str(kb / "default.plait")
    assert values["size"].endswith(" KB")
    assert (values["chunks"], values["documents"]) == ("3", "3")
    assert values["root"] == f"docs: {docs}"
    assert values["generation"] == str(described["generation"])
    assert values["embedder"].startswith("hash(dim=64) (model ")
    assert "dim 64" in values["embedder"]
    assert values["language"] == "en"
    assert values["analyzer"] == "analyzer(language='en')"
    assert values["fusion"] == described["fusion"]
    assert values["window"] == "200"
    assert "versions: plait " in shown.out.splitlines()[-1]


def test_json(cli, kb: Path) -> None:
    values = cli("info", kb, "--json").json
    assert values["collections"] == [dict(describe(kb))]
    assert {"plait", "python", "sqlite", "numpy"} <= set(values["versions"])


def test_which_loops_run(cli, kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = native.describe()
    assert f"kernels: {said}" in cli("info", kb).out.splitlines()
    monkeypatch.setattr(native, "_found", None)
    monkeypatch.setattr(native, "FILE", kb / "no.so")
    monkeypatch.delenv(native.VARIABLE, raising=False)
    said = "numpy (plait was installed without a C compiler)"
    assert f"kernels: {said}" in cli("info", kb).out.splitlines()
    assert cli("info", kb, "--json").json["kernels"] == said


def test_several_collections(cli, kb: Path, docs: Path) -> None:
    with open_collection(kb, "böse name", embedder=None):
        pass
    shown = cli("info", kb)
    heads = [line for line in shown.out.splitlines() if line.startswith("collection ")]
    assert heads == ["collection böse name", "collection default"]
    assert "  embedder    none: searched by words only" in shown.out
    assert "  language    none" in shown.out


def test_no_model_is_loaded_and_none_is_needed(cli, tmp_path: Path) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]

    with open_collection(tmp_path, embedder=CallableEmbedder(embed, name="mine", dim=2)) as opened:
        opened.add([Chunk("text")])
    assert "  embedder    a function (model mine, dim 2, " in cli("info", tmp_path).out


def test_vectors_that_chunks_brought(cli, tmp_path: Path) -> None:
    with open_collection(tmp_path, embedder=None) as opened:
        opened.add([Chunk("text", embedding=[1.0, 0.0, 0.0])])
    assert "  embedder    none: chunks bring their vectors, dim 3" in cli("info", tmp_path).out


def test_the_default_folder(cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("info").err == (
        "plait: there is no collection in .plait; make one with: plait index PATHS --to .plait\n"
    )
    assert cli("info").code == 1


def test_the_folder_as_other_commands_name_it(cli, kb: Path) -> None:
    assert cli("info", "--in", kb).out == cli("info", kb).out
    both = cli("info", kb, "--in", kb)
    assert both.code == 2
    assert both.err.startswith(f"plait info: give {kb} or --in {kb}, not both")


def test_a_damaged_collection_does_not_hide_the_others(cli, kb: Path) -> None:
    for name in ("bad", "worse"):
        (kb / f"{name}.plait").write_bytes(b"not a database " * 100)
    shown = cli("info", kb)
    assert shown.code == 1
    assert "collection default" in shown.out
    assert [line.startswith("plait: ") for line in shown.err.splitlines()] == [True, True]
    assert "bad.plait" in shown.err.splitlines()[0]
    assert "worse.plait" in shown.err.splitlines()[1]
    assert [entry["name"] for entry in cli("info", kb, "--json").json["collections"]] == ["default"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 KB"),
        (69_632, "69.6 KB"),
        (1_500_000, "1.5 MB"),
        (2_000_000_000, "2.0 GB"),
        (5_000_000_000_000, "5000.0 GB"),
    ],
)
def test_sizes(count: int, shown: str) -> None:
    assert plait.cli.info._size(count) == shown


class TestTuning:
    """What ``auto`` goes by, and what is wrong with that."""

    @staticmethod
    def shown(cli, folder: Path) -> list[str]:
        lines = cli("info", folder).out.splitlines()
        start = next(n for n, line in enumerate(lines) if line.startswith("  window"))
        end = next(n for n, line in enumerate(lines) if line.startswith("  index "))
        return lines[start + 1 : end]

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        with open_collection(tmp_path / "one", embedder="hash(dim=8)") as opened:
            opened.add([Chunk("cats", id="a"), Chunk("dogs", id="b")])
        return tmp_path / "one"

    def test_none(self, cli, folder: Path, tmp_path: Path) -> None:
        assert self.shown(cli, folder) == [
            "  tuning      none: dense 0.3, bm25 0.7; plait tune --self learns them"
        ]
        for name, given in (("words", {"embedder": None}), ("other", {"fusion": "rsf()"})):
            with open_collection(tmp_path / name, **{"embedder": "hash(dim=8)", **given}):
                pass
            assert self.shown(cli, tmp_path / name) == []

    @pytest.mark.parametrize(
        ("evidence", "said"),
        [
            ({}, []),
            ({"by": "hand"}, ["by hand"]),
            (
                {"by": "held-out sentences", "sentences": 300, "generation": 3},
                ["by 300 held-out sentences, generation 3"],
            ),
            (
                {"by": "held-out sentences", "sentences": 300, "queries": 9},
                ["by 300 held-out sentences weighted to resemble 9 queries"],
            ),
            ({"by": "labelled queries", "topics": 40}, ["by 40 labelled queries"]),
            ({"by": "\x1b[31mred\nline", "generation": 3}, None),
        ],
    )
    def test_one(self, cli, folder: Path, evidence: dict, said: list[str] | None) -> None:
        with open_collection(folder) as opened:
            opened.apply(plait.Tuning("rrf(k=10)", {"dense": 1, "bm25": 0.25}, 50, evidence))
        first, *more = self.shown(cli, folder)
        assert first == "  tuning      dense 1, bm25 0.25; rrf(k=10) over 50 candidates"
        if said is not None:
            assert more == [f"              {line}" for line in said]
        assert len(more) <= 1
        assert "\x1b" not in "".join(more)

    def test_stale(self, cli, folder: Path) -> None:
        with open_collection(folder) as opened:
            opened.apply(plait.Tuning("auto", {"dense": 1, "bm25": 0.25}, 50))
            opened.add([Chunk("birds", id="c"), Chunk("fish", id="d")])
        (said,) = self.shown(cli, folder)[1:]
        assert said.strip() == (
            "stale: it was made on 2 chunks, and there are 4; plait tune makes it anew"
        )
        with open_collection(folder) as opened:
            opened.reembed("hash(dim=16)")
        (said,) = self.shown(cli, folder)[1:]
        assert said.strip() == (
            "stale: it was made with the vectors of another embedder; plait tune makes it anew"
        )
        values = cli("info", folder, "--json").json["collections"][0]["tuning"]
        assert values["stale"] == "it was made with the vectors of another embedder"
        assert values["weights"] == {"dense": 1.0, "bm25": 0.25}

    def test_one_that_is_not_used(self, cli, tmp_path: Path) -> None:
        with open_collection(tmp_path, embedder="hash(dim=8)", fusion="rsf()") as opened:
            opened.apply(plait.Tuning("auto", {"dense": 1, "bm25": 0.25}, 50))
        assert self.shown(cli, tmp_path)[1:] == [
            "              not used: only --fusion auto goes by it"
        ]
