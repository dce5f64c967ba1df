"""The bridge between sync and async: plait's own event loop, and threads for sync calls.

A sync call must work inside a running loop (a notebook, a web handler), so coroutines that are
called from sync code run on a loop of plait's own, in a daemon thread, started when first needed.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

from plait.execution.forking import start_anew_after_fork
from plait.execution.workers import Workers

__all__ = ["OwnLoop", "run_coroutine", "run_in_thread", "submit_coroutine", "wait_for"]

P = ParamSpec("P")
T = TypeVar("T")


class OwnLoop:
    """An event loop in a daemon thread, made when first asked for, and again after a fork.

    Args:
        name: Name of the thread.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """A forked child has no such thread."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine on the loop; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._get())

    def _get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=_run_always, args=(self._loop,), name=self._name, daemon=True
                ).start()
            return self._loop


def _run_always(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        # asyncio lets these through to whoever runs the loop; here they belong to the coroutine,
        # whose future has them, and every other coroutine goes on.
        with suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()


_own_loop = OwnLoop("plait-loop")
# True in what runs on that loop and, since context travels, in all that it starts.
_on_own_loop = contextvars.ContextVar("plait_on_own_loop", default=False)


def submit_coroutine(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on plait's own loop; cancelling the future cancels it."""
    if _on_own_loop.get():
        # The own loop may be waiting for this very call, through sync code that runs on it or
        # on whose behalf this thread works: give the coroutine a thread and a loop of its own.
        return _nested.submit(functools.partial(asyncio.run, coroutine))
    return _own_loop.submit(_marked(coroutine))


async def _marked(coroutine: Coroutine[Any, Any, T]) -> T:
    _on_own_loop.set(True)
    return await coroutine


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine from sync code, whether or not a loop is running in this thread."""
    return wait_for(submit_coroutine(coroutine))


def wait_for(future: Future[T]) -> T:
    """The result of a future; whoever stops waiting cancels it."""
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
    workers = _owned.of(getattr(function, "__self__", None))
    job = functools.partial(_call, function, *args, **kwargs)
    return await asyncio.wrap_future(workers.submit(job))


def _call(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return function(*args, **kwargs)
    except StopIteration as error:  # asyncio cannot carry it, and whoever awaits waits for ever
        raise RuntimeError(f"{function!r} raised StopIteration") from error


class _OwnedWorkers:
    """Workers by the object whose methods they run; shared ones for everything else."""

    def __init__(self) -> None:
        self._shared = Workers("call")
        self._by_owner: weakref.WeakKeyDictionary[object, Workers] = weakref.WeakKeyDictionary()
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        self._lock = threading.Lock()

    def of(self, owner: object) -> Workers:
        if owner is None:
            return self._shared
        with self._lock:
            try:
                workers = self._by_owner.get(owner)
                if workers is None:
                    workers = self._by_owner[owner] = Workers(type(owner).__name__.lower())
            except TypeError:  # cannot be hashed or referenced weakly
                return self._shared
            return workers


_owned = _OwnedWorkers()
_nested = Workers("nested", limit=1_000)
