"""Document: the text of one file, or of one line of a JSONL file; Skipped: input that gave none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from plait.errors import ConfigurationError, FormatError
from plait.metadata import EMPTY, freeze
from plait.types.checks import check_text

__all__ = ["Document", "Markup", "Skipped", "as_label", "settle_id"]

Markup: TypeAlias = Literal["text", "markdown"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """One piece of input that was not taken, and why. Everything around it was.

    Attributes:
        path: The file or folder, as it was reached from the given path.
        line: 1-based line in a JSONL file, None when the whole file is meant.
        reason: What is wrong with it.

    Example:
        >>> print(Skipped("docs/errors.jsonl", 7, "no text"))
        docs/errors.jsonl:7: no text
    """

    path: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Document:
    r"""The text of one file, or of one line of a JSONL file, before it is cut into chunks.

    Args:
        id: The path relative to the indexed root, with ``/``; with ``:`` and the line number for
            a line of a JSONL file; or the id that such a line itself gives.
        text: The text, line ends as ``\n``, without front matter.
        markup: ``"markdown"`` or ``"text"``.
        title: From the front matter, the JSONL field, or the first heading of level 1.
        metadata: JSON values; every chunk of the document gets them.
        source_name: Name of the indexed root.
        source_path: Path of the file relative to the root, with ``/``.
        line: 1-based line of a JSONL file, else None.
        id_given: True if the input itself gave the id; such an id is never changed.

    Raises:
        ConfigurationError: An empty id, text that is not valid Unicode, metadata that is not JSON.

    Example:
        >>> Document("billing/refunds.md", "# Refunds", markup="markdown").id
        'billing/refunds.md'
    """

    id: str
    text: str
    markup: Markup = "text"
    title: str | None = None
    metadata: Mapping[str, Any] = field(default=EMPTY)
    source_name: str | None = None
    source_path: str | None = None
    line: int | None = None
    id_given: bool = False

    def __post_init__(self) -> None:
        check_text(self.id, "Document.id")
        check_text(self.text, "Document.text")
        if not self.id:
            raise ConfigurationError("Document.id is '', expected a non-empty str")
        for name in ("title", "source_name", "source_path"):
            value = getattr(self, name)
            if value is not None:
                check_text(value, f"Document.{name}")
        object.__setattr__(self, "metadata", freeze(self.metadata))

    @property
    def content_hash(self) -> str:
        """The sha256, in hex, of everything in the document that its chunks are made of.

        Equal hashes and equal chunking settings give equal chunks under one document id, so a
        collection can leave an unchanged document alone without cutting it again.
        """
        made_of = [
            self.text, self.markup, self.title, self.metadata, self.source_name, self.source_path,
        ]  # fmt: skip
        canonical = json.dumps(made_of, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(canonical.encode()).hexdigest()


def settle_id(document: Document, owner: Callable[[str], str | None]) -> Document:
    """Keep documents of two roots apart that have the same path below their roots.

    A path belongs to the root that was indexed first. A document of another root with that path
    gets the id ``root:path``, and keeps it: the answer does not change when both roots are indexed
    again, in whatever order, nor when the first one is deleted.

    Args:
        document: The document as it was read.
        owner: Gives the ``source_name`` of the stored document with an id, None if there is none.

    Returns:
        The same document, or a copy under the longer id.

    Example:
        >>> other = Document("README.md", "Hello", source_name="api")
        >>> settle_id(other, {"README.md": "docs"}.get).id
        'api:README.md'
        >>> settle_id(other, {"README.md": "api"}.get).id
        'README.md'
    """
    if document.id_given or document.source_name is None:
        return document
    longer = f"{document.source_name}:{document.id}"
    first = owner(document.id)
    if owner(longer) is None and (first is None or first == document.source_name):
        return document
    return replace(document, id=longer)


def as_label(value: Any, what: str) -> str | None:
    r"""An id or title as data gives it, in one line; None for null and blank text.

    Raises:
        FormatError: Neither text nor a number.
        ConfigurationError: Text that is not valid Unicode.

    Example:
        >>> as_label(1042, "id"), as_label(" Two\n lines", "title"), as_label("", "title")
        ('1042', 'Two lines', None)
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FormatError(f"the {what} is of type {type(value).__name__}, expected text")
    label = " ".join(str(value).split())
    check_text(label, f"the {what}")
    return label or None
