"""Packing: which pieces of an arrangement go into a context of limited size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from plait.context.arrangement import Arrangement, Piece
from plait.context.citation import Citation
from plait.context.sentences import cut_text
from plait.context.template import Assembler, Template
from plait.context.tokens import TokenCounter
from plait.errors import ConfigurationError

__all__ = ["Packing", "pack"]

# For a budget that has no room for a heading beside the text.
_BARE = Template(block="[{number}] {text}", separator="\n", empty="")


@dataclass(frozen=True)
class Packing:
    """Pieces that fit a budget, and the text that they make.

    Attributes:
        arrangement: Where the pieces come from.
        assemble: What makes the text.
        query: The query's text.
        budget: Most tokens of the whole text, None for no limit.
        counter: What counts them.
        placed: The pieces, in no particular order.
        cut: The text of a piece that is cut short.
        notes: What a reader of the text should know.
    """

    arrangement: Arrangement
    assemble: Assembler
    query: str
    budget: int | None
    counter: TokenCounter
    placed: tuple[Piece, ...] = ()
    cut: Mapping[Piece, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """What is placed, as numbered citations."""
        return self.arrangement.citations(self.placed, self.cut)

    @cached_property
    def text(self) -> str:
        """The whole text.

        Raises:
            ConfigurationError: What makes it returned something else than a text.
        """
        text: Any = self.assemble(self.query, self.citations)
        if not isinstance(text, str):
            raise ConfigurationError(
                f"the template of the context returned {type(text).__name__}, expected str"
            )
        return text

    @cached_property
    def tokens(self) -> int:
        """Tokens of the whole text."""
        return self.counter(self.text)

    @property
    def fits(self) -> bool:
        """Whether it is inside the budget."""
        return self.budget is None or self.tokens <= self.budget

    def and_(self, *pieces: Piece) -> Packing:
        """With more pieces."""
        return replace(self, placed=(*self.placed, *pieces))


def pack(whole: Packing) -> Packing:
    """Place of an empty packing what fits.

    Args:
        whole: A packing without pieces.

    Returns:
        The hits that fit, best first, then their neighbors, the nearest first. Sizes are those of
        the whole text, so it fits whatever the counter and the template; it may be empty.
    """
    hits = whole.arrangement.hits
    everything = whole.and_(*hits, *whole.arrangement.around(hits))
    if everything.fits:
        return everything
    packing = _first_ones(whole, hits)
    if not packing.placed and hits:
        packing = _cut(whole, hits[0])
    packing = _single_ones(packing, [hit for hit in hits if hit not in packing.placed])
    if packing.cut:
        return packing
    return _first_ones(packing, packing.arrangement.around(packing.placed))


def _first_ones(packing: Packing, pieces: Sequence[Piece]) -> Packing:
    """With as many of the first pieces as fit."""
    count = bisect_right(
        range(1, len(pieces) + 1), False, key=lambda n: not packing.and_(*pieces[:n]).fits
    )
    return packing.and_(*pieces[:count])


def _single_ones(packing: Packing, pieces: Sequence[Piece]) -> Packing:
    """With those of the pieces that fit one by one."""
    links = (packing.arrangement.following, packing.arrangement.preceding)
    left = (packing.budget or 0) - packing.tokens
    for piece in pieces:
        # The whole is counted only if the piece alone might fit, or repeats what is there.
        beside = any(link.get(piece) in packing.placed for link in links)
        if beside or packing.counter(piece.chunk.content) <= left:
            more = packing.and_(piece)
            if more.fits:
                packing, left = more, (packing.budget or 0) - more.tokens
    return packing


def _cut(packing: Packing, piece: Piece) -> Packing:
    """With the beginning of a piece that does not fit whole, without a heading if need be."""
    with_piece = packing.and_(piece)
    bare = "the budget has no room for the template: the text follows its number"
    for trial in (with_piece, replace(with_piece, assemble=_BARE, notes=(bare,))):

        def fits(part: str, trial: Packing = trial) -> bool:
            return replace(trial, cut={piece: part}).fits

        text = cut_text(piece.chunk.content, fits)
        if text:
            return replace(trial, cut={piece: text})
    return replace(
        packing,
        assemble=_BARE,
        notes=(f"a budget of {packing.budget} tokens has no room for any text",),
    )
