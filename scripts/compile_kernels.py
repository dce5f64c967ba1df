"""Compile src/plait/kernels/c into one library beside it.

Run: python scripts/compile_kernels.py

Needs a C compiler: $CC, or cc. Without one nothing is made, and plait runs its loops in NumPy.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "plait" / "kernels" / "c"
TARGET = SOURCES.parent / "_plait_kernels.so"
FLAGS = ["-std=gnu11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]


def compile_kernels() -> str:
    """Compile, and say what was done."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if shutil.which(compiler[0]) is None:
        TARGET.unlink(missing_ok=True)
        return f"no C compiler ({compiler[0]}): plait will run its loops in NumPy"
    made = TARGET.with_suffix(f".{os.getpid()}.so")
    sources = sorted(map(str, SOURCES.glob("*.c")))
    command = [*compiler, *FLAGS, "-Wall", "-Wextra", *sources, "-o", str(made), "-lm"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        TARGET.unlink(missing_ok=True)
        made.unlink(missing_ok=True)
        return f"{shlex.join(command)} failed, plait will run its loops in NumPy:\n{done.stderr}"
    made.replace(TARGET)  # at once: another process may be loading it
    return f"compiled {TARGET}{chr(10) + done.stderr if done.stderr else ''}"


if __name__ == "__main__":
    said = compile_kernels()
    print(said)
    sys.exit(0 if TARGET.is_file() else 1)
