"""Where recorded legs come from: a collection that is asked, or a file that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from plait.cli.existing import open_existing
from plait.errors import ConfigurationError
from plait.evaluation import Recording, Topics, record

__all__ = ["Asked", "Kept", "Source", "Tell"]

Tell: TypeAlias = Callable[[int, int], object]
"""Called with how many topics are done, and how many there are."""


class Source(Protocol):
    """Where recorded legs come from."""

    @property
    def prefix(self) -> str:
        """How the names of its systems begin, to tell them from those of other sources."""
        ...

    def recording(self, topics: Topics, tell: Tell) -> Recording:
        """What its legs return for the topics."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A collection that is asked.

    Attributes:
        prefix: How the names of its systems begin.
        folder: Where it is.
        name: Its name there.
        fetch_k: Candidates asked of each leg.
        by: What the judgments name.
    """

    prefix: str
    folder: Path
    name: str
    fetch_k: int
    by: Literal["document", "chunk"]

    @classmethod
    def all_of(
        cls,
        folders: Sequence[Path],
        names: Sequence[str],
        fetch_k: int,
        by: Literal["document", "chunk"],
    ) -> tuple[Asked, ...]:
        """Every name in every folder; a prefix has what differs, and is empty for one alone."""
        found = []
        for folder, name in product(folders, names):
            parts = [str(folder)] if len(folders) > 1 else []
            parts += [name] if len(names) > 1 else []
            found.append(cls(_prefix("/".join(parts)), folder, name, fetch_k, by))
        return tuple(found)

    def recording(self, topics: Topics, tell: Tell) -> Recording:
        """Run the legs for the topics."""
        with open_existing(self.folder, self.name) as opened:
            return record(opened, topics, fetch_k=self.fetch_k, by=self.by, progress=tell)


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that keeps what legs returned.

    Attributes:
        prefix: How the names of its systems begin.
        path: The file.
    """

    prefix: str
    path: Path

    @classmethod
    def all_of(cls, paths: Sequence[Path]) -> tuple[Kept, ...]:
        """Every file; its prefix is its path, and empty for one alone."""
        return tuple(cls(_prefix(str(path) if len(paths) > 1 else ""), path) for path in paths)

    def recording(self, topics: Topics, tell: Tell) -> Recording:
        """Read the legs of the topics; all of them must be there."""
        recording = Recording.load(self.path)
        missing = [topic for topic in topics if topic not in recording.rankings]
        if missing:
            raise ConfigurationError(
                f"{self.path} keeps no answers to {len(missing):,} of {len(topics):,} topics, "
                f"such as {missing[0]!r}; keep them with plait eval --record"
            )
        tell(len(topics), len(topics))
        return recording


def _prefix(label: str) -> str:
    return f"{label}: " if label else ""
