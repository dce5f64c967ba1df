"""Content of hits that legs returned as bare ids, and the page that is left of the pool."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from plait.errors import ContractError, PlaitError, StageError
from plait.execution import run_in_thread
from plait.fusion import Pool
from plait.hybrid.boundary import said_of
from plait.hybrid.leg import Leg
from plait.hybrid.outcome import say
from plait.hybrid.plan import Plan
from plait.memory import MemoryRetriever
from plait.types import Chunk, Hit

__all__ = ["Lookup", "Page", "aturn", "held_by", "turn", "turn_pages"]

Lookup: TypeAlias = Callable[[Sequence[str]], Mapping[str, Chunk]]


def held_by(legs: Sequence[Leg]) -> Lookup:
    """A lookup in the chunks that the legs themselves keep in memory."""
    holders = [leg.retriever for leg in legs if isinstance(leg.retriever, MemoryRetriever)]

    def lookup(ids: Sequence[str]) -> Mapping[str, Chunk]:
        found = {}
        for name in ids:
            copies = (holder.get(name) for holder in holders)
            chunk = next((copy for copy in copies if copy is not None), None)
            if chunk is not None:
                found[name] = chunk
        return found

    return lookup


def look_up(lookup: Lookup, ids: Sequence[str]) -> Mapping[str, Chunk]:
    """The chunks of these ids, as far as ``lookup`` knows them.

    Raises:
        StageError: It failed, or returned something else than chunks by id.
    """
    try:
        found = lookup(ids)
    except PlaitError:
        raise
    except Exception as error:
        raise StageError(f"lookup failed for {len(ids)} ids: {say(error)}", "lookup") from error
    if not isinstance(found, Mapping):
        raise StageError(
            f"lookup returned {type(found).__name__}, expected a mapping from id to Chunk", "lookup"
        )
    known = {name: found[name] for name in ids if found.get(name) is not None}
    for name, chunk in known.items():
        if not isinstance(chunk, Chunk):
            raise StageError(
                f"lookup returned {type(chunk).__name__} for the id {name!r}, expected a Chunk, or "
                "None where it knows none",
                "lookup",
            )
    return known


@dataclass(frozen=True, slots=True)
class Page:
    """The hits of a page, and what a reader should know of those that are not in it.

    Attributes:
        hits: The hits, ranked by their place among all that can be shown.
        dropped: How many before or on the page were not shown.
        notes: Why.
        degraded: A hit was dropped because nothing knows its content.
    """

    hits: tuple[Hit, ...]
    dropped: int = 0
    notes: tuple[str, ...] = ()
    degraded: bool = False


Turning: TypeAlias = Generator[Sequence[str], Mapping[str, Chunk], Page]


def turn(turning: Turning, lookup: Lookup) -> Page:
    """The page, its content looked up in this thread."""
    try:
        wanted = next(turning)
        while True:
            wanted = turning.send(look_up(lookup, wanted))
    except StopIteration as turned:
        page: Page = turned.value
        return page


async def aturn(turning: Turning, lookup: Lookup) -> Page:
    """The same without blocking the event loop."""
    try:
        wanted = next(turning)
        while True:
            wanted = turning.send(await run_in_thread(look_up, lookup, wanted))
    except StopIteration as turned:
        page: Page = turned.value
        return page


def turn_pages(plan: Plan, pool: Pool) -> Turning:
    """Go down the pool until the page is full.

    Yields bare ids whose content it needs, and is sent the chunks that were found. A hit is not
    shown if its chunk does not pass the filter (a leg that returns ids only could not be checked
    when it answered), or if nothing knows its content and no leg that returned it is marked
    ``ids_only``. That depends on the hit alone, never on the page, so pages do not repeat.

    Args:
        plan: The query.
        pool: Its fused pool.

    Returns:
        The page.

    Raises:
        ContractError: A hit without content, when a failure of its leg ends the query, or when
            no hit is left.
    """
    bare = pool.bare(0, plan.stop)
    if not bare:
        return Page(pool.hits(plan.start, plan.stop))
    shown: list[Hit] = []
    unknown: list[ContractError] = []
    leaked = position = 0
    while position < len(pool) and len(shown) < plan.stop:
        end = min(len(pool), position + plan.stop - len(shown))
        bare = pool.bare(position, end) if position else bare
        found = (yield tuple(bare)) if bare else {}
        for hit in pool.hits(position, end, found):
            name = hit.id or ""
            if name in found and plan.keep is not None:
                if not plan.keep.matches(hit.chunk.metadata):
                    leaked += 1
                    continue
            elif name in bare and name not in found and not _may_be_bare(plan, bare[name]):
                unknown.append(_unknown(plan, name, bare[name]))
                continue
            shown.append(hit)
        position = end
    if unknown and not shown:
        raise unknown[0]  # nothing is left: that must not look like nothing found
    notes = [said_of(leaked, "did not pass the filter")] if leaked else []
    if unknown:
        notes.append(said_of(len(unknown), str(unknown[0])))
    hits = tuple(
        hit if hit.rank == rank else replace(hit, rank=rank)
        for rank, hit in enumerate(shown[plan.start : plan.stop], start=plan.start + 1)
    )
    return Page(hits, leaked + len(unknown), tuple(notes), bool(unknown))


def _may_be_bare(plan: Plan, legs: Sequence[str]) -> bool:
    return any(leg.leg.ids_only for leg in plan.legs if leg.name in legs)


def _unknown(plan: Plan, name: str, legs: Sequence[str]) -> ContractError:
    """What to say of a hit without content; raised here if its leg may not fail."""
    error = ContractError(
        f"leg {legs[0]!r} returned the id {name!r}, and nothing knows its content; return chunks, "
        "give the hybrid a lookup= that knows it, or mark the leg ids_only=True",
        legs[0],
    )
    for leg in plan.due:
        if leg.name in legs and leg.call is not None and leg.call.fatal:
            raise error
    return error
