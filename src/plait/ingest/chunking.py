"""Chunking: how documents are cut; split: a document into chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from plait.errors import ConfigurationError
from plait.ingest.document import Document
from plait.ingest.headings import Section, common_path, sections
from plait.ingest.pieces import Span, pieces, trimmed
from plait.ingest.tokens import estimate_tokens
from plait.types import Chunk

__all__ = ["Chunking", "TokenCounter", "split"]

TokenCounter: TypeAlias = Callable[[str], int]

_TEXT_FORM = re.compile(r"chunking\(max_tokens=(\d+), overlap=(\d+)\)")


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


@dataclass(frozen=True, slots=True)
class _Block:
    """A section, under the headings that have no text of their own; positions in characters."""

    start: int
    body: int
    stop: int
    level: int


def _blocks(found: Sequence[Section], text: str) -> Iterator[_Block]:
    """The text before the first heading, then the sections. Nothing is left out but blank space."""
    first = found[0].start if found else len(text)
    if text[:first].strip():
        yield _Block(0, 0, first, 0)
    waiting: Section | None = None
    stops = [section.start for section in found[1:]] + [len(text)]
    for section, stop in zip(found, stops, strict=False):
        top = waiting or section
        if section.bare and stop < len(text):
            waiting = top
            continue
        yield _Block(top.start, section.body, stop, min(top.level, section.level))
        waiting = None


def _spans(
    document: Document, found: Sequence[Section], chunking: Chunking, count: TokenCounter
) -> Iterator[Span]:
    """Where the chunks start and stop: whole sections while they fit, parts of one elsewhere."""
    text, budget = document.text, chunking.max_tokens

    def fits(start: int, stop: int) -> bool:
        start, stop = trimmed(text, start, stop)
        if count is estimate_tokens and stop - start <= budget:
            return True  # no text has more estimated tokens than characters
        # What is far too long is not worth counting.
        return stop - start <= 64 * budget and count(text[start:stop]) <= budget

    if fits(0, len(text)):
        if text.strip():
            yield trimmed(text, 0, len(text))
        return
    whole: _Block | None = None
    for block in _blocks(found, text):
        # A section is joined to the one before it if it stands beside or below it.
        if whole and block.level >= whole.level and fits(whole.start, block.stop):
            whole = replace(whole, stop=block.stop)
            continue
        if whole:
            yield trimmed(text, whole.start, whole.stop)
        whole = block if fits(block.start, block.stop) else None
        if not whole:
            yield from _parts(document, block, chunking, count)
    if whole:
        yield trimmed(text, whole.start, whole.stop)


def _parts(
    document: Document, block: _Block, chunking: Chunking, count: TokenCounter
) -> Iterator[Span]:
    """The parts of a section that is too long; its heading stays with the first one."""
    text, budget = document.text, chunking.max_tokens
    heading, body = trimmed(text, block.start, block.body)
    left = budget - count(text[heading:body])
    joined = heading < body and left > max(budget // 2, chunking.overlap)
    parts = pieces(
        text,
        (block.body if joined else block.start, block.stop),
        markup=document.markup,
        budget=left if joined else budget,
        overlap=chunking.overlap,
        count=count,
    )
    if joined:
        start, stop = next(parts)
        if count(text[heading:stop]) <= budget:
            start = heading
        else:  # some tokenizers count the two as more than their sum
            yield heading, body
        yield start, stop
    yield from parts
