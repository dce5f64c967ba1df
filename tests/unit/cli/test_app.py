"""The group: help, version, names."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import plait.cli.versions
from plait.cli import reference
from plait.version import __version__


def test_help_names_the_commands(cli) -> None:
    shown = cli("--help")
    assert shown.code == 0
    assert shown.err == ""
    assert [line.split()[0] for line in shown.out.split("Commands:")[1].splitlines() if line] == [
        "index",
        "search",
        "ask",
        "info",
        "eval",
        "compare",
        "tune",
        "diagnose",
        "completion",
    ]


def test_alone_it_shows_its_help(cli) -> None:
    assert cli() == cli("--help")


def test_version(cli) -> None:
    assert cli("--version").out == f"plait {__version__}\n"


def test_packages_that_are_not_installed_have_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(plait.cli.versions, "version", missing)
    assert set(plait.cli.versions.versions()) == {"plait", "python", "sqlite"}


def test_unknown_commands_and_options(cli) -> None:
    assert cli("serach").err == "plait: No such command 'serach'. See: plait --help\n" or (
        "Did you mean" in cli("serach").err
    )
    assert cli("serach").code == 2
    assert cli("search", "--topk", "3", "x").err.startswith("plait search: No such option")
    assert cli("search").err == (
        "plait search: Missing argument 'QUERY...'. See: plait search --help\n"
    )


def test_debug_stands_before_and_behind_the_command(cli, tmp_path: Path) -> None:
    for arguments in (("--debug", "info", tmp_path), ("info", tmp_path, "--debug")):
        shown = cli(*arguments)
        assert shown.code == 1
        assert shown.err.startswith("Traceback")
        assert "there is no collection in" in shown.err.splitlines()[-1]


def test_the_reference_is_up_to_date() -> None:
    page = Path(__file__).parents[3] / "docs" / "cli.md"
    assert page.read_text(encoding="utf-8") == reference.reference(), (
        "run: python -m plait.cli.reference > docs/cli.md"
    )


@pytest.mark.parametrize("columns", ["40", "200"])
def test_the_reference_does_not_depend_on_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = reference.reference()
    monkeypatch.delenv("COLUMNS")
    assert text == reference.reference()
    assert max(map(len, text.splitlines())) <= 100


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("package", ["click", "rich"])
def test_without_the_extra_it_says_the_pip_line(package: str) -> None:
    done = python(
        f"import sys; sys.modules[{package!r}] = None; sys.argv = ['plait', 'info']\n"
        "from plait.cli import main; sys.exit(main())"
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"plait: {package} is needed for the plait command line but is not installed. "
        "Run: pip install 'plait[cli]'\n"
    )


def test_importing_the_command_line_loads_nothing_that_it_does_not_need() -> None:
    done = python(
        "import sys, plait.cli; before = set(sys.modules); import plait.cli.app\n"
        "print(*(set(sys.modules) - before))"
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"rich", "sqlite3", "onnxruntime", "tokenizers", "wordllama"})


def test_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "plait", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[:6], done.stderr) == (0, "plait ", "")
