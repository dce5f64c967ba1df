"""Expansion: from the chunks that were found to what stands around them in their documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plait.errors import ConfigurationError
from plait.filters import Filter, FilterLike
from plait.spec import format_spec, parse_spec
from plait.types import Chunk, Hit, Passage

__all__ = [
    "Expanded",
    "Expansion",
    "Fetch",
    "Neighbors",
    "SameSection",
    "WholeDocument",
    "expand",
    "parse_expansion",
]

Fetch: TypeAlias = Callable[[str], Sequence[Chunk] | None]
"""Gives a document's chunks in reading order; none, or None, for one that it does not know."""

Expansion: TypeAlias = Callable[[Sequence[Chunk], int], tuple[int, int]]
"""From a document's chunks and the position of a hit among them to (start, stop) of its passage."""


@dataclass(frozen=True, slots=True)
class Neighbors:
    """The chunks before and after a hit.

    Args:
        before: How many before it, an int >= 0.
        after: How many after it, an int >= 0.

    Raises:
        ConfigurationError: Something else.
    """

    before: int = 1
    after: int = 1

    def __post_init__(self) -> None:
        for name in ("before", "after"):
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise ConfigurationError(f"neighbors: {name} is {value!r}, expected an int >= 0")

    def __call__(self, _chunks: Sequence[Chunk], position: int, /) -> tuple[int, int]:
        """From ``before`` chunks before the position to ``after`` behind it."""
        return position - self.before, position + self.after + 1

    def __str__(self) -> str:
        return format_spec("neighbors", before=self.before, after=self.after)


@dataclass(frozen=True, slots=True)
class SameSection:
    """The section that a hit stands in: the chunks around it with the same heading path.

    A hit without a section stays alone.
    """

    def __call__(self, chunks: Sequence[Chunk], position: int) -> tuple[int, int]:
        """The chunks around the position with its section."""
        section = chunks[position].section
        start, stop = position, position + 1
        if section is not None:
            while start > 0 and chunks[start - 1].section == section:
                start -= 1
            while stop < len(chunks) and chunks[stop].section == section:
                stop += 1
        return start, stop

    def __str__(self) -> str:
        return "section"


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """The whole document that a hit is a part of."""

    def __call__(self, chunks: Sequence[Chunk], _position: int, /) -> tuple[int, int]:
        """All chunks."""
        return 0, len(chunks)

    def __str__(self) -> str:
        return "document"


_KINDS: Mapping[str, Callable[..., Expansion]] = {
    "neighbors": Neighbors,
    "section": SameSection,
    "document": WholeDocument,
}
_HINT = "expected 'neighbors(before=1, after=1)', 'section' or 'document'"


def parse_expansion(source: Expansion | str) -> Expansion:
    """An expansion from its text form, or as it is.

    Raises:
        ConfigurationError: Neither a text form nor a callable.

    Example:
        >>> parse_expansion("neighbors(before=2, after=0)")
        Neighbors(before=2, after=0)
        >>> str(parse_expansion("section"))
        'section'
    """
    if isinstance(source, str):
        name, parameters = parse_spec(source, "expansion", hint=_HINT)
        make = _KINDS.get(name)
        if make is None:
            raise ConfigurationError(f"unknown expansion {name!r}; {_HINT}")
        try:
            return make(**parameters)
        except TypeError as error:
            raise ConfigurationError(f"expansion {source!r:.80}: {error}; {_HINT}") from error
    if isinstance(source, type) or not callable(source):
        raise ConfigurationError(
            f"expansion is {source!r:.80}; {_HINT}, or a function of a document's chunks and a "
            "position that returns (start, stop)"
        )
    return source


@dataclass(frozen=True, slots=True)
class Expanded:
    """Passages, and what was done.

    Attributes:
        step: The expansion in its text form.
        passages: In the order of their best hits; every hit is in exactly one.
        added: How many chunks came in that were not hits.
        notes: What a reader of the passages should know.
    """

    step: str
    passages: tuple[Passage, ...]
    added: int
    notes: tuple[str, ...] = ()


