"""Passage: consecutive chunks of one document, with the hits among them."""

from __future__ import annotations

from dataclasses import dataclass

from plait.errors import ConfigurationError
from plait.types.chunk import Chunk
from plait.types.hit import Hit

__all__ = ["Passage"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive chunks of one document in reading order, and the hits among them.

    Args:
        chunks: The chunks in reading order, at least one.
        hits: The hits whose chunks they are, best first, at least one; each hit's chunk is one of
            ``chunks``, the same object.

    Raises:
        ConfigurationError: No hit, or a hit whose chunk is not among the chunks.

    Example:
        >>> hit = Hit(Chunk("Refunds take 14 days.", id="a"), 2.0, rank=1)
        >>> Passage.of(hit).chunks[0].content
        'Refunds take 14 days.'
    """

    chunks: tuple[Chunk, ...]
    hits: tuple[Hit, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "chunks", tuple(self.chunks))
        object.__setattr__(self, "hits", tuple(self.hits))
        there = set(map(id, self.chunks))
        if not self.hits or not all(id(hit.chunk) in there for hit in self.hits):
            raise ConfigurationError(
                f"a passage of {len(self.chunks)} chunks and {len(self.hits)} hits; it needs at "
                "least one hit, and the chunk of each must be among its chunks"
            )

    @classmethod
    def of(cls, hit: Hit) -> Passage:
        """A hit alone."""
        return cls((hit.chunk,), (hit,))
