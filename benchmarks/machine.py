"""What a result was measured on."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from plait import __version__


def machine(*packages: str) -> dict[str, object]:
    versions: dict[str, str | None] = {"plait": __version__}  # also where it is not installed
    for package in ("numpy", *packages):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = None
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
