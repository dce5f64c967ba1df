"""walk: from paths to the files below them, in a fixed order."""

from __future__ import annotations

import os
import stat
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from plait.errors import ConfigurationError
from plait.ingest.document import Skipped
from plait.ingest.sources import SUFFIXES, PassedOver, Root, Source, format_of

__all__ = ["Paths", "walk"]

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_JUNK = frozenset({"node_modules", "__pycache__", "venv"})


def walk(
    paths: Paths, *, root: str | os.PathLike[str] | None = None
) -> Iterator[Source | Skipped | PassedOver]:
    """Find the files that plait reads.

    These are ``.txt``, ``.text``, ``.md``, ``.markdown``, ``.jsonl`` and ``.ndjson``, plain or with
    ``.gz`` after it.

    Folders are walked with everything below them, sorted by path. Hidden files and folders,
    ``node_modules``, ``__pycache__`` and ``venv`` are left out unless they are given themselves.
    Symbolic links are followed after everything that is really there; no folder is entered twice
    and no file is read twice, so loops end. ``.log`` is not read: logs are machine output, long
    and repetitive; rename one to ``.txt`` to index it.

    Args:
        paths: A file, a folder, or several. Several are walked in the order given.
        root: The folder that document ids are relative to; every path must lie in it. By default
            a folder is its own root, and a file's root is the folder that it is in.

    Yields:
        A ``Source`` for each file, a ``Skipped`` for each that cannot be read, and after each
        folder a ``PassedOver`` if it has files of other types.

    Raises:
        ConfigurationError: No path, a path that does not exist or is outside ``root``, or two
            roots of one name, whose documents could not be told apart. Raised before any work.
    """
    given: list[Any] = [paths]
    if isinstance(paths, Iterable) and not isinstance(paths, str | os.PathLike):
        given = list(paths)
    if not given:
        raise ConfigurationError("no path to read; give at least one file or folder")
    for path in given:
        if not isinstance(path, str | os.PathLike) or not os.fspath(path):
            raise ConfigurationError(
                f"a path is {path!r:.60}, expected a file or a folder; '.' is the current folder"
            )
    rooted = [_rooted(Path(path), None if root is None else Path(root)) for path in given]
    _refuse_namesakes([owner for _, owner, _ in rooted])
    return _walk(rooted)


def _rooted(path: Path, root: Path | None) -> tuple[Path, Root, PurePosixPath]:
    """A given path with its root and its place below it."""
    try:
        there = path.exists()
    except OSError as error:  # such as a name that is too long, or a folder that may not be entered
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    if not there:
        raise ConfigurationError(f"{path} does not exist; give a file or a folder")
    folder = root if root is not None else path if path.is_dir() else path.parent
    # Not resolved: a link named docs is a root named docs, wherever it points.
    absolute, place = (Path(os.path.abspath(it)) for it in (folder, path))  # noqa: PTH100
    if not absolute.is_dir() or not place.is_relative_to(absolute):
        raise ConfigurationError(
            f"{path} is not inside root={str(root)!r}; give a root that holds every path"
        )
    name = absolute.name or absolute.as_posix()
    return path, Root(name, str(absolute)), PurePosixPath(place.relative_to(absolute).as_posix())


def _refuse_namesakes(roots: list[Root]) -> None:
    first: dict[str, Root] = {}
    for root in roots:
        other = first.setdefault(root.name, root)
        if os.path.realpath(other.path) != os.path.realpath(root.path):
            raise ConfigurationError(
                f"{other.path} and {root.path} are two roots of one name, so their documents could "
                "not be told apart; give root= a folder that holds both"
            )


def _walk(
    rooted: list[tuple[Path, Root, PurePosixPath]],
) -> Iterator[Source | Skipped | PassedOver]:
    seen: set[str] = set()
    for path, root, place in rooted:
        if not path.is_dir():
            yield from _sources([(place, path)], root, seen)
            continue
        files, unreadable = _scan(path, place)
        yield from unreadable
        yield from _sources([file for file in files if format_of(file[1])], root, seen)
        others = Counter(file.suffix.lower() for _, file in files if not format_of(file))
        if others:
            frequent_first = sorted(others.items(), key=lambda item: (-item[1], item[0]))
            yield PassedOver(_shown(path), tuple(frequent_first))


def _scan(
    top: Path, place: PurePosixPath
) -> tuple[list[tuple[PurePosixPath, Path]], list[Skipped]]:
    """The files below a folder: what is really there, sorted, then what is linked, sorted."""
    found: list[tuple[bool, PurePosixPath, Path]] = []
    unreadable: list[Skipped] = []
    entered: set[str] = set()
    trees = deque([(False, place, top)])
    while trees:
        linked, above, tree = trees.popleft()
        for at, folders, names in os.walk(tree, onerror=lambda e: unreadable.append(_unread(e))):
            folder = Path(at)
            here = above / folder.relative_to(tree).as_posix()
            real = os.path.realpath(folder)
            folders[:] = [] if real in entered else sorted(filter(_wanted, folders))
            if real in entered:
                continue
            entered.add(real)
            for name in folders:
                if (folder / name).is_symlink():  # os.walk lists it and does not enter it
                    trees.append((True, here / name, folder / name))
            for name in filter(_wanted, names):
                file = folder / name
                found.append((linked or file.is_symlink(), here / name, file))
    return [(here, file) for _, here, file in sorted(found)], unreadable


def _wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _JUNK


def _sources(
    files: list[tuple[PurePosixPath, Path]], root: Root, seen: set[str]
) -> Iterator[Source | Skipped]:
    for place, path in files:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield _source(path, root, place.as_posix())


def _source(path: Path, root: Root, relative: str) -> Source | Skipped:
    kind = format_of(path)
    if kind is None:
        reason = f"unknown type; plait reads {' '.join(SUFFIXES)}, also as .gz"
        return Skipped(_shown(path), None, reason)
    if _shown(path) != str(path):
        return Skipped(_shown(path), None, "the name is not valid UTF-8; rename it")
    try:
        status = path.stat()
    except OSError as error:
        return _unread(error)
    if not stat.S_ISREG(status.st_mode):  # opening a pipe would wait for its writer
        return Skipped(str(path), None, "not a regular file")
    return Source(path, root, relative, kind, status.st_size)


def _unread(error: OSError) -> Skipped:
    return Skipped(_shown(error.filename), None, f"cannot be read: {error.strerror}")


def _shown(path: str | Path) -> str:
    """The path as text; bytes of a name that are not UTF-8 are escaped."""
    return os.fsencode(path).decode(errors="backslashreplace")
