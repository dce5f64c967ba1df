"""Arrangement: the pieces of passages, what follows what, and the blocks that chosen ones form."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from plait.context.citation import Citation
from plait.text.joining import join_texts
from plait.types import Chunk, Hit, Passage

__all__ = ["Arrangement", "Piece"]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A chunk that may go into a context, whole.

    Attributes:
        chunk: The chunk.
        hit: The hit that it is, None for a neighbor that an expansion added.
        order: Place of its passage among all, from 0.
        place: Its place in the passage, from 0.
    """

    chunk: Chunk
    hit: Hit | None
    order: int
    place: int


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The pieces of passages, and which stand behind one another in their documents.

    Attributes:
        hits: The pieces that were found, best first.
        following: The piece behind a piece.
        preceding: The piece before a piece.
    """

    hits: tuple[Piece, ...]
    following: Mapping[Piece, Piece]
    preceding: Mapping[Piece, Piece]

    @classmethod
    def of(cls, found: Iterable[Hit | Passage]) -> Arrangement:
        """The pieces of hits and passages.

        Hits come in the order given; where passages hold several, in that of their ranks. Passages
        of one document follow one another if their chunks do, by ``index``.
        """
        passages = [each if isinstance(each, Passage) else Passage.of(each) for each in found]
        rows = [_pieces(passage, order) for order, passage in enumerate(passages)]
        hits = [piece for row in rows for piece in row if piece.hit]
        if len(hits) > len(rows):
            hits.sort(key=_rank)
        following = {before: behind for row in rows for before, behind in pairwise(row)}
        heads = {_place(row[0].chunk): row[0] for row in reversed(rows)}
        for row in rows:
            place = _place(row[-1].chunk, 1)
            if place in heads and place is not None:
                following[row[-1]] = heads[place]
        preceding = {behind: before for before, behind in following.items()}
        return cls(tuple(hits), following, preceding)

    def around(self, placed: Iterable[Piece]) -> list[Piece]:
        """The neighbors of placed pieces, the nearest first, equally near ones as the pieces are.

        Those that are reached only across a hit that is not placed are left out.
        """
        reached: dict[Piece, None] = dict.fromkeys(placed)
        ring = list(reached)
        given = len(ring)
        while ring:
            beside = [
                other
                for piece in ring
                for other in (self.preceding.get(piece), self.following.get(piece))
                if other is not None and other.hit is None and other not in reached
            ]
            reached.update(dict.fromkeys(beside))
            ring = beside
        return list(reached)[given:]

    def citations(
        self, chosen: Collection[Piece], cut: Mapping[Piece, str]
    ) -> tuple[Citation, ...]:
        """The chosen pieces as numbered citations, that of the best passage first.

        Args:
            chosen: The pieces, each once.
            cut: The text of those that are cut short; nothing follows them.
        """
        return tuple(
            Citation(
                number,
                join_texts(cut.get(piece, piece.chunk.content) for piece in block),
                tuple(piece.hit for piece in sorted(block, key=_rank) if piece.hit),
                tuple(piece.chunk for piece in block),
            )
            for number, block in enumerate(self._blocks(chosen, cut), start=1)
        )

    def _blocks(self, chosen: Collection[Piece], cut: Collection[Piece]) -> list[tuple[Piece, ...]]:
        """The chosen pieces in blocks in reading order; the block of the best passage first."""
        waiting = dict.fromkeys(chosen)
        following = {
            piece: self.following[piece]
            for piece in waiting
            if piece not in cut and self.following.get(piece) in waiting
        }
        behind = set(following.values())
        blocks = []
        for start in sorted(waiting, key=lambda piece: piece in behind):
            block = []
            piece: Piece | None = start
            while piece is not None and piece in waiting:
                del waiting[piece]
                block.append(piece)
                piece = following.get(piece)
            if block:
                blocks.append(tuple(block))
        return sorted(blocks, key=lambda block: min((each.order, each.place) for each in block))


def _pieces(passage: Passage, order: int) -> list[Piece]:
    hits = {id(hit.chunk): hit for hit in passage.hits}
    return [
        Piece(chunk, hits.get(id(chunk)), order, place)
        for place, chunk in enumerate(passage.chunks)
    ]


def _rank(piece: Piece) -> tuple[int, int]:
    return piece.hit.rank if piece.hit else 0, piece.order


def _place(chunk: Chunk, step: int = 0) -> tuple[str, int] | None:
    document = chunk.document_id or chunk.source_path or chunk.source_uri
    return None if document is None or chunk.index is None else (document, chunk.index + step)
