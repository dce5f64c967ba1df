"""What the rows of a collection's file say, as values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from plait.embedding import EmbedderIdentity, text_key
from plait.types import Chunk, FloatVector

__all__ = [
    "CHECKSUM",
    "ROOT",
    "TUNING",
    "Space",
    "State",
    "StoredChunk",
    "StoredDocument",
    "StoredRow",
    "StoredSegment",
    "settings_checksum",
    "space_fingerprint",
    "stored_space",
    "text_checksum",
    "vectors_of",
]

CHECKSUM = "checksum"
"""The setting that holds the checksum over the others."""

ROOT = "root:"
"""How the names of settings begin that say where a root of documents is."""

TUNING = "tuning"
"""The setting that holds what tuning decided, if it did."""


@dataclass(frozen=True, slots=True)
class Space:
    """Whose vectors: those of two embedders do not compare.

    Attributes:
        number: Its row.
        identity: Who made the vectors, None if the chunks brought them along.
        spec: The text form that rebuilds the embedder, None if it has none.
        dim: Length of its vectors.
    """

    number: int
    identity: EmbedderIdentity | None
    spec: str | None
    dim: int


@dataclass(frozen=True, slots=True)
class State:
    """Where the collection stands.

    Attributes:
        generation: Counts the commits that changed what a query can find.
        pruned: Deletions up to this number are no longer in the log.
        space: Whose vectors are searched, None without vectors.
        arrangement: Counts the lists of segments.
    """

    generation: int
    pruned: int
    space: Space | None
    arrangement: int = 0


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A live chunk with its row number, and its vector if the state has a space."""

    row: int
    chunk: Chunk
    key: bytes
    vector: FloatVector | None


class StoredRow(NamedTuple):
    """What the indexes take of a live chunk, undecoded where that would cost time.

    Attributes:
        row: Its row number.
        id: Its id.
        text: What both legs index.
        metadata: Its metadata as JSON.
        vector: Its vector, float32 and little-endian; None without a space.
    """

    row: int
    id: str
    text: str
    metadata: str
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """A file that holds the index of some rows.

    Attributes:
        name: Its name in the folder of segments.
        space: Number of the space whose vectors it holds, None for none.
        above: It covers the rows above this number,
        upto: up to this one,
        deletion: without those whose deletion has at most this number.
        chunks: How many that are.
        size: Its postings and rows.
        bytes: Bytes of the file.
        mark: The checksum of its header.
    """

    name: str
    space: int | None
    above: int
    upto: int
    deletion: int
    chunks: int
    size: int
    bytes: int
    mark: str

    @property
    def facts(self) -> dict[str, int | None]:
        """What the file must say of itself."""
        names = ("space", "above", "upto", "deletion", "chunks", "size")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What is known of a document that was read from a file."""

    number: int
    id: str
    source_name: str | None
    source_path: str | None
    content_hash: str
    chunking: str


@lru_cache(maxsize=64)
def stored_space(
    number: int, fingerprint: bytes, identity: str | None, spec: str | None, dim: int
) -> Space | None:
    """The space of a row, None if it does not match its fingerprint."""
    try:
        made_by = None if identity is None else EmbedderIdentity.from_dict(json.loads(identity))
    except (TypeError, ValueError):
        return None
    sound = fingerprint == space_fingerprint(made_by, dim)
    return Space(number, made_by, spec, dim) if sound else None


def space_fingerprint(identity: EmbedderIdentity | None, dim: int) -> bytes:
    """Equal for vectors that compare: of one embedder, or brought along with one dimension."""
    return f"brought along, {dim}".encode() if identity is None else text_key(identity, "")


def vectors_of(space: Space | None) -> str | None:
    """A short name for whose vectors these are, equal where they compare; None without any."""
    return None if space is None else space_fingerprint(space.identity, space.dim).hex()[:16]


def settings_checksum(texts: Mapping[str, str]) -> str:
    """A checksum over all settings, which is stored as one of them."""
    pairs = sorted((repr(name), repr(value)) for name, value in texts.items())
    return text_checksum(repr(pairs))


def text_checksum(text: object) -> str:
    """A checksum over a text, or over whatever stands in its place."""
    return hashlib.blake2b(str(text).encode(), digest_size=16).hexdigest()
