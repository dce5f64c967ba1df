"""Where recorded legs come from: a collection that is asked, or a file that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from plait.cli.existing import open_existing
from plait.cli.systems import LEGS, System
from plait.errors import ConfigurationError
from plait.evaluation import Recording, Topics, record
from plait.evaluation.tuning import fused_by
from plait.fusion import Auto, parse_fusion
from plait.hybrid.plan import Fusing

__all__ = ["Asked", "Kept", "Source", "Tell"]

By: TypeAlias = Literal["document", "chunk"]

_FETCH_K = 200  # candidates asked of each leg unless a window is wider

Tell: TypeAlias = Callable[[int, int], object]
"""Called with how many topics are done, and how many there are."""


class Source(Protocol):
    """Where recorded legs come from."""

    @property
    def prefix(self) -> str:
        """How the names of its systems begin, to tell them from those of other sources."""
        ...

    @property
    def legs(self) -> tuple[str, ...]:
        """Names of the legs that it can have."""
        ...

    def record(
        self, topics: Topics, systems: Sequence[System], tell: Tell
    ) -> tuple[Recording, tuple[System, ...]]:
        """What its legs return for the topics, and the systems as they are there."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A collection that is asked.

    Attributes:
        prefix: How the names of its systems begin.
        folder: Where it is.
        name: Its name there.
        fetch_k: Candidates asked of each leg, None for as many as the systems need.
        by: What the judgments name.
    """

    prefix: str
    folder: Path
    name: str
    fetch_k: int | None
    by: By

    @property
    def legs(self) -> tuple[str, ...]:
        """Those of any collection."""
        return LEGS

    @classmethod
    def all_of(
        cls, folders: Sequence[Path], names: Sequence[str], fetch_k: int | None, by: By
    ) -> tuple[Asked, ...]:
        """Every name in every folder; a prefix has what differs, and is empty for one alone."""
        found = []
        for folder, name in product(folders, names):
            parts = [str(folder)] if len(folders) > 1 else []
            parts += [name] if len(names) > 1 else []
            found.append(cls(_prefix("/".join(parts)), folder, name, fetch_k, by))
        return tuple(found)

    def record(
        self, topics: Topics, systems: Sequence[System], tell: Tell
    ) -> tuple[Recording, tuple[System, ...]]:
        """Run the legs for the topics, with as many candidates as the widest window has."""
        with open_existing(self.folder, self.name) as opened, opened.snapshot() as view:
            fusing = view.retriever().fusing
            settled = tuple(system.settled(fusing, self.fetch_k) for system in systems)
            windows = [system.window for system in settled if system.window is not None]
            reach = self.fetch_k or max([_FETCH_K, *windows])
            recording = record(
                view,
                topics,
                fetch_k=reach,
                by=self.by,
                progress=tell,
                fill=any(system.fill for system in settled),
            )
        return recording, settled


@dataclass(frozen=True, slots=True)
class Kept:
    """A file that keeps what legs returned.

    Attributes:
        prefix: How the names of its systems begin.
        path: The file.
        recording: What it keeps.
    """

    prefix: str
    path: Path
    recording: Recording

    @property
    def legs(self) -> tuple[str, ...]:
        """Those that were recorded."""
        return self.recording.legs

    @classmethod
    def all_of(cls, paths: Sequence[Path]) -> tuple[Kept, ...]:
        """Every file, read; its prefix is its path, and empty for one alone.

        Raises:
            FormatError: A file is not what it should be.
        """
        several = len(paths) > 1
        return tuple(
            cls(_prefix(str(path) if several else ""), path, Recording.load(path)) for path in paths
        )

    def record(
        self, topics: Topics, systems: Sequence[System], tell: Tell
    ) -> tuple[Recording, tuple[System, ...]]:
        """The legs of the topics; all of them must be there."""
        recording = self.recording
        missing = [topic for topic in topics if topic not in recording.rankings]
        if missing:
            raise ConfigurationError(
                f"{self.path} keeps no answers to {len(missing):,} of {len(topics):,} topics, "
                f"such as {missing[0]!r}; keep them with plait eval --record"
            )
        tell(len(topics), len(topics))
        fusing = partial(_fusing, recording)
        return recording, tuple(system.settled(fusing, recording.fetch_k) for system in systems)


def _fusing(
    recording: Recording, fusion: str | None, weights: Mapping[str, float] | None
) -> Fusing:
    """What the recorded hybrid makes of a fusion and weights, as far as its description tells.

    Raises:
        ConfigurationError: Its own fusion is asked for, and it does not tell.
    """
    equal = dict.fromkeys(recording.legs, 1.0)
    if fusion is None:
        own = fused_by(recording)
        method, window = own.fusion, own.window
        kept = dict(zip(recording.legs, own.weights, strict=True))
    else:
        method, window = parse_fusion(fusion), recording.fetch_k
        kept = equal
        if isinstance(method, Auto) and "weights" in recording.origin:
            kept = dict(recording.origin["weights"])
    return Fusing(method, kept if weights is None else {**equal, **weights}, window)


def _prefix(label: str) -> str:
    return f"{label}: " if label else ""
