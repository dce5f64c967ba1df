"""Source: a file to read, of a format that plait reads, below a root."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal, TypeAlias

__all__ = ["SUFFIXES", "Format", "PassedOver", "Root", "Source", "format_of"]

Format: TypeAlias = Literal["text", "markdown", "jsonl"]

SUFFIXES: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True, slots=True)
class Root:
    """The folder that document ids are relative to.

    Attributes:
        name: Its last part; stored with every chunk as ``source_name``.
        path: Where it is now, absolute. Not part of any id: a root may move.
    """

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read.

    Attributes:
        path: How to open it.
        root: The root that it belongs to.
        relative: Its path below the root, with ``/``.
        format: How to read it.
        size: Bytes on disk, for progress.
    """

    path: Path
    root: Root
    relative: str
    format: Format
    size: int


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Files of a folder that were passed over because plait does not read their type.

    Attributes:
        path: The folder that was walked.
        suffixes: How many files by suffix, most frequent first; "" where there is no suffix.

    Example:
        >>> print(PassedOver("docs", ((".png", 9), ("", 1))))
        docs: 10 files of other types passed over (9 .png, 1 without suffix)
    """

    path: str
    suffixes: tuple[tuple[str, int], ...]

    @property
    def count(self) -> int:
        """How many files were passed over."""
        return sum(count for _, count in self.suffixes)

    def __str__(self) -> str:
        kinds = ", ".join(
            f"{count} {suffix or 'without suffix'}" for suffix, count in self.suffixes
        )
        files = (
            "1 file of another type" if self.count == 1 else f"{self.count} files of other types"
        )
        return f"{self.path}: {files} passed over ({kinds})"


def format_of(path: PurePath) -> Format | None:
    """The format that a file's name tells, None if plait does not read it.

    Example:
        >>> format_of(PurePath("Notes.MD")), format_of(PurePath("dump.jsonl.gz"))
        ('markdown', 'jsonl')
    """
    plain = path.name.lower().removesuffix(".gz")
    return SUFFIXES.get(PurePath(plain).suffix)