def expand(
    hits: Sequence[Hit],
    fetch: Fetch,
    expansion: Expansion | str = Neighbors(),
    *,
    filter: FilterLike = None,
) -> Expanded:
    """From each hit to a passage: the hit and what stands around it in its document.

    Passages of one document that overlap or touch become one, at the place of its best hit. A
    passage ends before the first chunk that does not pass the filter, in both directions: nothing
    that was filtered out comes back as a neighbor. How much of a passage goes into a context is
    decided there, with the budget at hand.

    Args:
        hits: Best first. They are not changed.
        fetch: Gives a document's chunks in reading order, such as ``Collection.document``. Asked
            once for each document.
        expansion: ``Neighbors``, ``SameSection``, ``WholeDocument``, a text form of one of them, or
            a function of a document's chunks and a hit's position that returns (start, stop). One
            that lies beside the hit reaches to it.
        filter: The filter that the hits passed.

    Returns:
        The passages. A hit without ``document_id``, or that is not in what ``fetch`` gives for it
        (it has been deleted since), is a passage of its own, which a note says.

    Raises:
        ConfigurationError: A bad expansion.
        QueryError: A bad filter.

    Example:
        >>> texts = ["Intro.", "Refunds.", "Terms.", "End."]
        >>> parts = [Chunk(t, document_id="faq", index=i).with_id() for i, t in enumerate(texts)]
        >>> expanded = expand([Hit(parts[1], 2.0, 1)], {"faq": parts}.get)
        >>> [chunk.content for chunk in expanded.passages[0].chunks]
        ['Intro.', 'Refunds.', 'Terms.']
    """
    around = parse_expansion(expansion)
    keep = Filter.parse(filter)
    documents: dict[str, list[Chunk]] = {}
    spans: dict[str, list[_Span]] = {}
    lone: list[Hit] = []
    seen: set[tuple[str, int]] = set()
    for hit in hits:
        name = hit.chunk.document_id
        if name is not None and name not in documents:
            documents[name] = list(fetch(name) or ())
        position = None if name is None else _position(documents[name], hit.chunk)
        if name is None or position is None:
            lone.append(hit)
            continue
        if (name, position) in seen:  # a chunk that is there twice counts once
            continue
        seen.add((name, position))
        chunks = documents[name]
        start, stop = _bounded(chunks, position, around(chunks, position), keep)
        chunks[position] = hit.chunk  # the hit's own copy is what was found
        spans.setdefault(name, []).append((start, stop, hit))
    passages = [Passage.of(hit) for hit in lone]
    for name, found in spans.items():
        passages += _merged(documents[name], found)
    places = {id(hit): place for place, hit in enumerate(hits)}
    passages.sort(key=lambda passage: places[id(passage.hits[0])])
    added = sum(len(passage.chunks) - len(passage.hits) for passage in passages)
    note = (
        f"{len(lone)} of {len(hits)} hits were not expanded: they name no document, or are not "
        "among its chunks"
    )
    return Expanded(str(around), tuple(passages), added, (note,) if lone else ())


_Span: TypeAlias = tuple[int, int, Hit]


def _position(chunks: Sequence[Chunk], wanted: Chunk) -> int | None:
    """Where a chunk stands: by id, else by index and content."""
    if wanted.id is not None:
        found = (place for place, chunk in enumerate(chunks) if chunk.id == wanted.id)
    else:
        found = (
            place
            for place, chunk in enumerate(chunks)
            if (chunk.index, chunk.content) == (wanted.index, wanted.content)
        )
    return next(found, None)


def _bounded(
    chunks: Sequence[Chunk], position: int, span: tuple[int, int], keep: Filter | None
) -> tuple[int, int]:
    """The part of a span around the position that is in the document and passes the filter."""
    first, last = max(0, span[0]), min(len(chunks), span[1])
    start, stop = position, position + 1
    while start > first and (keep is None or keep.matches(chunks[start - 1].metadata)):
        start -= 1
    while stop < last and (keep is None or keep.matches(chunks[stop].metadata)):
        stop += 1
    return start, stop


def _merged(chunks: Sequence[Chunk], spans: Sequence[_Span]) -> list[Passage]:
    """Passages of spans, those that overlap or touch as one."""
    bounds: list[tuple[int, int]] = []
    for start, stop, _ in sorted(spans, key=lambda span: span[:2]):
        if bounds and start <= bounds[-1][1]:
            bounds[-1] = (bounds[-1][0], max(stop, bounds[-1][1]))
        else:
            bounds.append((start, stop))
    return [
        Passage(
            tuple(chunks[start:stop]),
            tuple(hit for first, _, hit in spans if start <= first < stop),
        )
        for start, stop in bounds
    ]
