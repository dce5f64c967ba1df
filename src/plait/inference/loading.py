"""Model files: where a package keeps them, whether they are the right ones, loaded once."""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

from plait.errors import ConfigurationError, MissingDependencyError

__all__ = ["OncePerProcess", "PackagedFiles", "digest", "require"]

T = TypeVar("T")


def require(module: str, *, extra: str, purpose: str) -> None:
    """Refuse to go on without an optional package, before anything needs it.

    Raises:
        MissingDependencyError: It is not installed.
    """
    if find_spec(module) is None:
        raise MissingDependencyError(module, extra=extra, purpose=purpose)


def digest(files: Sequence[Path]) -> str:
    """``sha256:`` and the hash of these files, one after the other.

    Kept for as long as size and time of change of the files stay the same.
    """
    return _digest(tuple((str(file), *_stamp(file)) for file in files))


def _stamp(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_size, state.st_mtime_ns


@lru_cache(maxsize=32)
def _digest(stamped: tuple[tuple[str, int, int], ...]) -> str:
    total = hashlib.sha256()
    for name, _, _ in stamped:
        with Path(name).open("rb") as stream:
            while block := stream.read(2**20):
                total.update(block)
    return f"sha256:{total.hexdigest()}"


@dataclass(frozen=True, slots=True)
class PackagedFiles:
    """The files of a model inside a package, found without importing it.

    Attributes:
        distribution: Name of the package in the registry.
        version: The version whose files these are.
        extra: The extra of plait that brings it.
        purpose: What it is needed for, as the end of "... is needed for".
        names: Paths in the package, in the order in which they are hashed.
        expected: ``sha256:`` and the hash of the files, one after the other.
    """

    distribution: str
    version: str
    extra: str
    purpose: str
    names: tuple[str, ...]
    expected: str

    def find(self) -> tuple[Path, ...]:
        """Where the files are.

        Raises:
            MissingDependencyError: The package is not installed.
            ConfigurationError: It is, without one of the files.
        """
        try:
            package = metadata.distribution(self.distribution)
        except metadata.PackageNotFoundError as error:
            raise MissingDependencyError(
                self.distribution, extra=self.extra, purpose=self.purpose
            ) from error
        files = tuple(Path(str(package.locate_file(name))) for name in self.names)
        for file in files:
            if not file.is_file():
                raise self._changed(f"has no file {file}")
        return files

    def verify(self) -> tuple[Path, ...]:
        """Where the files are, once they are known to be the right ones.

        Raises:
            MissingDependencyError: The package is not installed.
            ConfigurationError: A file is missing or another one.
        """
        files = self.find()
        found = digest(files)
        if found != self.expected:
            raise self._changed(f"has other files: {found}, expected {self.expected}")
        return files

    def _changed(self, what: str) -> ConfigurationError:
        installed = metadata.version(self.distribution)
        return ConfigurationError(
            f"{self.distribution} {installed} {what}. plait uses the files of version "
            f"{self.version}; run: pip install --force-reinstall --no-deps "
            f"'{self.distribution}=={self.version}'"
        )


class OncePerProcess(Generic[T]):
    """A value that is made when it is first needed, and once more in a forked process.

    The threads of a model do not survive a fork, and a lock may be held for ever.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._reset()
        _every.add(self)

    def get(self) -> T:
        """The value of this process."""
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._made: list[T] = []


_every: weakref.WeakSet[OncePerProcess[Any]] = weakref.WeakSet()


def _after_fork() -> None:
    for each in list(_every):
        each._reset()  # noqa: SLF001 (the same module)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
