"""A virtual environment for each rival, made when it is first needed."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "requirements"


def python_of(environments: Path | None, name: str) -> str:
    """The interpreter with what ``requirements/<name>.txt`` asks for.

    It is made again when the requirements have changed. Without a folder for environments it is
    the interpreter that runs.
    """
    if environments is None:
        return sys.executable
    wanted = (REQUIREMENTS / f"{name}.txt").read_text(encoding="utf-8")
    folder = environments / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(folder, with_pip=True, clear=True)
        command = [python, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS / f"{name}.txt"]
        subprocess.run(command, check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return str(python)
