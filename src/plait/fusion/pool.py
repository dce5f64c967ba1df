"""The pool: every hit of all legs in fused order, from which pages of hits are read.

It works on columns. ``Hit`` and ``Contribution`` values are made for the page that is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from plait.errors import ConfigurationError
from plait.fusion.column import Column
from plait.fusion.method import Fusion
from plait.fusion.order import Order, bound, totals
from plait.fusion.weights import Weights, resolve_weights
from plait.identity import IdentityKey, group
from plait.metadata import FrozenDict
from plait.types import Chunk, Hit, Ranking

__all__ = ["Pool", "fuse"]

_NOTHING_FOUND: Mapping[str, Chunk] = MappingProxyType({})


def fuse(
    rankings: Sequence[Ranking],
    fusion: Fusion,
    weights: Weights | None = None,
    *,
    key: IdentityKey | None = None,
) -> Pool:
    """Fuse rankings into one pool.

    Hits that are the same (see ``plait.identity``) become one; of a leg's duplicates the best rank
    is kept, and the ranks below move up. The order is by fused score, equal if 12 significant
    digits are; then by best rank in a leg; then by id. It does not depend on the order of the
    rankings.

    Args:
        rankings: One per leg, with different leg names. Empty ones are fine.
        fusion: The method.
        weights: By position or by leg name, default 1.0. A leg with weight 0 takes no part: what
            it found is not in the pool.
        key: Replaces the rule of identity: a callable from chunk to hashable.

    Raises:
        ConfigurationError: No ranking, repeated leg names, bad weights (see ``resolve_weights``),
            an ``absent`` above what a leg gives its last hit, a fusion that returns something else
            than finite contributions, one per hit.

    Example:
        >>> from plait.fusion.rank_based import Rrf
        >>> dense = Ranking("dense", ("a", "b"), (0.9, 0.8))
        >>> bm25 = Ranking("bm25", ("b", "c"), (7.1, 2.0))
        >>> pool = fuse([dense, bm25], Rrf(k=60))
        >>> [hit.id for hit in pool.hits(0, 10)]
        ['b', 'a', 'c']
        >>> pool.hits(0, 1)[0].score == 1 / 62 + 1 / 61
        True
    """
    legs = [ranking.leg for ranking in rankings]
    if not legs:
        raise ConfigurationError("no rankings to fuse; give one per leg, empty ones included")
    if len(set(legs)) < len(legs):
        raise ConfigurationError(f"leg names {legs!r} repeat; every ranking needs its own")
    checked = resolve_weights(weights, legs)
    used = [ranking for ranking, weight in zip(rankings, checked, strict=True) if weight]
    names = dict(zip((ranking.leg for ranking in used), group(used, key), strict=True))
    columns = [
        Column(ranking, weight, names.get(ranking.leg, ()))
        for ranking, weight in zip(rankings, checked, strict=True)
    ]
    active = [column for column in columns if column.weight]
    given = fusion.fuse([column.ranking for column in active], [column.weight for column in active])
    if len(given) != len(active):
        raise ConfigurationError(
            f"fusion {fusion} returned {len(given)} entries for {len(active)} rankings; "
            "fuse(rankings, weights) returns one per ranking"
        )
    for column, shares in zip(active, given, strict=True):
        column.settle(fusion, shares)
    return Pool(columns)


class Pool:
    """Every hit of all legs in fused order. Made by ``fuse``.

    Attributes:
        score_bound: Highest fused score that the method can give for these legs and weights, None
            if it has no maximum. A leg that returned nothing counts as if it had returned one hit.
        notes: By leg name, what a reader of its contributions should know: fallback to ranks, flat
            scores, removed duplicates. One entry per leg.
        counts: By leg name, how many hits it brought after its duplicates were removed.
    """

    __slots__ = ("_columns", "_order", "counts", "notes", "score_bound")

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._order = Order(totals(columns), columns)
        self.score_bound = bound(columns)
        self.notes: Mapping[str, tuple[str, ...]] = MappingProxyType(
            {column.leg: column.notes for column in columns}
        )
        self.counts: Mapping[str, int] = MappingProxyType(
            {column.leg: len(column.ranking) for column in columns}
        )

    def __len__(self) -> int:
        return len(self._order)

    @property
    def scores(self) -> Mapping[str, float]:
        """Every hit's fused score by its name, in fused order.

        A hit's name is its id, or the one that ``plait.identity.group`` gives a hit without id.
        """
        return MappingProxyType(self.best(len(self)))

    def best(self, count: int) -> dict[str, float]:
        """The same of the best ``count`` alone, for who needs no more: it takes a part of the time.

        Example:
            >>> from plait.fusion.rank_based import Rrf
            >>> legs = [Ranking("dense", ("a", "b"), (0.9, 0.8)), Ranking("bm25", ("b",), (7.1,))]
            >>> fuse(legs, Rrf(k=60)).best(1) == {"b": 1 / 62 + 1 / 61}
            True
        """
        return {name: score for _, name, score in self._page(0, count)}

    def missing(self, start: int, stop: int) -> tuple[str, ...]:
        """Ids in a page for which no leg brought a chunk, in order.

        Args:
            start: First position, from 0.
            stop: Position after the last; may be past the end.
        """
        return tuple(self.bare(start, stop))

    def bare(self, start: int, stop: int) -> dict[str, tuple[str, ...]]:
        """The ids of ``missing``, with the legs that returned each, best rank first."""
        legs = {}
        for _, name, _ in self._page(start, stop):
            holders = self._holders(name)
            if all(column.chunk(position) is None for position, _, column in holders):
                position, _, column = holders[0]
                legs[column.ids[position] or name] = tuple([leg for _, leg, _ in holders])
        return legs

    def hits(
        self, start: int, stop: int, found: Mapping[str, Chunk] = _NOTHING_FOUND
    ) -> tuple[Hit, ...]:
        """The hits of a page, each with one contribution per ranking given to ``fuse``.

        Args:
            start: First position, from 0.
            stop: Position after the last; may be past the end.
            found: Chunks by id for hits that legs returned as bare ids, such as those that
                ``missing`` names. A hit for which there is no chunk gets one without content.

        Returns:
            ``source="hybrid"``; ``rank`` is the position in the whole pool, from 1; ``chunk`` is
            the copy with the best rank, then the first leg by name; ``sources`` holds the metadata
            of every leg's copy; ``retrieval_score`` is set if exactly one leg returned the hit.
        """
        return tuple([self._hit(*each, found) for each in self._page(start, stop)])

    def _page(self, start: int, stop: int) -> Iterator[tuple[int, str, float]]:
        """Place, name and score of the hits of a page."""
        start, stop, _ = slice(start, stop).indices(len(self))
        names, scores = self._order.upto(stop)
        return zip(range(start, stop), names[start:stop], scores[start:stop], strict=True)

    def _hit(self, place: int, name: str, score: float, found: Mapping[str, Chunk]) -> Hit:
        holders = self._holders(name)
        shown: Chunk | None = None
        sources: dict[str, Mapping[str, Any]] = {}
        for position, leg, column in holders:
            chunk = column.chunk(position) or found.get(column.ids[position] or name)
            if chunk is not None:
                shown = shown or chunk
                sources[leg] = chunk.metadata
        position, _, first = holders[0]
        return Hit(
            chunk=shown or Chunk("", id=first.ids[position]),
            score=score,
            rank=place + 1,
            score_kind="fusion",
            source="hybrid",
            legs=tuple([leg for _, leg, _ in holders]),
            retrieval_score=first.ranking.scores[position] if len(holders) == 1 else None,
            fusion_score=score,
            contributions=tuple([column.contribution(name) for column in self._columns]),
            sources=FrozenDict(sources),
        )

    def _holders(self, name: str) -> list[tuple[int, str, Column]]:
        """Position, leg name and column of every leg that returned the hit, best first."""
        held = [
            (position, column.leg, column)
            for column in self._columns
            if (position := column.positions.get(name)) is not None
            and not column.is_filled(position)
        ]
        held.sort()  # leg names differ, so columns are never compared
        return held
