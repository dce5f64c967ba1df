"""How a leg is called for one query: with what, and whether from a thread or a loop."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sized
from dataclasses import replace
from typing import Any

from plait.execution import Call, Runner
from plait.filters import Filter, FilterLike
from plait.hybrid.boundary import taken
from plait.hybrid.callable import CallableRetriever
from plait.hybrid.leg import Leg
from plait.retriever import RankingRetriever
from plait.telemetry import span
from plait.types import Query

__all__ = ["in_span", "make_call"]


def make_call(
    leg: Leg,
    runner: Runner,
    query: Query,
    fetch_k: int,
    filter: FilterLike,
    keep: Filter | None,
    options: Mapping[str, Any],
    timeout: float | None,
    fatal: bool,
) -> Call:
    """The call of one leg, sync or async or both, as the leg is.

    Args:
        leg: The leg.
        runner: Its running side.
        query: What to ask.
        fetch_k: Candidates to ask for.
        filter: The filter as it was given, None if the leg is not to filter.
        keep: The same, settled.
        options: The leg's own options for this query.
        timeout: Seconds from submission, None for no limit.
        fatal: Whether a failure ends the query.
    """
    retriever = leg.retriever
    if isinstance(retriever, RankingRetriever):
        own_keep = None if leg.post_filter else keep
        return Call(
            runner,
            lambda: retriever.rank(query, top_k=fetch_k, filter=own_keep, **options),
            None,
            timeout,
            fatal,
        )
    # Foreign legs: a filter that is theirs to change, and an answer that is no longer.
    own_filter = copy.deepcopy(filter) if isinstance(filter, Mapping) else filter
    sync: Callable[[], Any] | None = None
    async_: Callable[[], Any] | None = None
    if isinstance(retriever, CallableRetriever):
        ask = functools.partial(retriever, query, fetch_k, own_filter, **options)
        sync, async_ = (None, ask) if retriever.runs_async else (ask, None)
    else:
        # Whoever wrote the retriever for text alone is given text alone.
        given = query if query.text is None or query.embedding is not None else query.text
        asked = {"top_k": fetch_k, "filter": own_filter, **options}
        if retriever.is_sync():
            sync = functools.partial(retriever.retrieve, given, **asked)
        if retriever.is_async():
            async_ = functools.partial(retriever.aretrieve, given, **asked)
    return Call(
        runner,
        None if sync is None else _taking(sync, fetch_k),
        None if async_ is None else _taking_async(async_, fetch_k),
        timeout,
        fatal,
    )


def in_span(call: Call, leg: str, variant: str) -> Call:
    """The same call, a span around each attempt."""
    name, attributes = "plait.leg", {"plait.leg": leg, "plait.variant": variant}
    ask, ask_async = call.sync, call.async_
    sync: Callable[[], Any] | None = None
    async_: Callable[[], Any] | None = None
    if ask is not None:

        def sync() -> Any:
            with span(name, attributes) as note:
                answer = ask()
                note(_said(answer))
                return answer

    if ask_async is not None:

        async def async_() -> Any:
            with span(name, attributes) as note:
                answer = await ask_async()
                note(_said(answer))
                return answer

    return replace(call, sync=sync, async_=async_)


def _said(answer: Any) -> Mapping[str, Any]:
    return {"plait.hits": len(answer)} if isinstance(answer, Sized) else {}


def _taking(ask: Callable[[], Any], limit: int) -> Callable[[], Any]:
    return lambda: taken(ask(), limit)


def _taking_async(ask: Callable[[], Any], limit: int) -> Callable[[], Any]:
    async def run() -> Any:
        return taken(await ask(), limit)

    return run
