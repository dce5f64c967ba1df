"""One leg in the pool: its ranking without duplicates, and what the fusion made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from plait.errors import ConfigurationError
from plait.fusion.method import Fusion, Shares, as_floats
from plait.types import Chunk, Contribution, Ranking

__all__ = ["Column", "check_shares"]

# So that sums over any number of legs stay in the range of a double.
_LARGEST = 1e300


class Column:
    """One leg's hits by name, with their shares of the fused scores.

    Attributes:
        leg: Name of the leg.
        weight: Its weight; a leg with weight 0 has no hits here.
        ids: Ids as the leg gave them, None where a chunk has none.
        ranking: The ranking without duplicates; its ids are the names of the hits.
        positions: Position in the ranking by name.
        shares: What the fusion made of it.
        notes: For the leg's report.
    """

    __slots__ = ("ids", "leg", "notes", "positions", "ranking", "shares", "weight")

    def __init__(self, ranking: Ranking, weight: float, names: Sequence[str]) -> None:
        self.leg = ranking.leg
        self.weight = weight
        self.shares = Shares((), (), bound=0.0)
        self.notes: tuple[str, ...] = ()
        self.positions = dict(zip(names, range(len(names)), strict=True))
        if len(self.positions) == len(ranking):
            self.ids = ranking.ids
            self.ranking = ranking if names == ranking.ids else replace(ranking, ids=tuple(names))
            return
        kept: dict[str, int] = {}
        for position, name in enumerate(names):
            kept.setdefault(name, position)
        rows = list(kept.values())
        self.ids = tuple([ranking.ids[row] for row in rows])
        self.ranking = replace(ranking.at(rows), ids=tuple(kept))
        self.positions = dict(zip(kept, range(len(kept)), strict=True))
        removed = len(names) - len(kept)
        if removed:
            self.notes = (f"{removed} duplicate{'s' * (removed > 1)} removed",)

    def settle(self, fusion: Fusion, given: Shares | Sequence[float]) -> None:
        """Take what the fusion gave this leg."""
        shares = check_shares(fusion, given, self.ranking)
        self.shares = shares
        self.notes += shares.notes

    def chunk(self, position: int) -> Chunk | None:
        """The leg's copy of the chunk, None if it gave the id only."""
        chunks = self.ranking.chunks
        return chunks[position] if chunks else None

    def contribution(self, name: str) -> Contribution:
        """The leg's share of a hit's score, also of one that it did not return."""
        shares = self.shares
        position = self.positions.get(name)
        if position is None:
            return Contribution(
                self.leg, None, None, shares.absent_normalized, self.weight, shares.absent
            )
        ranking = self.ranking
        normalized = shares.values if shares.normalized is None else shares.normalized
        return Contribution(
            self.leg,
            position + 1,
            ranking.scores[position],
            normalized[position],
            self.weight,
            shares.values[position],
            ranking.parts[position] if ranking.parts else (),
            self.is_filled(position),
        )

    def is_filled(self, position: int) -> bool:
        """Whether the leg only scored the hit, since another leg returned it."""
        return bool(self.ranking.filled) and self.ranking.filled[position]


def check_shares(fusion: Fusion, given: Shares | Sequence[float], ranking: Ranking) -> Shares:
    """What a fusion gave a leg, as ``Shares``.

    Raises:
        ConfigurationError: Not one finite number per hit.
    """
    shares = given if isinstance(given, Shares) else Shares(as_floats(given))
    for values in (shares.values, shares.normalized):
        if values is not None and len(values) != len(ranking):
            raise ConfigurationError(
                f"fusion {fusion} gave {len(values)} contributions for the {len(ranking)} "
                f"hits of leg {ranking.leg!r}; it gives one per hit"
            )
    # NaN and infinity fail this too.
    if not sum(map(abs, shares.values), abs(shares.absent)) < _LARGEST:
        raise ConfigurationError(
            f"fusion {fusion} gave leg {ranking.leg!r} contributions that are NaN, infinite or "
            f"too large; they are finite numbers that add up to less than {_LARGEST:g}"
        )
    return shares
