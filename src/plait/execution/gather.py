"""Run the legs of one query at once and settle each: an answer, a failure, or out of time.

The decisions are in ``_Gathering.steps``, a generator that says what to wait for and how long.
``gather`` waits for it in the thread, ``agather`` awaits it; there is nothing else to tell apart.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from plait.errors import ConfigurationError, LegError, LegTimeoutError
from plait.execution.runner import USAGE_ERRORS, Runner

__all__ = ["Answer", "Call", "agather", "gather"]

_LONGEST_WAIT = 86_400.0  # seconds; threads cannot wait for any number of them at once
_HANDING_OVER = 0.0005  # seconds that two calls beside each other lose to Python's lock


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a leg in a query.

    Attributes:
        runner: The leg's running side. Calls that share it count once: together they are one
            failure for its breaker if none of them is answered, and one late query at most.
        sync: The call for a thread, None if the leg is only async.
        async_: The call for a loop, None if the leg is only sync.
        timeout: Seconds from submission, None for no limit.
        fatal: A failure ends the whole query at once.
    """

    runner: Runner
    sync: Callable[[], Any] | None
    async_: Callable[[], Any] | None
    timeout: float | None = None
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a call: a value or an error, ``elapsed_ms`` after submission.

    ``cut``: it still ran when the failure of a fatal call ended the query. It has not failed.
    """

    status: Literal["ok", "timeout", "error", "circuit_open", "cut"]
    value: Any = None
    error: BaseException | None = None
    elapsed_ms: float = 0.0


def gather(calls: Sequence[Call], deadline: float | None = None) -> list[Answer]:
    """Run calls together from sync code; costs the slowest one.

    Args:
        calls: What to run.
        deadline: Seconds for all of them together, None for no limit.

    Returns:
        An answer per call, in their order. When a fatal call failed, the calls that had not
        finished by then are ``cut``.

    Raises:
        ConfigurationError, QueryError, MissingDependencyError: A leg found a mistake of the
            caller; it is raised, never turned into an answer.
    """
    gathering = _Gathering(deadline, loop=None)
    try:
        gathering.start(calls)
        for signal, seconds in gathering.steps():
            with suppress(TimeoutError):
                signal.result(seconds)
    finally:
        gathering.close()
    return gathering.answers


async def agather(calls: Sequence[Call], deadline: float | None = None) -> list[Answer]:
    """The same from async code; cancelling it cancels async legs and abandons sync ones."""
    gathering = _Gathering(deadline, loop=asyncio.get_running_loop())
    try:
        gathering.start(calls)
        for signal, seconds in gathering.steps():
            await asyncio.wait((asyncio.wrap_future(signal),), timeout=seconds)
    finally:
        gathering.close()
    return gathering.answers


class _Running:
    """A submitted call: its future, its limit in seconds and when it finished."""

    __slots__ = ("abandoned", "call", "finished", "future", "limit", "submitted")

    future: Future[Any]

    def __init__(self, call: Call, limit: float | None):
        self.call = call
        self.submitted = time.monotonic()
        self.limit = limit
        self.finished: float | None = None
        self.abandoned = threading.Event()

    @property
    def due(self) -> float | None:
        return None if self.limit is None else self.submitted + self.limit

    def is_late(self, now: float) -> bool:
        due = self.due
        return due is not None and (self.finished or now) >= due

    def answer(self, now: float) -> Answer:
        """The outcome as it stands."""
        runner = self.call.runner
        elapsed_ms = ((self.finished or now) - self.submitted) * 1000
        if self.limit is not None and self.is_late(now):
            late = LegTimeoutError(
                f"{runner.label} did not answer within its {self.limit * 1000:.0f} ms",
                runner.name,
                elapsed_ms,
            )
            return Answer("timeout", error=late, elapsed_ms=elapsed_ms)
        if self.finished is None:
            return Answer("cut", elapsed_ms=elapsed_ms)
        error = _error_of(self.future, runner, elapsed_ms)
        if error is not None:
            return Answer("error", error=error, elapsed_ms=elapsed_ms)
        return Answer("ok", value=self.future.result(), elapsed_ms=elapsed_ms)


def _error_of(future: Future[Any], runner: Runner, elapsed_ms: float) -> BaseException | None:
    try:
        return future.exception(timeout=0)
    except CancelledError:
        return LegError(f"{runner.label} was cancelled", runner.name, elapsed_ms)


class _Gathering:
    """The state of one query's legs. ``answers`` is filled when ``steps`` is exhausted."""

    def __init__(self, deadline: float | None, loop: asyncio.AbstractEventLoop | None) -> None:
        self._lock = threading.Lock()
        self._signal: Future[None] = Future()
        self._open = True
        self._loop = loop
        self._deadline = deadline
        self._fatal = False
        self._unfinished = 0
        self._slots: list[_Running | Answer] = []
        self.answers: list[Answer] = []

    def start(self, calls: Sequence[Call]) -> None:
        """Submit the calls; some may run here and now, after the others are on their way."""
        inline = self._inline(calls)
        self._unfinished = len(calls)
        refusals: dict[Runner, Answer | None] = {}
        for position, call in enumerate(calls):
            runner = call.runner
            if runner not in refusals:  # a leg's breaker is asked once per query
                refusals[runner] = _refusal(runner)
            refusal = refusals[runner]
            if refusal is None:
                self._slots.append(self._submit(call, deferred=position in inline))
            else:
                self._slots.append(refusal)
                self._finish(failed_fatally=call.fatal)
        for position in inline:
            self._run_inline(position)

    def _inline(self, calls: Sequence[Call]) -> list[int]:
        """Positions of the calls that run in this thread, which waits for them anyway.

        It is the one that took longest last time, and before it the others if together they were
        so short that handing them over takes longer. None if a call may end the query, or the
        waiting; nor under a running loop, where a leg could not use ``asyncio.run``, as it can in
        any other thread.
        """
        if self._loop is not None or self._deadline is not None or _loop_is_running():
            return []
        able = [
            position
            for position, call in enumerate(calls)
            if call.sync is not None and call.timeout is None
        ]
        able.sort(key=lambda position: calls[position].runner.seconds)
        *short, _ = able or [0]
        if sum(calls[position].runner.seconds for position in short) > _HANDING_OVER:
            del able[:-1]
        if any(call.fatal for position, call in enumerate(calls) if position not in able[-1:]):
            return []
        return able

    def _submit(self, call: Call, *, deferred: bool) -> _Running:
        limits = [seconds for seconds in (call.timeout, self._deadline) if seconds is not None]
        running = _Running(call, min(limits, default=None))
        if deferred:
            running.future = Future()
        elif call.sync is not None and (self._loop is None or call.async_ is None):
            running.future = call.runner.submit(call.sync, running.abandoned)
        elif call.async_ is not None:
            running.future = call.runner.submit_async(call.async_, self._loop)
        else:
            raise ConfigurationError(f"{call.runner.label} has neither a sync nor an async call")

        def note(done: Future[Any]) -> None:
            running.finished = time.monotonic()
            failed = done.cancelled() or done.exception() is not None
            self._finish(failed_fatally=failed and (call.fatal or _is_usage_error(done)))

        running.future.add_done_callback(note)
        return running

    def _run_inline(self, position: int) -> None:
        running = self._slots[position]
        if isinstance(running, Answer) or running.call.sync is None:
            return
        call, context = running.call, contextvars.copy_context()  # as in a thread
        try:
            running.future.set_result(context.run(call.runner.call, running.call.sync))
        except (KeyboardInterrupt, SystemExit):
            raise  # in this thread they may come from a signal, and are not the leg's
        except BaseException as error:  # noqa: BLE001 (settled like the error of any other leg)
            running.future.set_exception(error)

    def _finish(self, *, failed_fatally: bool) -> None:
        with self._lock:
            self._unfinished -= 1
            self._fatal = self._fatal or failed_fatally
            if self._open and not self._signal.done() and (self._fatal or not self._unfinished):
                self._signal.set_result(None)

    def steps(self) -> Generator[tuple[Future[None], float | None], None, None]:
        """What to wait for and at most how many seconds, until every call is settled."""
        while not self._signal.done():
            now = time.monotonic()
            running = [
                slot for slot in self._slots if isinstance(slot, _Running) and slot.finished is None
            ]
            waiting = [slot for slot in running if not slot.is_late(now)]
            if not waiting or any(slot.call.fatal for slot in running if slot.is_late(now)):
                break
            dues = [slot.due for slot in waiting if slot.due is not None]
            yield self._signal, min(max(0.0, min(dues) - now), _LONGEST_WAIT) if dues else None
        now = time.monotonic()
        self.answers.extend(
            slot.answer(now) if isinstance(slot, _Running) else slot for slot in self._slots
        )
        self._judge()

    def _judge(self) -> None:
        """Raise a mistake of the caller; tell each leg's breaker, once for all its calls.

        A leg has failed if it was asked and none of its calls was answered.
        """
        came: dict[Runner, bool] = {}
        mistake: BaseException | None = None
        for slot, answer in zip(self._slots, self.answers, strict=True):
            if answer.error is None:
                if answer.status == "ok" and isinstance(slot, _Running):
                    came[slot.call.runner] = True
            elif isinstance(answer.error, USAGE_ERRORS):
                mistake = mistake or answer.error
            elif isinstance(slot, _Running):
                came.setdefault(slot.call.runner, False)
        for runner, answered in came.items():
            if answered:
                runner.breaker.succeeded()
            else:
                runner.breaker.failed()
        if mistake is not None:
            raise mistake

    def close(self) -> None:
        """Abandon what still runs."""
        with self._lock:
            self._open = False
        left: dict[Runner, list[Future[Any]]] = {}
        for slot in self._slots:
            if isinstance(slot, _Running):
                if slot.finished is None:
                    slot.abandoned.set()
                    left.setdefault(slot.call.runner, []).append(slot.future)
                del slot.future  # its callback knows the slot: a cycle, that would keep the answer
        for runner, calls in left.items():
            runner.abandon(calls)


def _refusal(runner: Runner) -> Answer | None:
    """An answer for a leg that is not asked at all."""
    if runner.late >= runner.max_late:
        message = f"{runner.label} was not asked: {runner.late} late calls still run"
        return Answer("timeout", error=LegTimeoutError(message, runner.name, 0.0))
    if not runner.breaker.allows():
        message = f"{runner.label} was not asked: it kept failing, its circuit is open"
        return Answer("circuit_open", error=LegError(message, runner.name, 0.0))
    return None


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _is_usage_error(done: Future[Any]) -> bool:
    return not done.cancelled() and isinstance(done.exception(), USAGE_ERRORS)
