"""The scripts' environment: which Python makes it, and what is said before anything is made."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="scripts for bash")


def call(script: str, *arguments: object, **environment: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [ROOT / "scripts" / script, *map(str, arguments)],
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
        capture_output=True,
        text=True,
        check=False,
    )


def python(folder: Path, version: str) -> Path:
    """A Python that knows nothing but its version, and makes environments of such."""
    file = folder / f"python{version}"
    file.write_text(
        f'#!/bin/sh\n[ "$1" = -c ] && exec echo {version}\n'
        'echo made >> "$4.log" && mkdir -p "$4/bin" && cp "$0" "$4/bin/python"\n'
    )
    file.chmod(0o755)
    return file


@pytest.mark.parametrize("version", ["2.7", "3.9", "3.10"])
def test_a_python_that_is_too_old_is_named_first(tmp_path: Path, version: str) -> None:
    old = python(tmp_path, version)
    said = call("quickstart", PYTHON=old, PLAIT_QUICKSTART=tmp_path / "place")
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == (
        f"{old} is {version}; plait needs Python 3.11 or newer: "
        "PYTHON=python3.12 scripts/quickstart\n"
    )
    assert not (tmp_path / "place").exists()


def test_no_python_at_all(tmp_path: Path) -> None:
    said = call("environment", tmp_path / "venv", "scripts/test", PYTHON=tmp_path / "none")
    assert said.returncode == 1
    assert "none does not run; plait needs Python 3.11 or newer" in said.stderr
    assert said.stderr.count("\n") == 1


def test_an_environment_is_made_once_and_anew_for_another_python(tmp_path: Path) -> None:
    venv, log = tmp_path / "venv", tmp_path / "venv.log"
    for version, made in (("3.11", 1), ("3.11", 1), ("3.14", 2), ("4.0", 3)):
        done = call("environment", venv, "x", PYTHON=python(tmp_path, version))
        assert done.returncode == 0, done.stderr
        assert log.read_text().count("made") == made


@pytest.mark.parametrize("script", ["quickstart", "test"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_the_usage(script: str, option: str) -> None:
    shown = call(script, option, PYTHON="none")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert f"  scripts/{script}   " in shown.stdout
    assert "set -euo" not in shown.stdout


def test_a_path_that_does_not_exist_is_said_first(tmp_path: Path) -> None:
    said = call("quickstart", tmp_path / "nope", PYTHON="none", PLAIT_QUICKSTART=tmp_path / "place")
    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith(f"{tmp_path / 'nope'} does not exist; ")
    assert not (tmp_path / "place").exists()


def test_each_path_has_an_index_of_its_own(tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "venv" / "bin").mkdir(parents=True)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    (place / "venv" / "bin" / "python").write_text(
        f"#!/bin/sh\n[ $1 = -c ] && echo {version}\nexit 0\n"
    )
    (place / "venv" / "bin" / "plait").write_text("#!/bin/sh\nexit 0\n")
    for file in (place / "venv" / "bin").iterdir():
        file.chmod(0o755)
    asked = []
    for paths in ((), (tmp_path,), (place,), (f"{tmp_path}/",)):
        done = call("quickstart", *paths, PYTHON=sys.executable, PLAIT_QUICKSTART=place)
        assert done.returncode == 0, done.stderr
        asked.append(done.stdout.splitlines()[-1].partition(" --in ")[2])
        assert f"  {place}/venv/bin/plait search " in done.stdout
    assert asked[0] == str(place / "sample")
    assert len(set(asked)) == 3
    assert asked[1] == asked[3]
