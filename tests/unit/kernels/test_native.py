"""The library of compiled loops: found and used, or told why not."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from plait.errors import ConfigurationError
from plait.kernels import native


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test looks for the library anew."""
    monkeypatch.setattr(native, "_found", None)
    monkeypatch.delenv(native.VARIABLE, raising=False)


def compiled(folder: Path, source: str) -> Path:
    """A library of a few lines; skips where there is no compiler."""
    (folder / "x.c").write_text(source)
    target = folder / "x.so"
    try:
        subprocess.run(
            ["cc", "-shared", "-fPIC", str(folder / "x.c"), "-o", str(target)], check=True
        )
    except FileNotFoundError:
        pytest.skip("no C compiler")
    return target


def test_what_runs_is_described() -> None:
    lib = native.library()
    said = native.describe()
    assert said.startswith("compiled (" if lib is not None else "numpy (")


def test_a_block_without_it() -> None:
    before = native.library()
    with native.without():
        assert native.library() is None
    assert native.library() is before


def test_the_variable_leaves_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "numpy")
    assert native.library() is None
    assert native.describe() == "numpy (PLAIT_KERNELS=numpy)"


def test_the_variable_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "fast")
    with pytest.raises(ConfigurationError, match="is 'fast', expected native or numpy"):
        native.library()


@pytest.mark.parametrize("asked", ["", "native"])
def test_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setattr(native, "FILE", tmp_path / "none.so")
    monkeypatch.setenv(native.VARIABLE, asked)
    if asked:
        with pytest.raises(ConfigurationError, match="installed without a C compiler"):
            native.library()
    else:
        assert native.library() is None
        assert native.describe() == "numpy (plait was installed without a C compiler)"


def test_a_file_that_is_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(b"nothing of the kind")
    monkeypatch.setattr(native, "FILE", path)
    assert native.library() is None
    assert "x.so cannot be loaded" in native.describe()


def test_a_library_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'int plait_abi(void) { return 99; } const char *plait_features(void) { return ""; }'
    monkeypatch.setattr(native, "FILE", compiled(tmp_path, source))
    assert native.library() is None
    assert native.describe() == "numpy (x.so is of another version of plait)"


def test_a_library_of_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "FILE", compiled(tmp_path, "int other(void) { return 1; }"))
    assert native.library() is None
    assert "cannot be loaded" in native.describe()


def test_the_number_of_the_library_is_that_of_the_module() -> None:
    lib = native.library()
    if lib is None:
        pytest.skip("no compiled loops here")
    assert isinstance(lib, ctypes.CDLL)
    assert lib.plait_abi() == native.ABI


def test_it_is_not_loaded_by_importing_plait() -> None:
    program = (
        "import plait, plait.lexical, sys; from plait.kernels import native; print(native._found)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "None\n"
