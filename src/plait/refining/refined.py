"""Refined: the hits that a step behind fusion leaves, and what it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from plait.types import Hit

__all__ = ["Refined"]


@dataclass(frozen=True, slots=True)
class Refined:
    """The hits that one step leaves, and what it did.

    Attributes:
        step: What was done, in its text form, such as ``"rerank>=0.5"``.
        hits: The hits, best first, ranks numbered from 1.
        before: How many hits there were.
        notes: What a reader of the hits should know.
    """

    step: str
    hits: tuple[Hit, ...]
    before: int
    notes: tuple[str, ...] = ()

    @property
    def after(self) -> int:
        """How many hits are left."""
        return len(self.hits)

    @classmethod
    def of(
        cls, step: str, before: Sequence[Hit], after: Sequence[Hit], notes: tuple[str, ...] = ()
    ) -> Refined:
        """The outcome of a step, the ranks of its hits numbered anew."""
        return cls(step, ranked(after), len(before), notes)


def ranked(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits with ranks 1, 2, 3, ... in this order."""
    return tuple(
        hit if hit.rank == rank else replace(hit, rank=rank)
        for rank, hit in enumerate(hits, start=1)
    )
