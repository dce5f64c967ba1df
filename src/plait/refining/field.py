"""The value of a field by which hits are told apart: of the chunk itself, or of its metadata."""

from __future__ import annotations

from typing import Any

from plait.errors import ConfigurationError
from plait.metadata import value_at
from plait.types import Chunk

__all__ = ["check_field", "value_of"]

_OF_THE_CHUNK = frozenset(
    {"document_id", "title", "section", "page", "source_name", "source_path", "source_uri"}
)


def check_field(field: Any) -> None:
    """Refuse what is not the name of a field.

    Raises:
        ConfigurationError: Not a str, or blank.
    """
    if not isinstance(field, str) or not field.strip():
        raise ConfigurationError(
            f"field is {field!r:.60}, expected one of {', '.join(sorted(_OF_THE_CHUNK))}, "
            "or the name of a metadata field (a dotted path inside nested ones)"
        )


def value_of(chunk: Chunk, field: str) -> tuple[bool, Any] | None:
    """The value of a field, to be compared with ``==``; None if the chunk has none.

    Args:
        chunk: The chunk.
        field: ``document_id``, ``title``, ``section``, ``page``, ``source_name``, ``source_path``,
            ``source_uri``, else the name of a metadata field, with dots inside nested ones.

    Example:
        >>> chunk = Chunk("text", document_id="faq", metadata={"product": {"tier": 1}})
        >>> value_of(chunk, "document_id"), value_of(chunk, "product.tier")
        ((False, 'faq'), (False, 1))
        >>> value_of(chunk, "lang") is None
        True
    """
    value: Any = (
        getattr(chunk, field) if field in _OF_THE_CHUNK else value_at(chunk.metadata, field)
    )
    # 1 == True in Python, but not in metadata. Lists and mappings of metadata can be hashed.
    return None if value is None else (isinstance(value, bool), value)
