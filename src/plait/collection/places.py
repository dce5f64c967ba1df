"""Places: where the given paths lie below their roots, and what lies in them."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from plait.ingest import Skipped

__all__ = ["Place", "out_of_reach", "within"]


@dataclass(frozen=True, slots=True)
class Place:
    """A given path: a folder or a file below a root."""

    root: str
    location: str
    relative: str

    @classmethod
    def of(cls, path: Path, root: Path | None) -> Place:
        """The place of a path that ``walk`` has accepted."""
        folder = root or (path if path.is_dir() else path.parent)
        location, place = Path(os.path.abspath(folder)), Path(os.path.abspath(path))  # noqa: PTH100
        relative = place.relative_to(location).as_posix()
        return cls(location.name or location.as_posix(), str(location), relative)

    def holds(self, source_path: str) -> bool:
        """Whether a file lies in it."""
        return within(source_path, self.relative)

    def below(self, path: str) -> str | None:
        """Where a file or folder lies below the root; None if it lies elsewhere."""
        place = Path(os.path.abspath(path))  # noqa: PTH100 (a link stays where it is)
        inside = place.is_relative_to(self.location)
        return place.relative_to(self.location).as_posix() if inside else None


def within(path: str, folder: str) -> bool:
    """Whether a path is another or lies below it; ``.`` is the root."""
    return folder in (".", path) or path.startswith(f"{folder}/")


def out_of_reach(skipped: Skipped) -> bool:
    """Whether a file or folder is there and cannot be read, whatever is in it."""
    if skipped.line is not None:
        return False
    try:
        mode = os.stat(skipped.path).st_mode  # noqa: PTH116
        if stat.S_ISDIR(mode):
            os.listdir(skipped.path)  # noqa: PTH208
        elif stat.S_ISREG(mode):
            with Path(skipped.path).open("rb") as file:
                file.read(1)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
