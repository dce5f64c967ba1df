"""plait tune --self: the curve, the choice, what to do next, and what it excludes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import plait

COUNT = 40


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose sentences share words with the rest of their chunks."""
    folder = tmp_path_factory.mktemp("self") / "kb"
    with plait.open(folder, embedder="hash(dim=4)") as kb:
        kb.add(
            [
                plait.Chunk(
                    f"Word{n} and term{n} are here. Here are term{n} and word{n}.", id=f"{n}"
                )
                for n in range(COUNT)
            ]
        )
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "kb")
    return tmp_path / "kb"


def tuning(folder: Path) -> plait.Tuning | None:
    with plait.open(folder, read_only=True) as kb:
        return kb.tuning


def test_the_curve_and_the_choice_are_shown_and_nothing_is_stored(cli, folder: Path) -> None:
    outcome = cli("tune", "--self", "--in", folder)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "40 sentences of the collection asked"
    assert lines[1] == "nDCG@10 of finding the chunk that each was taken out of, by weight"
    curve = lines[3:14]
    assert [line.split()[:4] for line in curve] == [
        ["dense", f"{n / 10:g}", "bm25", f"{1 - n / 10:.1g}"] for n in range(11)
    ]
    assert curve[0].split()[4:6] == ["1.000", "█" * 30]
    assert sum("chosen" in line for line in curve) == 1
    assert [n for n, line in enumerate(curve) if "the default" in line] == [3]
    assert lines[-2].startswith(("take dense 0", "keep the default weights, dense 0.3"))
    assert lines[-1] == "nothing is stored: --apply stores it, --write FILE writes it"
    assert tuning(folder) is None


def test_it_is_applied(cli, folder: Path) -> None:
    outcome = cli("tune", "--self", "--in", folder, "--apply", "--seed", 5)
    assert outcome.code == 0
    assert outcome.err == ""
    assert outcome.out.splitlines()[-1] == f"stored in {folder / 'default.plait'}"
    stored = tuning(folder)
    assert stored is not None
    assert stored.evidence["seed"] == 5
    assert stored.evidence["by"] == "held-out sentences"
    again = cli("tune", "--self", "--in", folder, "--seed", 5, "--json").json
    assert again["tuning"]["weights"] == dict(stored.weights)
    assert "by 40 held-out sentences, generation 2" in cli("info", folder).out


def test_json_and_a_file(cli, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "plait.toml"
    outcome = cli("tune", "--self", "--in", folder, "--sentences", 35, "--write", file, "--json")
    found = outcome.json
    assert found["stored"] == [str(file)]
    assert found["sentences"] == 35
    assert [point["weight"] for point in found["curve"]] == [n / 10 for n in range(11)]
    assert plait.Tuning.read(file).to_dict() == found["tuning"]
    assert tuning(folder) is None


def test_thin_evidence_stores_nothing(cli, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "plait.toml"
    outcome = cli("tune", "--self", "--in", folder, "--sentences", 9, "--apply", "--write", file)
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert not any("chosen" in line for line in lines)
    assert lines[-2:] == [
        "keep the default weights: 9 sentences' worth of evidence, at least 30 are needed",
        "nothing is stored",
    ]
    assert tuning(folder) is None
    assert not file.exists()


def test_a_log_of_queries(cli, folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("word7 and term7\n\nterm9 here\nword7 and term7\n")
    outcome = cli("tune", "--self", "--in", folder, "--queries", log)
    assert outcome.code == 0
    assert outcome.out.splitlines()[0].startswith(
        "40 sentences of the collection asked, weighted to resemble 2 queries: they count as "
    )
    log.write_text("\n\n")
    outcome = cli("tune", "--self", "--in", folder, "--queries", log)
    assert outcome.code == 1
    assert "a query in each line" in outcome.err


def test_a_collection_of_another_fusion_is_told(cli, folder: Path, tmp_path: Path) -> None:
    with (
        plait.open(folder) as kb,
        plait.open(tmp_path / "rsf", embedder="hash(dim=4)", fusion="rsf()") as other,
        kb.snapshot() as view,
    ):
        other.add(list(view.chunks(view.ids()).values()))
    outcome = cli("tune", "--self", "--in", tmp_path / "rsf", "--apply")
    assert outcome.code == 0
    assert outcome.err == (
        "plait: the fusion of the collection is rsf(): only --fusion auto goes by what is stored\n"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--data", "."], "--self needs no labels: leave out --data"),
        (["--measure", "P@5"], "--self needs no labels: leave out --measure"),
        (
            ["--method", "rsf", "--window", 5, "--steps", 3, "--folds", 5],
            "--self needs no labels: leave out --method, --window, --steps, --folds",
        ),
        (["--sentences", 0], "--sentences"),
        (["--queries", "no/such/file"], "--queries"),
    ],
)
def test_what_excludes_it(cli, folder: Path, given: list[object], said: str) -> None:
    outcome = cli("tune", "--self", "--in", folder, *given)
    assert outcome.code == 2
    assert said in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("option", ["--queries", "--sentences"])
def test_what_goes_with_it_only(cli, folder: Path, tmp_path: Path, option: str) -> None:
    value = tmp_path if option == "--data" else 5
    if option == "--queries":
        value = tmp_path / "log.txt"
        value.write_text("cats\n")
    outcome = cli("tune", "--in", folder, "--data", tmp_path, option, value)
    assert outcome.code == 2
    assert f"{option} goes with --self" in outcome.err


def test_without_labels_it_is_named(cli, folder: Path) -> None:
    outcome = cli("tune", "--in", folder)
    assert outcome.code == 2
    assert "--self needs none" in outcome.err


def test_a_file_that_cannot_be_written_is_refused_before_any_work(
    cli, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was asked")

    monkeypatch.setattr("plait.cli.tuning.tune_self", refuse)
    file = tmp_path / "pyproject.toml"
    file.write_text("[project]\nname = 'mine'\n")
    for place, said in ((file, "holds project"), (tmp_path / "no" / "x.toml", "no such folder")):
        outcome = cli("tune", "--self", "--in", folder, "--write", place)
        assert outcome.code == 1
        assert said in outcome.err


def test_collections_that_cannot_be_tuned(cli, tmp_path: Path) -> None:
    with plait.open(tmp_path / "kb", embedder=None) as kb:
        kb.add([plait.Chunk("cats")])
    outcome = cli("tune", "--self", "--in", tmp_path / "kb")
    assert outcome.code == 1
    assert "searched by words only" in outcome.err
    outcome = cli("tune", "--self", "--in", tmp_path / "none")
    assert outcome.code == 1
    assert "make one with: plait index" in outcome.err


def test_where_there_are_no_blocks_bars_are_of_hashes(
    cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rich.console.ConsoleOptions.ascii_only", True)
    out = cli("tune", "--self", "--in", folder).out
    assert "#" * 30 in out
    assert "█" not in out
