"""Compiling the loops: by which compiler, how, and what is left where that fails."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "compile_kernels.py"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compile_kernels", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A library that was made of other sources."""
    path = tmp_path / "loops.so"
    path.write_bytes(b"old")
    return path


def test_no_compiler(script: ModuleType, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    worked, said = script.compile_kernels(target)
    assert not worked
    assert said == ("no C compiler (no-such-compiler -O2): plait will run its loops in NumPy")
    assert not target.exists()


def test_a_compiler_that_fails(
    script: ModuleType, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python cannot read the options of a C compiler: it says so and fails.
    monkeypatch.setenv("CC", f"{sys.executable} -I")
    worked, said = script.compile_kernels(target)
    assert not worked
    assert "failed, plait will run its loops in NumPy:" in said
    assert said.count("\n") > 1
    assert list(target.parent.iterdir()) == []


def test_a_compiler_that_makes_nothing(
    script: ModuleType, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", f"{sys.executable} -I -c pass")
    worked, _ = script.compile_kernels(target)
    assert not worked
    assert list(target.parent.iterdir()) == []


def test_the_first_compiler_that_is_there(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: name if name in ("gcc", "clang") else None)
    assert script.chosen_compiler() == ["gcc"]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert script.chosen_compiler() is None


def test_contraction_is_off_whatever_the_compiler(script: ModuleType) -> None:
    assert "-ffp-contract=off" in script.command(["clang"], ["a.c"], "x.so")
    microsoft = script.command(["C:/tools/cl.exe"], ["a.c"], "x.so")
    assert microsoft == [
        "C:/tools/cl.exe", "/nologo", "/std:c11", "/O2", "/fp:strict", "/LD", "a.c", "/Fe:x.so",
    ]  # fmt: skip


def test_the_same_sources_give_the_same_bytes(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc -O0")
    if script.chosen_compiler() is None:
        pytest.skip("no C compiler")
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        worked, said = script.compile_kernels(tmp_path / name / "loops.so")
        assert worked, said
        made.append((tmp_path / name / "loops.so").read_bytes())
    assert made[0] == made[1]
