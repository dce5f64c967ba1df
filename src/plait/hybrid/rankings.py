"""What each leg of a hybrid returns, before any fusion: for evaluation, tuning and diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plait.execution import Runner
from plait.filters import FilterLike
from plait.fusion import Fusion
from plait.hybrid.content import Lookup, look_up
from plait.hybrid.leg import Leg
from plait.hybrid.outcome import Outcome
from plait.hybrid.plan import Fusing, make_plan
from plait.hybrid.running import run
from plait.identity import group
from plait.types import Chunk, QueryLike, Ranking, alone

__all__ = ["LegRankings"]


class LegRankings:
    """The part of a hybrid that asks its legs and does not fuse."""

    legs: tuple[Leg, ...]
    fusion: Fusion
    fetch_k: int | None
    window: int
    on_failure: str
    deadline: float | None
    _runners: Mapping[str, Runner]
    _lookup: Lookup
    _key: Callable[[Chunk], Any] | None

    def rankings(
        self,
        query: QueryLike,
        *,
        filter: FilterLike = None,
        fetch_k: int | None = None,
        legs: Sequence[str] | None = None,
    ) -> tuple[Ranking, ...]:
        """What every leg returns for one query, also a leg of weight 0.

        ``plait.fuse(rankings, fusion, weights)`` then gives the order that ``retrieve`` gives.

        Args:
            query: Text or a ``Query``.
            filter: Only chunks whose metadata passes; see ``plait.filters``.
            fetch_k: Candidates asked of each leg; the hybrid's when unset.
            legs: Names of the legs to run, all by default.

        Returns:
            One per leg, in the order of the hybrid. All hits have ids, and hits are the same
            exactly if their ids are equal. A leg that failed or cannot use the query has an empty
            ranking; ``run_legs`` says which.

        Raises:
            QueryError, ConfigurationError, AllLegsFailedError, LegError: As ``retrieve``.

        Example:
            >>> from plait import HybridRetriever
            >>> hybrid = HybridRetriever({"a": lambda text: ["x", "y"], "b": lambda text: ["y"]})
            >>> [ranking.ids for ranking in hybrid.rankings("anything")]
            [('x', 'y'), ('y',)]
        """
        return self.run_legs(query, filter=filter, fetch_k=fetch_k, legs=legs).rankings

    def run_legs(
        self,
        query: QueryLike,
        *,
        filter: FilterLike = None,
        fetch_k: int | None = None,
        legs: Sequence[str] | None = None,
        fill: bool = False,
    ) -> Outcome:
        """The same with a report per leg and what failed; see ``rankings``.

        With ``fill`` the legs are asked to score each other's hits, see ``HybridRetriever``;
        ``Ranking.returned`` is what one returned.
        """
        plan = make_plan(
            self.legs,
            self._runners,
            Fusing(self.fusion, {str(leg.name): 1.0 for leg in self.legs}, self.window),
            variants=alone(query),
            top_k=1,
            offset=0,
            filter=filter,
            fetch_k=self.fetch_k if fetch_k is None else fetch_k,
            names=legs,
            options=None,
            deadline=self.deadline,
            raises=self.on_failure == "raise",
            fill=fill,
        )
        outcome = run(plan)
        names = group(outcome.rankings, self._key)
        named = zip(outcome.rankings, names, strict=True)
        return replace(
            outcome,
            rankings=tuple(
                each if each.ids == ids else replace(each, ids=ids) for each, ids in named
            ),
        )

    def chunks(self, ids: Sequence[str]) -> Mapping[str, Chunk]:
        """The chunks with these ids, as far as the hybrid knows them.

        Raises:
            StageError: ``lookup`` failed.
        """
        return look_up(self._lookup, ids)
