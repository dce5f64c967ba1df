"""Compile src/plait/kernels/c into one library beside it.

Run: python scripts/compile_kernels.py

Needs a C compiler: $CC, or the first of cc, gcc, clang and cl that is there. Without one nothing is
made, and plait runs its loops in NumPy.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "plait" / "kernels" / "c"
TARGET = SOURCES.parent / "_plait_kernels.so"
COMPILERS = ("cc", "gcc", "clang", "cl")
# Nothing here depends on the machine that compiles: what a processor can do is found at run time.
FLAGS = ("-std=c11", "-O3", "-shared", "-fvisibility=hidden", "-ffp-contract=off")
WARNINGS = ("-Wall", "-Wextra")
MICROSOFT = ("/nologo", "/std:c11", "/O2", "/fp:strict", "/LD")


def compile_kernels(target: Path = TARGET) -> tuple[bool, str]:
    """Compile; whether that worked, and what was done. A target that was there goes either way."""
    compiler = chosen_compiler()
    if compiler is None:
        target.unlink(missing_ok=True)
        named = os.environ.get("CC") or ", ".join(COMPILERS)
        return False, f"no C compiler ({named}): plait will run its loops in NumPy"
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder) / target.name
        asked = command(compiler, sorted(map(str, SOURCES.glob("*.c"))), made.name)
        try:
            done = subprocess.run(asked, check=False, capture_output=True, text=True, cwd=folder)
            said, failed = done.stdout + done.stderr, done.returncode != 0 or not made.exists()
            if not failed:
                made.replace(target)  # at once: another process may be loading it
                return True, f"compiled {target}\n{said}".strip()
        except OSError as error:  # no program, or a target that Windows keeps while it is in use
            said = str(error)
    target.unlink(missing_ok=True)
    return False, f"{shlex.join(asked)} failed, plait will run its loops in NumPy:\n{said}"


def chosen_compiler() -> list[str] | None:
    """The compiler and what it is always given, None if it is not there."""
    asked = os.environ.get("CC")
    if asked:
        compiler = shlex.split(asked, posix=os.name == "posix")
        return compiler if shutil.which(compiler[0]) else None
    found = (name for name in COMPILERS if shutil.which(name))
    return next(([name] for name in found), None)


def command(compiler: Sequence[str], sources: Sequence[str], made: str) -> list[str]:
    """How one library is made of the sources."""
    if Path(compiler[0]).stem.lower() in ("cl", "clang-cl"):
        return [*compiler, *MICROSOFT, *sources, f"/Fe:{made}"]
    asked = [*compiler, *FLAGS, *WARNINGS, *sources, "-o", made]
    if sys.platform == "darwin":
        asked += shlex.split(os.environ.get("ARCHFLAGS") or both_processors())
    if sys.platform != "win32":  # where code is always position-independent
        asked += ["-fPIC", "-lm"]
    return asked


def both_processors() -> str:
    """What a Python for both processors of the Mac is given, so that it is what its name says."""
    universal = sysconfig.get_platform().endswith("universal2")
    return "-arch arm64 -arch x86_64" if universal else ""


if __name__ == "__main__":
    worked, said = compile_kernels()
    print(said)
    sys.exit(0 if worked else 1)
