"""Completion: the scripts, and what they ask of plait."""

from pathlib import Path

import pytest

from plait.cli.run import COMPLETION_VARIABLE


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef plait"), ("fish", "complete --no-files")],
)
def test_scripts(cli, shell: str, sign: str) -> None:
    shown = cli("completion", shell)
    assert shown.code == 0
    assert sign in shown.out
    assert COMPLETION_VARIABLE in shown.out


def test_other_shells_are_refused(cli) -> None:
    shown = cli("completion", "tcsh")
    assert shown.code == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in shown.err


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("plait se", ["search"]),
        ("plait in", ["index", "info"]),
        ("plait search --leg ", ["dense", "bm25"]),
        ("plait search --exp", ["--explain"]),
        ("plait index docs --embedder st", ["static"]),
        ("plait index docs --language d", ["da", "de"]),
        ("plait index docs --language no", ["none", "no"]),
        ("plait search --fusion rr", ["rrf"]),
        ("plait completion f", ["fish"]),
    ],
)
def test_what_is_offered(
    cli, words: str, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete(cli, words, monkeypatch) == offered


def test_collections_of_the_folder_are_offered(
    cli, kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete(cli, f"plait search --in {kb} --collection d", monkeypatch) == ["default"]
    assert complete(cli, f"plait search --in {kb} --collection x", monkeypatch) == []


def complete(cli, words: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv(COMPLETION_VARIABLE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    shown = cli()
    assert shown.code == 0
    return [line.partition(",")[2] for line in shown.out.splitlines() if line]
