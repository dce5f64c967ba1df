"""The library of compiled loops: found and used, or told why not."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
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


def test_threads_that_come_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []
    all_there = threading.Barrier(8)

    def slowly(path: Path) -> tuple[None, str]:
        loads.append(path)
        asking.wait(10)
        return None, "none"

    def ask() -> object:
        if not all_there.wait(10):  # one of them
            asking.set()
        return native.library()

    asking = threading.Event()
    monkeypatch.setattr(native, "_open", slowly)
    with ThreadPoolExecutor(8) as threads:
        found = [each.result(10) for each in [threads.submit(ask) for _ in range(8)]]
    assert found == [None] * 8
    assert loads == [native.FILE]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_uses_what_its_parent_loaded() -> None:
    program = (
        "import os, numpy as np\n"
        "from plait.kernels import native, vectors\n"
        "rows = np.float32([[3, 4]])\n"
        "before = native.describe(), vectors.lengths(rows).tolist()\n"
        "child = os.fork()\n"
        "after = native.describe(), vectors.lengths(rows).tolist()\n"
        "if not child:\n"
        "    os._exit(after != before)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), after == before, after[1])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0 True [5.0]\n"


def test_a_block_without_it_is_one_of_this_thread_alone() -> None:
    before = native.library()
    with native.without(), ThreadPoolExecutor(1) as other:
        assert other.submit(native.library).result(10) is before


def test_it_is_not_loaded_by_importing_plait() -> None:
    program = (
        "import plait, plait.lexical, sys; from plait.kernels import native; print(native._found)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "None\n"
