"""Chunk: the unit of text that is indexed and returned."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from plait.errors import ConfigurationError
from plait.metadata import EMPTY, freeze
from plait.types.checks import FloatVector, as_vector, check_text


@dataclass(frozen=True, slots=True)
class Chunk:
    """The unit of text that is indexed and returned.

    Args:
        content: The text; may be empty.
        id: Identity in an index. A chunk stored without one gets ``document_id#index``, else
            ``sha256:`` and the hash of its content.
        metadata: JSON values to filter by and to show: str, bool, int, finite float, datetime
            (stored as UTC ISO-8601), lists of these, nested mappings. None means absent.
            Read-only afterwards.
        embedding: A vector made elsewhere, shape (dim,), kept as float32. Chunks that bring one
            are not embedded again.
        title: Title of the document.
        document_id: Identity of the document that this is a part of.
        index: Position of the chunk in its document, from 0.
        source_name: Name of the source system or file.
        source_path: Path of the source file.
        source_uri: Address of the source.
        section: Heading path inside the document, such as ``"Billing > Refunds"``.
        page: Page number in the source, from 1.
        id_made: True if plait made the id. Set by plait.

    Raises:
        ConfigurationError: A field of the wrong type, text that is not valid Unicode, metadata
            that is not JSON, an embedding that is not one finite vector.

    Example:
        >>> chunk = Chunk("Refunds take 14 days.", id="refunds", metadata={"lang": "en"})
        >>> chunk.metadata["lang"]
        'en'
    """

    content: str
    id: str | None = None
    metadata: Mapping[str, Any] = field(default=EMPTY)
    embedding: FloatVector | None = field(default=None, compare=False, repr=False)
    title: str | None = None
    document_id: str | None = None
    index: int | None = None
    source_name: str | None = None
    source_path: str | None = None
    source_uri: str | None = None
    section: str | None = None
    page: int | None = None
    id_made: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        check_text(self.content, "Chunk.content")
        if self.id is not None:
            check_text(self.id, "Chunk.id")
            if not self.id:
                raise ConfigurationError(
                    "Chunk.id is '', expected a non-empty str, or None for a made id"
                )
        for value in _others(self):  # by identity: a wrong one may not compare
            if value is not None:
                self._check_others()
                break
        object.__setattr__(self, "metadata", freeze(self.metadata))
        if self.embedding is not None:
            object.__setattr__(self, "embedding", as_vector(self.embedding, "Chunk.embedding"))

    def _check_others(self) -> None:
        for name in _TEXT_FIELDS:
            value = getattr(self, name)
            if value is not None:
                check_text(value, f"Chunk.{name}")
        for name in _NUMBER_FIELDS:
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 0):
                raise ConfigurationError(f"Chunk.{name} is {value!r}, expected an int >= 0")

    @property
    def index_text(self) -> str:
        """What both legs index: title, section and content, a line each."""
        if self.title is None and self.section is None:
            return self.content
        return "\n".join(part for part in (self.title, self.section, self.content) if part)

    def with_id(self) -> Chunk:
        """This chunk if it has an id, else a copy with the id that plait makes for it."""
        if self.id is not None:
            return self
        return replace(self, id=self.made_id(), id_made=True)

    def made_id(self) -> str:
        """The id that plait makes for a chunk like this."""
        if self.document_id is not None and self.index is not None:
            return f"{self.document_id}#{self.index}"
        return "sha256:" + hashlib.sha256(self.content.encode()).hexdigest()


def in_reading_order(chunk: Chunk) -> tuple[bool, int]:
    """A key that sorts the chunks of one document by index, those without one last."""
    return chunk.index is None, chunk.index or 0


_TEXT_FIELDS = ("title", "document_id", "source_name", "source_path", "source_uri", "section")
_NUMBER_FIELDS = ("index", "page")
_others = attrgetter(*_TEXT_FIELDS, *_NUMBER_FIELDS)
