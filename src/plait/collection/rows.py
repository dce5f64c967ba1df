"""A chunk as a row of the file and back, and a vector likewise, each under a checksum."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from plait.errors import IndexFormatError
from plait.types import Chunk, FloatVector

__all__ = [
    "COLUMNS",
    "Row",
    "VectorRow",
    "decode",
    "decode_row",
    "decode_vector",
    "encode",
    "sound_vector",
    "vector_key",
]

COLUMNS = (
    "CAST(chunk.id AS BLOB), chunk.key, CAST(chunk.content AS BLOB), "
    "CAST(chunk.metadata AS BLOB), CAST(chunk.fields AS BLOB), chunk.checksum"
)
"""What ``decode`` takes: bytes as they are in the file, so that damage is found before decoding."""

_FIELDS = (
    "title", "document_id", "index", "source_name", "source_path", "source_uri", "section", "page",
)  # fmt: skip
_values = attrgetter(*_FIELDS)
_NONE = (None,) * len(_FIELDS)
_LENGTHS = {count: struct.Struct(f"<{count}Q").pack for count in (2, 5)}
_FLOAT = np.dtype("<f4")


class Row(NamedTuple):
    """A chunk as it is stored.

    Attributes:
        id: Its id.
        key: Names its vector, see ``vector_key``.
        content: Its text.
        metadata: Its metadata as JSON.
        fields: Everything else that is set, as JSON.
        text: What both legs index; not stored, it is made of the others.
        embedding: The vector that it brought along, None if it is to be embedded.
    """

    id: str
    key: bytes
    content: str
    metadata: str
    fields: str
    text: str
    embedding: FloatVector | None

    @property
    def columns(self) -> tuple[bytes, str, str, str, bytes]:
        """Key, content, metadata, fields, and a checksum over them and the id."""
        content, metadata, fields = self.content, self.metadata, self.fields
        checksum = _checksum(
            self.id.encode(), self.key, content.encode(), metadata.encode(), fields.encode()
        )
        return self.key, content, metadata, fields, checksum


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A vector as it is stored: float32, little-endian, with the key that finds it again."""

    key: bytes
    data: bytes

    @classmethod
    def of(cls, key: bytes, vector: FloatVector) -> VectorRow:
        """The row of a vector."""
        return cls(key, vector.astype(_FLOAT).tobytes())

    @property
    def checksum(self) -> bytes:
        """Over the key and the data."""
        return _checksum(self.key, self.data)


def encode(chunk: Chunk) -> Row:
    """The row of a chunk that has an id."""
    values = _values(chunk)
    if values == _NONE and not chunk.id_made:
        fields = "{}"
    else:
        given = {name: v for name, v in zip(_FIELDS, values, strict=True) if v is not None}
        fields = _json({**given, "id_made": True} if chunk.id_made else given)
    text = chunk.index_text
    return Row(
        str(chunk.id),
        vector_key(text, chunk.embedding),
        chunk.content,
        _json(chunk.metadata),
        fields,
        text,
        chunk.embedding,
    )


def vector_key(text: str, embedding: FloatVector | None = None) -> bytes:
    """The key of a text's vector; of one brought along, a key that no other text and vector have.

    With the space that the vector is in (the embedder's identity, prefixes included) the key says
    exactly what was sent to the embedder.
    """
    if embedding is None:
        return hashlib.blake2b(text.encode(), digest_size=16).digest()
    # Vectors of one space have one length, so it is clear where the text begins.
    digest = hashlib.blake2b(embedding.astype(_FLOAT).tobytes(), digest_size=16, person=b"brought")
    digest.update(text.encode())
    return digest.digest()


def decode(columns: Sequence[Any], path: str) -> tuple[Chunk, bytes]:
    """The chunk and the vector key of a row as ``COLUMNS`` reads it.

    Raises:
        IndexFormatError: The row does not match its checksum; names the file and the id.
    """
    name, key, content, metadata, fields = _sound(columns, path)
    chunk = Chunk(
        content=content.decode(),
        id=name.decode(),
        metadata=json.loads(metadata.decode()),
        **json.loads(fields.decode()),
    )
    return chunk, key


def decode_row(columns: Sequence[Any], path: str) -> tuple[str, str, str]:
    """Id, text to index and metadata as JSON of a row as ``COLUMNS`` reads it, without a ``Chunk``.

    Raises:
        IndexFormatError: As ``decode``.
    """
    name, _, content, metadata, fields = _sound(columns, path)
    text = content.decode()
    if fields != b"{}":
        others = json.loads(fields)
        title, section = others.get("title"), others.get("section")
        if title is not None or section is not None:
            text = "\n".join(part for part in (title, section, text) if part)
    return name.decode(), text, metadata.decode()


def _sound(columns: Sequence[Any], path: str) -> Sequence[bytes]:
    """The columns without their checksum, which they match."""
    *parts, checksum = columns
    if not all(isinstance(part, bytes) for part in parts) or _checksum(*parts) != checksum:
        shown = str(parts[0])
        if isinstance(parts[0], bytes):
            shown = parts[0].decode(errors="backslashreplace")
        raise IndexFormatError(
            f"{path}: the row of chunk {shown!r} is damaged, its checksum does not match; "
            "add the chunk again, or delete it",
            path,
        )
    return parts


def decode_vector(id: str, columns: Sequence[Any], path: str) -> FloatVector:
    """The vector of the chunk ``id`` from its stored (key, data, checksum).

    Raises:
        IndexFormatError: It is missing or does not match its checksum; names the file and the id.
    """
    vector = np.frombuffer(sound_vector(id, columns, path), dtype=_FLOAT).astype(np.float32)
    vector.setflags(write=False)
    return vector


def sound_vector(id: str, columns: Sequence[Any], path: str) -> bytes:
    """The vector of the chunk ``id`` as it is stored; columns and errors as ``decode_vector``."""
    key, data, checksum = columns
    if not is_sound(key, data, checksum):
        what = "missing" if data is None else "damaged, its checksum does not match"
        raise IndexFormatError(
            f"{path}: the vector of chunk {id!r} is {what}; add the chunk again, or delete it", path
        )
    return bytes(data)


def is_sound(key: Any, data: Any, checksum: Any) -> bool:
    """Whether a stored vector matches its checksum."""
    return (
        isinstance(key, bytes)
        and isinstance(data, bytes)
        and len(data) % _FLOAT.itemsize == 0
        and _checksum(key, data) == checksum
    )


_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False
).encode  # made once: dumps makes an encoder for each call


def _json(value: Any) -> str:
    return _encode(value) if value else "{}"


def _checksum(*parts: bytes) -> bytes:
    lengths = _LENGTHS[len(parts)](*map(len, parts))
    return hashlib.blake2b(lengths + b"".join(parts), digest_size=16).digest()
