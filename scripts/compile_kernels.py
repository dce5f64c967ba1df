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
FLAGS = ["-std=gnu11", "-O3", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]


def compile_kernels(target: Path = TARGET) -> tuple[bool, str]:
    """Compile; whether that worked, and what was done."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        return False, f"no C compiler ({compiler[0]}): plait will run its loops in NumPy"
    made = target.with_suffix(f".{os.getpid()}.so")
    command = [*compiler, *FLAGS, "-Wall", "-Wextra", *sorted(map(str, SOURCES.glob("*.c")))]
    if sys.platform != "win32":  # where code is always position-independent
        command += ["-fPIC", "-lm"]
    if sys.platform == "darwin":
        command += shlex.split(os.environ.get("ARCHFLAGS", ""))
    done = subprocess.run([*command, "-o", str(made)], check=False, capture_output=True, text=True)
    if done.returncode:
        made.unlink(missing_ok=True)
        said = f"{shlex.join(command)} failed, plait will run its loops in NumPy:\n{done.stderr}"
        return False, said
    made.replace(target)  # at once: another process may be loading it
    return True, f"compiled {target}\n{done.stderr}".strip()


if __name__ == "__main__":
    worked, said = compile_kernels()
    print(said)
    sys.exit(0 if worked else 1)
