"""Chunking: how documents are cut; split: a document into chunks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from plait.errors import ConfigurationError, MissingDependencyError
from plait.ingest.document import Document, Markup
from plait.ingest.headings import Section, common_path, sections
from plait.ingest.tokens import estimate_tokens
from plait.types import Chunk

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

__all__ = ["Chunking", "TokenCounter", "split"]

TokenCounter: TypeAlias = Callable[[str], int]

_TEXT_FORM = re.compile(r"chunking\(max_tokens=(\d+), overlap=(\d+)\)")
# The splitter's time grows with the square of the text, so a long text is given to it by windows.
_WINDOW = 16_384


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut. Its text form parses back.

    Args:
        max_tokens: Most tokens in a chunk's content, at least 1. The default leaves room for title
            and section below the 256 tokens that small embedding models read.
        overlap: Most tokens that a chunk repeats from the end of the one before it, less than
            ``max_tokens``. Chunks end where the text does (a section, a paragraph, a sentence), so
            the default is 0: repeated text is embedded twice and found twice.

    Raises:
        ConfigurationError: A value out of range or not an int.

    Example:
        >>> Chunking.parse("chunking(max_tokens=100, overlap=20)")
        Chunking(max_tokens=100, overlap=20)
        >>> str(Chunking(100, overlap=20))
        'chunking(max_tokens=100, overlap=20)'
    """

    max_tokens: int = 200
    overlap: int = 0

    def __post_init__(self) -> None:
        if type(self.max_tokens) is not int or self.max_tokens < 1:
            raise ConfigurationError(f"max_tokens is {self.max_tokens!r}, expected an int >= 1")
        if type(self.overlap) is not int or not 0 <= self.overlap < self.max_tokens:
            raise ConfigurationError(
                f"overlap is {self.overlap!r}, expected an int from 0 to {self.max_tokens - 1} "
                f"(less than max_tokens={self.max_tokens})"
            )

    def __str__(self) -> str:
        return f"chunking(max_tokens={self.max_tokens}, overlap={self.overlap})"

    @classmethod
    def parse(cls, text: str) -> Chunking:
        """The value whose text form this is.

        Raises:
            ConfigurationError: The text is not one.
        """
        match = _TEXT_FORM.fullmatch(text)
        if match is None:
            raise ConfigurationError(f"{text!r} is not a chunking, expected such as {str(cls())!r}")
        return cls(int(match[1]), int(match[2]))


def split(
    document: Document,
    chunking: Chunking | None = None,
    count_tokens: TokenCounter | None = None,
) -> list[Chunk]:
    r"""Cut a document into chunks where its structure allows it.

    A document within the budget is one chunk. A longer one is cut at the highest boundary that
    fits: section, paragraph, line, sentence, word, character. White space around a chunk is left
    out; every other character of the text is in a chunk, in order.

    Args:
        document: What to cut.
        chunking: The budget, ``Chunking()`` by default.
        count_tokens: The embedder's own count, which the budget is then in; ``estimate_tokens`` by
            default. It must not decrease when text is added.

    Returns:
        The chunks with ``index`` from 0, title, metadata and source of the document, and the path
        of headings that all of the chunk stands under. Empty for blank text. A chunk exceeds the
        budget only if it is a single character.

    Raises:
        MissingDependencyError: The document must be cut, or is Markdown, and the packages for
            that are not installed.

    Example:
        >>> text = "# Billing\n\n## Refunds\n\nWithin 14 days."
        >>> chunks = split(Document("a.md", text, "markdown"))
        >>> [(chunk.index, chunk.section) for chunk in chunks]
        [(0, 'Billing > Refunds')]
    """
    chunking = chunking or Chunking()
    found = sections(document.text) if document.markup == "markdown" else ()
    spans = _spans(document, found, chunking, count_tokens or estimate_tokens)
    return [
        Chunk(
            document.text[start:stop],
            metadata=document.metadata,
            title=document.title,
            document_id=document.id,
            index=index,
            source_name=document.source_name,
            source_path=document.source_path,
            section=" > ".join(common_path(found, start, stop)) or None,
        )
        for index, (start, stop) in enumerate(spans)
    ]


def _spans(
    document: Document, found: Sequence[Section], chunking: Chunking, count: TokenCounter
) -> Iterator[tuple[int, int]]:
    """Start and stop of each chunk in the document's text."""
    text = document.text
    width = max(_WINDOW, 16 * chunking.max_tokens)
    if len(text) <= width and count(text) <= chunking.max_tokens:
        whole = text.strip()
        if whole:
            start = text.index(whole)
            yield start, start + len(whole)
        return
    splitter = _splitter(document.markup, chunking, count)
    start = done = 0
    while start < len(text):
        stop, final = _window(start, width, len(text), found)
        pieces = [
            (start + offset, start + offset + len(piece))
            for offset, piece in splitter.chunk_indices(text[start:stop])
        ]
        if not final and pieces:
            # The window cut the last piece short, so it is where the next window begins.
            unfinished = pieces.pop()[0]
            if not pieces or unfinished <= start:
                width *= 2
                continue
            stop = unfinished
        for piece in pieces:
            # With overlap the last piece may be a part of the one before it.
            if piece[1] > done and not text[piece[0] : piece[1]].isspace():
                yield piece
                done = piece[1]
        start = stop


def _window(start: int, width: int, end: int, found: Sequence[Section]) -> tuple[int, bool]:
    """Where a window stops, and whether a chunk may stop there: at a heading or at the end."""
    if start + width >= end:
        return end, True
    heading = bisect_right(found, start + width, key=lambda section: section.start) - 1
    if heading >= 0 and found[heading].start > start:
        return found[heading].start, True
    return start + width, False


def _splitter(
    markup: Markup, chunking: Chunking, count: TokenCounter
) -> MarkdownSplitter | TextSplitter:
    try:
        from semantic_text_splitter import MarkdownSplitter, TextSplitter
    except ImportError as error:
        raise MissingDependencyError(
            "semantic-text-splitter", extra="ingest", purpose="cutting documents into chunks"
        ) from error
    kind = MarkdownSplitter if markup == "markdown" else TextSplitter
    return kind.from_callback(count, chunking.max_tokens, chunking.overlap)
