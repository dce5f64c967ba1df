"""Inputs of a model, or other heavy work, each run alone, several side by side."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["cores", "side_by_side"]

T = TypeVar("T")
R = TypeVar("R")

_MOST_THREADS = 8


def side_by_side(work: Callable[[T], R], inputs: Sequence[T]) -> list[R]:
    """What ``work`` makes of each input, in their order; as many at once as there are cores.

    Each runs in a copy of the caller's context. On a CPU that is as fast as padded batches of a
    model, and what is made of an input depends on nothing but the input.

    Example:
        >>> side_by_side(len, ["one", "four"])
        [3, 4]
    """
    workers = min(cores(), len(inputs))
    if workers < 2:
        return [work(each) for each in inputs]
    with ThreadPoolExecutor(workers, thread_name_prefix="plait-cores") as pool:
        calls = [pool.submit(contextvars.copy_context().run, work, each) for each in inputs]
        return [call.result() for call in calls]


def cores() -> int:
    """Cores this process may use, as far as more of them help."""
    if hasattr(os, "sched_getaffinity"):
        return min(_MOST_THREADS, len(os.sched_getaffinity(0)))
    return min(_MOST_THREADS, os.cpu_count() or 1)
