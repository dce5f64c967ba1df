"""The bridge between sync and async: plait's own event loop, and threads for sync calls.

A sync call must work inside a running loop (a notebook, a web handler), so coroutines that are
called from sync code run on a loop of plait's own, in a daemon thread, started when first needed.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from plait.execution.workers import Workers

__all__ = ["run_coroutine", "run_in_thread", "submit_coroutine"]

P = ParamSpec("P")
T = TypeVar("T")


class _OwnLoop:
    """An event loop in a daemon thread, made when first asked for, and again after a fork."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="plait-loop", daemon=True
                ).start()
            return self._loop


_own_loop = _OwnLoop()
# True in what runs on that loop and, since context travels, in all that it starts.
_on_own_loop = contextvars.ContextVar("plait_on_own_loop", default=False)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_own_loop.forget)


def submit_coroutine(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on plait's own loop; cancelling the future cancels it."""
    if _on_own_loop.get():
        # The own loop may be waiting for this very call, through sync code that runs on it or
        # on whose behalf this thread works: give the coroutine a thread and a loop of its own.
        return _nested.submit(functools.partial(asyncio.run, coroutine))
    return asyncio.run_coroutine_threadsafe(_marked(coroutine), _own_loop.get())


async def _marked(coroutine: Coroutine[Any, Any, T]) -> T:
    _on_own_loop.set(True)
    return await coroutine


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from sync code, whether or not a loop is running in this thread."""
    future = submit_coroutine(coroutine)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a sync function in a worker thread without blocking the event loop.

    The methods of one object share 32 workers, so that a thousand calls at once do not start a
    thousand threads, and objects that call each other cannot wait for each other's workers.
    """
    workers = _workers_of(getattr(function, "__self__", None))
    return await asyncio.wrap_future(workers.submit(functools.partial(function, *args, **kwargs)))


_shared = Workers("call")
_nested = Workers("nested", limit=1_000)
_owned: weakref.WeakKeyDictionary[object, Workers] = weakref.WeakKeyDictionary()
_owned_lock = threading.Lock()


def _workers_of(owner: object) -> Workers:
    if owner is None:
        return _shared
    with _owned_lock:
        try:
            workers = _owned.get(owner)
            if workers is None:
                workers = _owned[owner] = Workers(type(owner).__name__.lower())
        except TypeError:  # cannot be hashed or referenced weakly
            return _shared
        return workers
