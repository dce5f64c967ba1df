"""Pieces: a long stretch of text, cut by the splitter where its structure allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from plait.errors import MissingDependencyError
from plait.ingest.document import Markup

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

__all__ = ["Span", "pieces", "trimmed"]

Span = tuple[int, int]

# The splitter's time grows with the square of the text, so a long text is given to it by windows.
_WINDOW = 4_096


def pieces(
    text: str,
    within: Span,
    *,
    markup: Markup,
    budget: int,
    overlap: int,
    count: Callable[[str], int],
) -> Iterator[Span]:
    """Where the pieces of a part of a text start and stop, without the white space around them.

    Args:
        text: The whole text; positions are in characters.
        within: Start and stop of the part to cut.
        markup: Whether boundaries are those of Markdown.
        budget: Most tokens in a piece, at least 1; only a single character may have more.
        overlap: Most tokens that a piece repeats of the one before it, less than the budget.
        count: Gives the number of tokens of a text.

    Raises:
        MissingDependencyError: semantic-text-splitter is not installed.
    """
    splitter = _splitter(markup, budget, overlap, count)
    start, end = within
    width = max(_WINDOW, 16 * budget)
    done = start
    while start < end:
        stop = min(start + width, end)
        found = [
            trimmed(text, start + offset, start + offset + len(piece))
            for offset, piece in splitter.chunk_indices(text[start:stop])
        ]
        if found and stop < end:
            # The window cut the last piece short, so the next window begins with it.
            unfinished, _ = found.pop()
            if unfinished <= start or not found:
                width *= 2
                continue
            stop = unfinished
        for first, last in found:
            # With overlap the splitter may end on a part of the piece before.
            if first < last and last > done:
                yield first, last
                done = last
        start = stop


def trimmed(text: str, start: int, stop: int) -> Span:
    """The same part of a text without white space around it; empty if it has nothing else."""
    part = text[start:stop]
    first = start + len(part) - len(part.lstrip())
    return first, first + len(part.strip())


def _splitter(
    markup: Markup, budget: int, overlap: int, count: Callable[[str], int]
) -> MarkdownSplitter | TextSplitter:
    try:
        from semantic_text_splitter import MarkdownSplitter, TextSplitter
    except ImportError as error:
        raise MissingDependencyError(
            "semantic-text-splitter", extra="ingest", purpose="cutting documents into chunks"
        ) from error
    kind = MarkdownSplitter if markup == "markdown" else TextSplitter
    return kind.from_callback(count, budget, overlap)
