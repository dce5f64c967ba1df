"""Headings of a Markdown text: where its sections start and what their paths are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from plait.errors import MissingDependencyError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

__all__ = ["Section", "common_path", "first_title", "sections"]

_LONGEST = 120
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a Markdown text, up to the next heading of any level.

    Attributes:
        start: Position of its heading in the text, in characters.
        body: Position after its heading.
        level: Level of its heading, 1 to 6.
        path: The headings above it and its own, outermost first, as plain text.
        bare: True if there is no text between its heading and the next.
    """

    start: int
    body: int
    level: int
    path: tuple[str, ...]
    bare: bool


@lru_cache(maxsize=1)  # a document is read for its title, then cut
def sections(text: str) -> tuple[Section, ...]:
    r"""The sections of a Markdown text in order; what comes before the first heading is in none.

    Headings are those of CommonMark, with ``#`` or underlined; not those inside code fences, lists
    or quotations. A heading longer than 120 characters (a paragraph above a ``---``) is cut.

    Raises:
        MissingDependencyError: markdown-it-py is not installed.

    Example:
        >>> found = sections("# Billing\n\n```\n# no\n```\n## *Refunds*\n")
        >>> [section.path for section in found]
        [('Billing',), ('Billing', 'Refunds')]
    """
    blocks, inline = _parsers()
    starts = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
    found: list[Section] = []
    above: list[tuple[int, str]] = []
    tokens = blocks.parse(text)
    for at, token in enumerate(tokens):
        if token.type != "heading_open" or token.level > 0 or token.map is None:
            continue
        level = int(token.tag[1:])
        while above and above[-1][0] >= level:
            above.pop()
        name = tokens[at + 1].content[: 8 * _LONGEST]  # more would be cut, after long work
        above.append((level, _cut(_plain(inline.parseInline(name)))))
        path = tuple(heading for _, heading in above if heading)
        bare = at + 3 == len(tokens) or tokens[at + 3].type == "heading_open"
        start, body = (starts[line] for line in token.map)
        found.append(Section(start, body, level, path, bare))
    return tuple(found)


def common_path(found: Sequence[Section], start: int, stop: int) -> tuple[str, ...]:
    r"""The path that all text between two positions shares; empty where there is none.

    A bare heading counts only if there is nothing else.

    Example:
        >>> found = sections("# A\n\n## B\n\none\n\n## C\n\ntwo\n")
        >>> common_path(found, 0, 16), common_path(found, 0, 26)
        (('A', 'B'), ('A',))
    """
    first = bisect_right(found, start, key=lambda section: section.start) - 1
    last = bisect_left(found, stop, key=lambda section: section.start)
    within = found[max(first, 0) : last]
    paths = [section.path for section in within if not section.bare]
    if first < 0:
        paths.append(())
    paths = paths or [section.path for section in within]
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    return tuple(names[0] for names in shared)


def first_title(text: str) -> str | None:
    """The first heading of level 1 that has text, None if there is none."""
    return next(
        (found.path[-1] for found in sections(text) if found.level == 1 and found.path), None
    )


@cache
def _parsers() -> tuple[MarkdownIt, MarkdownIt]:
    """One for blocks alone, because inline markup takes most of the time, and one for headings."""
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingDependencyError(
            "markdown-it-py", extra="ingest", purpose="the headings of Markdown files"
        ) from error
    return MarkdownIt("commonmark").disable("inline"), MarkdownIt("commonmark")


def _plain(tokens: Iterable[Token]) -> str:
    """The text of inline tokens without their markup."""
    parts = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.children:
            parts.append(_plain(token.children))
        elif token.type in ("text", "code_inline"):
            parts.append(token.content)
    return "".join(parts)


def _cut(heading: str) -> str:
    words = " ".join(heading.split())
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + "…"
