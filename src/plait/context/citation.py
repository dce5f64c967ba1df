"""Citation: a numbered block of a context, and where its text comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from plait.printable import printable
from plait.types import Chunk, Hit

__all__ = ["Citation"]

_PATH = " > "  # between the headings of ``Chunk.section``


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered block of a context: its text, and the hits and the source behind it.

    Attributes:
        number: From 1, in the order of the context.
        text: The text in the context.
        hits: The hits in it, best first.
        chunks: The chunks in it in reading order: those of the hits, and neighbors that an
            expansion added.

    Example:
        >>> chunk = Chunk("Within 14 days.", title="Refunds", source_path="billing.md", page=3)
        >>> Citation(1, chunk.content, (Hit(chunk, 2.0, 1),), (chunk,)).label
        'Refunds, billing.md, page 3'
    """

    number: int
    text: str
    hits: tuple[Hit, ...]
    chunks: tuple[Chunk, ...]

    @property
    def hit(self) -> Hit:
        """The best of the hits."""
        return self.hits[0]

    @property
    def title(self) -> str | None:
        """Title of the document."""
        return self.hit.chunk.title

    @property
    def source(self) -> str | None:
        """Path, address or name of the source, else the document's id, else the chunk's own id."""
        chunk = self.hit.chunk
        own = None if chunk.id_made else chunk.id
        places = (chunk.source_path, chunk.source_uri, chunk.source_name, chunk.document_id, own)
        return next((place for place in places if place), None)

    @property
    def pages(self) -> tuple[int, int] | None:
        """First and last page of the text, None if they are not known."""
        pages = [chunk.page for chunk in self.chunks if chunk.page is not None]
        return (min(pages), max(pages)) if pages else None

    @property
    def section(self) -> str | None:
        """The headings that all of the text stands under."""
        paths = [(chunk.section or "").split(_PATH) for chunk in self.chunks]
        levels = takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
        return _PATH.join(level[0] for level in levels) or None

    @property
    def label(self) -> str:
        """Title, source, page and section in one line, as far as they are known."""
        pages = self.pages
        page = None
        if pages is not None:
            page = f"page {pages[0]}" if pages[0] == pages[1] else f"pages {pages[0]}-{pages[1]}"
        parts = dict.fromkeys((self.title, self.source, page, self.section))
        return ", ".join(printable(part) for part in parts if part)

    def to_dict(self) -> Mapping[str, Any]:
        """The citation as JSON values."""
        return {
            "number": self.number,
            "text": self.text,
            "ids": [hit.id for hit in self.hits],
            "document_id": self.hit.chunk.document_id,
            "title": self.title,
            "source": self.source,
            "pages": None if self.pages is None else list(self.pages),
            "section": self.section,
        }
