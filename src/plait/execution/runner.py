"""Runner: the running side of one leg, shared by all queries of a hybrid."""

from __future__ import annotations

import asyncio
import math
import random
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from plait.errors import ConfigurationError, MissingDependencyError, QueryError
from plait.execution.breaker import Breaker
from plait.execution.forking import start_anew_after_fork
from plait.execution.loop import submit_coroutine
from plait.execution.workers import Workers

__all__ = ["USAGE_ERRORS", "Runner"]

T = TypeVar("T")

USAGE_ERRORS = (ConfigurationError, QueryError, MissingDependencyError)
"""Errors of the caller, not of the leg: always raised, never degraded, never retried."""

_FIRST_DELAY = 0.05
_LONGEST_DELAY = 2.0
_LONGER = 1.2  # times as long as it took before, a leg may be thought to take


class Runner:
    """Workers, breaker, retries, late calls and pace of one leg.

    Args:
        name: Name of the leg.
        retries: How often a transient failure is tried again.
        retry_on: Exception types that are transient, beside errors whose ``.transient`` is true.
        max_late: With so many queries whose abandoned calls still run, the leg is not asked again.
        breaker: The leg's circuit breaker.
        label: What messages call it; by default the leg and its name.

    Attributes:
        seconds: How long a sync call takes: the last one, or a little more than the ones before.
            Infinite before the first.
    """

    def __init__(
        self,
        name: str,
        *,
        retries: int = 0,
        retry_on: tuple[type[BaseException], ...] = (),
        max_late: int = 4,
        breaker: Breaker | None = None,
        label: str | None = None,
    ) -> None:
        self.name = name
        self.label = f"leg {name!r}" if label is None else label
        self.retries = retries
        self.retry_on = retry_on
        self.max_late = max_late
        self.breaker = breaker or Breaker()
        self.seconds = math.inf
        self._workers = Workers(name)
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """No call is running: so it is at first, and in a forked child."""
        self._late = 0
        self._late_lock = threading.Lock()

    @property
    def late(self) -> int:
        """Queries that stopped waiting for calls which are still running."""
        return self._late

    def abandon(self, calls: Iterable[Future[Any]]) -> None:
        """Stop waiting for one query's calls.

        What runs in a thread cannot be stopped, so it is counted; once for the query, since one
        that asks in several ways at a time is not several signs of a leg that hangs.
        """
        running = [call for call in calls if not (call.cancel() or call.done())]
        if not running:
            return
        with self._late_lock:
            self._late += 1
        left = len(running)

        def came_late(_call: Future[Any]) -> None:
            nonlocal left
            with self._late_lock:
                left -= 1
                self._late -= not left

        for call in running:
            call.add_done_callback(came_late)

    def submit(
        self, function: Callable[[], T], abandoned: threading.Event | None = None
    ) -> Future[T]:
        """Run a sync call, with its retries until it is abandoned, in one of the leg's workers."""
        return self._workers.submit(lambda: self.call(function, abandoned))

    def submit_async(
        self, function: Callable[[], Awaitable[T]], loop: asyncio.AbstractEventLoop | None
    ) -> Future[T]:
        """Run an async call as a task on the caller's loop, or on plait's own when it is None."""
        coroutine = self._acall(function)
        return submit_coroutine(coroutine) if loop is None else _as_task(coroutine, loop)

    def call(self, function: Callable[[], T], abandoned: threading.Event | None = None) -> T:
        """Run a sync call, with its retries until it is abandoned, in this thread."""
        attempt = _Attempts(self)
        begun = time.monotonic()
        while True:
            try:
                return function()
            except Exception as error:
                abandoned = abandoned or threading.Event()
                if abandoned.wait(attempt.delay_after(error)):
                    raise  # nobody waits for an answer any more
            finally:
                # A call that had to wait for others says little of how long the leg takes.
                self.seconds = min(time.monotonic() - begun, _LONGER * self.seconds)

    async def _acall(self, function: Callable[[], Awaitable[T]]) -> T:
        attempt = _Attempts(self)
        while True:
            try:
                return await function()
            except Exception as error:  # noqa: BLE001 (raised again unless it is transient)
                delay = attempt.delay_after(error)
            await asyncio.sleep(delay)


class _Attempts:
    """How long to wait before the next attempt; raises the error when there is none."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._made = 0

    def delay_after(self, error: Exception) -> float:
        runner = self._runner
        # An embedder's error is raised from what the caller's own function raised.
        known = isinstance(error, runner.retry_on) or isinstance(error.__cause__, runner.retry_on)
        transient = known or bool(getattr(error, "transient", False))
        if isinstance(error, USAGE_ERRORS) or not transient or self._made >= runner.retries:
            raise error
        # Half of the delay is random, so that clients which failed together do not return together.
        longest = min(_FIRST_DELAY * 2**self._made, _LONGEST_DELAY)
        delay: float = longest * (0.5 + 0.5 * random.random())
        self._made += 1
        return delay


def _as_task(coroutine: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> Future[T]:
    """A task on the running loop, seen as a future like those of the workers."""
    task = loop.create_task(coroutine)
    future: Future[T] = Future()

    def settle(done: asyncio.Task[T]) -> None:
        error = None if done.cancelled() else done.exception()
        if done.cancelled():
            future.cancel()
        elif future.cancelled():
            pass  # abandoned: nobody waits for it any more
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(done.result())

    def pass_on_cancel(cancelled: Future[T]) -> None:
        if cancelled.cancelled():
            task.cancel()

    task.add_done_callback(settle)
    future.add_done_callback(pass_on_cancel)
    return future
