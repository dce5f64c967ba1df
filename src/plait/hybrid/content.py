"""Content of hits that legs returned as bare ids: looked up, or missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from plait.errors import ContractError, PlaitError, StageError
from plait.hybrid.outcome import say
from plait.hybrid.plan import Plan
from plait.types import Chunk

__all__ = ["Lookup", "check_content", "look_up"]

Lookup: TypeAlias = Callable[[Sequence[str]], Mapping[str, Chunk]]


def look_up(lookup: Lookup | None, ids: Sequence[str]) -> Mapping[str, Chunk]:
    """The chunks of these ids, as far as ``lookup`` knows them.

    Raises:
        StageError: It failed, or returned something else than chunks by id.
    """
    if lookup is None or not ids:
        return {}
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


def check_content(plan: Plan, bare: Mapping[str, Sequence[str]]) -> None:
    """Refuse an id without content, unless a leg that returned it is marked ``ids_only``."""
    if not bare:
        return
    ids_only = {leg.name for leg in plan.legs if leg.leg.ids_only}
    for name, legs in bare.items():
        if ids_only.isdisjoint(legs):
            raise ContractError(
                f"leg {legs[0]!r} returned the id {name!r}, and nothing knows its content; "
                "return chunks, give the hybrid lookup=, or mark the leg ids_only=True",
                legs[0],
            )
