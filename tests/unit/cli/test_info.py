"""plait info: what a folder holds, without a model."""

from pathlib import Path

import pytest

import plait.cli.info
from plait.collection import describe
from plait.collection import open as open_collection
from plait.embedders import CallableEmbedder
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
