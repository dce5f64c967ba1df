"""The async form of a method that blocks: the same method, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

from plait.execution import run_in_thread

__all__ = ["in_thread"]

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")


def in_thread(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """The async form of a method: the same, without blocking the event loop.

    Example:
        >>> import asyncio
        >>> class Counter:
        ...     def count(self, start: int) -> int:
        ...         return start + 1
        ...     acount = in_thread(count)
        >>> asyncio.run(Counter().acount(41))
        42
    """

    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        # Bound, so that the calls of one object share its worker threads.
        bound: Callable[P, R] = method.__get__(self)
        return await run_in_thread(bound, *args, **kwargs)

    update_wrapper(run, method)
    owner, _, _ = method.__qualname__.rpartition(".")
    run.__name__ = f"a{method.__name__}"
    run.__qualname__ = f"{owner}.{run.__name__}"
    run.__doc__ = f"``{method.__name__}`` without blocking the event loop."
    return run
