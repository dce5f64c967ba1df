"""HybridRetriever: run the legs together, fuse their rankings, explain every hit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

from plait.errors import ConfigurationError
from plait.execution import Breaker, Runner
from plait.filters import FilterLike
from plait.fusion import Fusion, Pool, Rrf, Weights, fuse
from plait.hybrid.content import Lookup, Page, aturn, held_by, turn, turn_pages
from plait.hybrid.leg import Leg, check_seconds, name_legs
from plait.hybrid.outcome import Outcome, say
from plait.hybrid.plan import Fusing, Plan, check_fusion, make_plan, settle_weights
from plait.hybrid.rankings import LegRankings
from plait.hybrid.running import arun, run
from plait.hybrid.writing import HybridWriter
from plait.retriever import Retriever, check_queries
from plait.types import Chunk, Query, QueryLike, SearchResult, Variant, alone

__all__ = ["Asked", "HybridRetriever"]

_log = logging.getLogger("plait")
_log.addHandler(logging.NullHandler())  # or Python would print warnings that nobody listens to
_RRF = Rrf(k=60)


class Asked(TypedDict, total=False):
    """What one query may say, beside the query; see ``HybridRetriever.retrieve``."""

    top_k: int | None
    offset: int
    filter: FilterLike
    fetch_k: int | None
    fusion: Fusion | str | None
    weights: Weights | None
    legs: Sequence[str] | None
    options: Mapping[str, Mapping[str, Any]] | None
    deadline: float | None
    fill: bool | None


class HybridRetriever(LegRankings, HybridWriter, Retriever):
    """Any number of retrievers over one question, their rankings fused into one.

    The legs run together, so a query costs its slowest leg. Legs that compute in pure Python
    overlap only while they wait; NumPy, ONNX and the like release the interpreter's lock.

    Args:
        legs: A list of retrievers, callables or ``Leg`` values, or a mapping from name to these.
        weights: By position or by leg name, used as given; default each leg's own, which is 1.0.
            0: the leg is indexed but not run.
        fusion: A fusion or its text form.
        top_k: Hits returned when a call does not say, >= 1.
        fetch_k: Candidates asked of each leg, >= 1. None: each leg's own, or ``window``.
        window: Candidates when nothing else is said; it doubles until it covers
            ``top_k + offset``, and the result says so.
        on_failure: ``"degrade"`` goes on without a leg that failed and says so in the result;
            ``"raise"`` raises. When every leg that was due failed, both raise.
        deadline: Seconds for all legs together, None for no limit.
        fill: Ask each leg for the scores of the hits that only other legs returned, if it can give
            them (see ``Retriever.score``; plait's own can). Its ranking is then the one that it
            would give without a limit, as far as any leg returned the hits.
        lookup: From ids to chunks, for legs that return ids only. None: the chunks that the legs
            keep in memory.
        key: From a chunk to what it is the same by; replaces plait's rule of identity.
        name: Name of the leg when this hybrid stands in another.

    Raises:
        ConfigurationError: No legs, a name given twice, bad weights, fusion or limits.

    Example:
        >>> hybrid = HybridRetriever(
        ...     {"a": lambda text: ["x", "y"], "b": lambda text: ["y"]},
        ...     lookup=lambda ids: {id: Chunk(f"text of {id}", id=id) for id in ids},
        ... )
        >>> result = hybrid.retrieve("anything")
        >>> [(hit.id, hit.legs) for hit in result]
        [('y', ('b', 'a')), ('x', ('a',))]
    """

    def __init__(
        self,
        legs: Sequence[Any] | Mapping[str, Any],
        *misplaced: Any,
        weights: Weights | None = None,
        fusion: Fusion | str = _RRF,
        top_k: int = 5,
        fetch_k: int | None = None,
        window: int = 100,
        on_failure: Literal["degrade", "raise"] = "degrade",
        deadline: float | None = None,
        fill: bool = False,
        lookup: Lookup | None = None,
        key: Callable[[Chunk], Any] | None = None,
        name: str = "hybrid",
    ) -> None:
        if misplaced:
            raise ConfigurationError(
                f"HybridRetriever got {1 + len(misplaced)} positional arguments; put the "
                "retrievers in a list: HybridRetriever([dense, bm25])"
            )
        if type(fill) is not bool:
            raise ConfigurationError(f"fill is {fill!r}, expected True or False")
        if on_failure not in ("degrade", "raise"):
            raise ConfigurationError(f"on_failure is {on_failure!r}, expected 'degrade' or 'raise'")
        for value, what in ((top_k, "top_k"), (fetch_k, "fetch_k"), (window, "window")):
            if value is not None and (type(value) is not int or value < 1):
                raise ConfigurationError(f"{what} is {value!r}, expected an int >= 1")
        check_seconds(deadline, "deadline")
        for function, what in ((lookup, "lookup"), (key, "key")):
            if function is not None and not callable(function):
                raise ConfigurationError(f"{what} is {function!r:.80}, expected a callable or None")
        if not isinstance(name, str) or not name:
            raise ConfigurationError(f"name is {name!r}, expected a non-empty str")
        self.name = name
        self.legs = name_legs(legs)
        self.fusion = check_fusion(fusion)
        self.weights = settle_weights(weights, {str(leg.name): leg.weight for leg in self.legs})
        self.top_k = top_k
        self.fetch_k = fetch_k
        self.window = window
        self.on_failure = on_failure
        self.deadline = deadline
        self.fill = fill
        self._lookup = held_by(self.legs) if lookup is None else lookup
        self._key = key
        self._runners = {str(leg.name): _runner(leg) for leg in self.legs}
        self.filters = all(leg.retriever.filters or leg.post_filter for leg in self.legs)
        kinds = {leg.kind or "other" for leg in self.legs}
        self.kind = kinds.pop() if len(kinds) == 1 else "other"
        super().__init__()

    def unanswerable(self, query: Query) -> str | None:
        """Why none of the legs that run can use the form of the query, None if one can."""
        reasons = []
        for leg in self.legs:
            if self.weights[str(leg.name)]:
                reason = leg.retriever.unanswerable(query)
                if reason is None:
                    return None
                reasons.append(f"{leg.name} {reason}")
        return f"has no leg that can use this query: {'; '.join(reasons)}"

    def retrieve(
        self,
        query: QueryLike,
        *,
        top_k: int | None = None,
        offset: int = 0,
        filter: FilterLike = None,
        fetch_k: int | None = None,
        fusion: Fusion | str | None = None,
        weights: Weights | None = None,
        legs: Sequence[str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        deadline: float | None = None,
        fill: bool | None = None,
    ) -> SearchResult:
        """Answer one query; works inside a running event loop too.

        What is given here goes before what the hybrid was built with, and that before the legs'
        own. The pool is a function of query, filter, legs and ``fetch_k``, never of ``top_k`` or
        ``offset``, so pages of one ``fetch_k`` are cuts of one order.

        Args:
            query: Text or a ``Query``.
            top_k: Hits to return, >= 1.
            offset: Hits to pass over first, >= 0.
            filter: Only chunks whose metadata passes; see ``plait.filters``.
            fetch_k: Candidates asked of each leg, at least ``top_k + offset``.
            fusion: A fusion or its text form.
            weights: By position or by leg name.
            legs: Names of the legs to run.
            options: Options for single legs, by name: ``fetch_k``, ``timeout`` and what the
                retriever itself takes.
            deadline: Seconds for all legs together.
            fill: Whether legs are asked to score the hits of other legs.

        Raises:
            QueryError, ConfigurationError: A mistake in the arguments, before any leg runs.
            AllLegsFailedError: Every leg that was due failed.
            LegError: A required leg failed, or any with ``on_failure="raise"``.
            ContractError: A hit without content (and no leg that returned it is ``ids_only``),
                when its leg is required, with ``on_failure="raise"``, or when no other hit is
                left. Otherwise the hit is dropped, and the result degraded.
            StageError: ``lookup`` failed.
        """
        return self.retrieve_variants(
            alone(query),
            top_k=top_k,
            offset=offset,
            filter=filter,
            fetch_k=fetch_k,
            fusion=fusion,
            weights=weights,
            legs=legs,
            options=options,
            deadline=deadline,
            fill=fill,
        )

    async def aretrieve(self, query: QueryLike, **given: Unpack[Asked]) -> SearchResult:
        """Answer one query without blocking the event loop; see ``retrieve``, which takes the same.

        Async legs run on the caller's loop. Cancelling cancels them and abandons sync legs.
        """
        return await self.aretrieve_variants(alone(query), **given)

    def retrieve_variants(
        self, variants: Sequence[Variant], **given: Unpack[Asked]
    ) -> SearchResult:
        """Answer one query that is put in several ways at once; takes what ``retrieve`` takes.

        Every leg searches every variant, all together under one deadline. Each of them is a leg of
        one flat fusion, with the leg's weight times the variant's, and has a report and a
        contribution of its own: ``bm25`` for the variant called original, ``bm25@rewrite`` for one
        called rewrite. Variants for dense retrieval are searched by legs of that kind only.

        A leg that fails on a variant is left out and the result is degraded. Only on the original
        (the first, if none is) does the failure of a required leg raise, or of any with
        ``on_failure="raise"``. For its circuit breaker and its late calls a leg counts once,
        whatever the number of variants. The pool is a function of variants, filter, legs and
        ``fetch_k``.

        Args:
            variants: Ways of putting the query, with different names; at least one.
            **given: As for ``retrieve``.

        Raises:
            QueryError: No variant, or two of one name; and what ``retrieve`` raises.

        Example:
            >>> from plait.types import Variant
            >>> hybrid = HybridRetriever({"faq": lambda text: [Chunk(text, id=text)]})
            >>> asked = [Variant("refund"), Variant("money back", weight=0.5, name="rewrite")]
            >>> [(hit.id, hit.legs) for hit in hybrid.retrieve_variants(asked)]
            [('refund', ('faq',)), ('money back', ('faq@rewrite',))]
        """
        plan = self._plan(variants, **given)
        outcome = run(plan)
        pool = self._fuse(plan, outcome)
        page = turn(turn_pages(plan, pool), self._lookup)
        return self._result(plan, outcome, pool, page)

    async def aretrieve_variants(
        self, variants: Sequence[Variant], **given: Unpack[Asked]
    ) -> SearchResult:
        """``retrieve_variants`` without blocking the event loop, as ``aretrieve``."""
        plan = self._plan(variants, **given)
        outcome = await arun(plan)
        pool = self._fuse(plan, outcome)
        page = await aturn(turn_pages(plan, pool), self._lookup)
        return self._result(plan, outcome, pool, page)

    def check(self, query: QueryLike, **given: Unpack[Asked]) -> None:
        """Raise what ``retrieve`` raises for a mistake in its arguments; no leg runs.

        For whoever has something slow to do before retrieval, such as asking a language model.
        """
        self._plan(alone(query), **given)

    def retrieve_many(
        self, queries: Iterable[QueryLike], **given: Unpack[Asked]
    ) -> list[SearchResult]:
        """Answer several queries; the results are those of ``retrieve``, in the same order.

        The queries are checked before the first is run. A failure is raised and ends the call; for
        an outcome per query, call ``retrieve`` for each.
        """
        return [self.retrieve(query, **given) for query in check_queries(queries)]

    def fusing(self, fusion: Fusion | str | None = None, weights: Weights | None = None) -> Fusing:
        """How a query's rankings become one: what is given, else the hybrid's own.

        It is what ``retrieve`` goes by with the same two arguments, for whoever fuses rankings of
        these legs without it.
        """
        return Fusing(
            self.fusion if fusion is None else check_fusion(fusion),
            self.weights if weights is None else settle_weights(weights, self.weights),
            self.window,
        )

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values."""
        fusing = self.fusing()
        return {
            "type": "HybridRetriever",
            "name": self.name,
            "fusion": str(fusing.fusion),
            "weights": dict(fusing.weights),
            "top_k": self.top_k,
            "fetch_k": self.fetch_k,
            "window": fusing.window,
            "on_failure": self.on_failure,
            "deadline": self.deadline,
            "fill": self.fill,
            "legs": {
                str(leg.name): {
                    **leg.retriever.describe(),
                    "leg": {
                        "fetch_k": leg.fetch_k,
                        "timeout": leg.timeout,
                        "required": leg.required,
                        "retries": leg.retries,
                        "post_filter": leg.post_filter,
                        "ids_only": leg.ids_only,
                        "higher_is_better": leg.higher_is_better,
                        "score_range": None if leg.score_range is None else list(leg.score_range),
                        "order": leg.order,
                        "kind": leg.kind,
                    },
                }
                for leg in self.legs
            },
        }

    def _plan(
        self,
        variants: Sequence[Variant],
        *,
        top_k: int | None = None,
        offset: int = 0,
        filter: FilterLike = None,
        fetch_k: int | None = None,
        fusion: Fusion | str | None = None,
        weights: Weights | None = None,
        legs: Sequence[str] | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        deadline: float | None = None,
        fill: bool | None = None,
    ) -> Plan:
        return make_plan(
            self.legs,
            self._runners,
            self.fusing(fusion, weights),
            variants=variants,
            top_k=self.top_k if top_k is None else top_k,
            offset=offset,
            filter=filter,
            fetch_k=self.fetch_k if fetch_k is None else fetch_k,
            names=legs,
            options=options,
            deadline=self.deadline if deadline is None else deadline,
            raises=self.on_failure == "raise",
            fill=self.fill if fill is None else fill,
        )

    def _fuse(self, plan: Plan, outcome: Outcome) -> Pool:
        """The legs' rankings as one order."""
        if outcome.failures:
            said = "; ".join(f"{name}: {say(error)}" for name, error in outcome.failures.items())
            _log.warning("%s: query degraded, %s", self.name, said)
        weights = [leg.weight for leg in plan.legs]
        return fuse(outcome.rankings, plan.fusion, weights, key=self._key)

    def _result(self, plan: Plan, outcome: Outcome, pool: Pool, page: Page) -> SearchResult:
        """The page, and how it came about."""
        if page.degraded:
            _log.warning("%s: query degraded, %s", self.name, page.notes[-1])
        return SearchResult(
            hits=page.hits,
            query=plan.query,
            legs=outcome.counted(pool.counts, pool.notes),
            degraded=outcome.degraded or page.degraded,
            total=len(pool) - page.dropped,
            fusion=str(plan.fusion),
            score_bound=pool.score_bound,
            fetch_k=plan.fetch_k,
            notes=(*plan.notes, *page.notes),
        )


def _runner(leg: Leg) -> Runner:
    return Runner(
        str(leg.name),
        retries=leg.retries,
        retry_on=leg.retry_on,
        max_late=leg.max_late,
        breaker=Breaker(leg.max_failures, leg.probe_after),
    )
