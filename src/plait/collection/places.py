"""Places: where the given paths lie below their roots, and what lies in them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from plait.ingest import PassedOver, Skipped, Source, walk

__all__ = ["Place", "below", "find", "out_of_reach", "rooted", "within"]


@dataclass(frozen=True, slots=True)
class Place:
    """A given path: a folder or a file below a root.

    Attributes:
        root: Name of the root.
        location: Where the root is, absolute.
        relative: Where the place is below it, with ``/``; ``.`` for the root itself.
    """

    root: str
    location: str
    relative: str

    @classmethod
    def of(cls, path: Path, root: Path) -> Place:
        """The place of a path that ``walk`` has accepted."""
        location, place = _absolute(root), _absolute(path)
        relative = place.relative_to(location).as_posix()
        return cls(location.name or location.as_posix(), str(location), relative)

    def part_of(self, root: str, location: str) -> str | None:
        """Which part of a root lies in this place: ``.`` for all of it, None for nothing."""
        if root == self.root:
            return self.relative
        here = Path(self.location, self.relative)
        inside = below(here, location)
        if inside is None and below(location, here) is not None:
            return "."
        return inside


def rooted(
    paths: Sequence[Path], root: Path | None, known: Mapping[str, str]
) -> list[tuple[Path, Path]]:
    """Each path with its root, so that a document has one id however its path is given.

    Without ``root``, paths inside another given folder share its root; what lies in a known root
    belongs to it; otherwise a folder is its own root, and a file has the folder that it is in.

    Args:
        paths: Folders and files.
        root: The root of all of them, None to choose.
        known: Where roots that were indexed before are, by name.
    """
    if root is not None:
        return [(path, root) for path in paths]
    folders = [path for path in paths if path.is_dir()]
    found = []
    for path in paths:
        above = [folder for folder in folders if below(path, folder) is not None]
        top = min(above, key=lambda folder: len(_absolute(folder).parts), default=path)
        holding = [place for place in known.values() if below(top, place) is not None]
        if holding:
            owner = Path(max(holding, key=len))
            if not _absolute(path).is_relative_to(owner):  # reached by a link: spell it from there
                path = owner / str(below(top, owner)) / str(below(path, top))
        else:
            owner = top if top.is_dir() else top.parent
        found.append((path, owner))
    return found


def find(paths: Sequence[tuple[Path, Path]]) -> Iterator[Source | Skipped | PassedOver]:
    """What ``walk`` finds below paths of several roots, each file once."""
    by_root: dict[Path, list[Path]] = {}
    for path, root in paths:
        by_root.setdefault(_absolute(root), []).append(path)
    seen: set[str] = set()
    for root, some in by_root.items():
        for item in walk(some, root=root):
            if isinstance(item, Source) and len(by_root) > 1:
                real = os.path.realpath(item.path)
                if real in seen:
                    continue
                seen.add(real)
            yield item


def below(path: str | Path, folder: str | Path) -> str | None:
    """Where a path lies below a folder, ``.`` for the folder itself; None if it lies elsewhere.

    Read as they are spelled, and if that does not tell, with links followed.
    """
    for spelled in (os.path.abspath, os.path.realpath):
        place, above = Path(spelled(path)), Path(spelled(folder))
        if place.is_relative_to(above):
            return place.relative_to(above).as_posix()
    return None


def within(path: str, places: AbstractSet[str]) -> bool:
    """Whether a path below a root is one of some places or lies in one; ``.`` is the root."""
    if not places:
        return False
    return path in places or any(str(above) in places for above in PurePosixPath(path).parents)


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


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 (a link stays where it is)
