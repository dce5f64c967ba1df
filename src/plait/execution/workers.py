"""Workers: daemon threads that are reused while there is work and end when there is none.

``concurrent.futures.ThreadPoolExecutor`` joins its threads when the process exits, so that one hung
leg would keep a finished program alive. These are daemons, and they hold no reference to what
they ran, nor to their ``Workers``: when those are collected, idle threads end at once.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from plait.execution.forking import start_anew_after_fork

__all__ = ["Workers"]

T = TypeVar("T")

IDLE_SECONDS = 10.0
_Job = tuple["Future[Any]", contextvars.Context, Callable[[], Any]]


class Workers:
    """At most ``limit`` daemon threads; a thread without work ends after ``IDLE_SECONDS``.

    Args:
        name: Prefix of the threads' names.
        limit: How many calls run at once; more wait in line.
    """

    def __init__(self, name: str, limit: int = 32) -> None:
        self._name = name
        self._limit = limit
        self.start_anew()
        start_anew_after_fork(self)

    def start_anew(self) -> None:
        """Forget all threads and jobs."""
        self._crew = _Crew(self._name, self._limit)

    def __del__(self) -> None:
        self._crew.jobs.put(None)

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run ``function`` in a worker, in a copy of the caller's context."""
        future: Future[T] = Future()
        self._crew.take(future, contextvars.copy_context(), function)
        return future


class _Crew:
    """The threads of ``Workers`` and the line of jobs; all that a thread knows."""

    def __init__(self, name: str, limit: int) -> None:
        self.name = name
        self.limit = limit
        self.lock = threading.Lock()
        # None: nobody will send a job again.
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self.threads = 0
        self.idle = 0  # threads that wait for a job which nobody has sent yet
        self.backlog = 0  # jobs in line that no thread is bound to take yet

    def take(
        self, future: Future[Any], context: contextvars.Context, function: Callable[[], Any]
    ) -> None:
        """Put a job in line, and start a thread for it if none is free."""
        spawn = False
        with self.lock:
            if self.idle:
                self.idle -= 1
            elif self.threads < self.limit:
                self.threads += 1
                spawn = True
            else:
                self.backlog += 1
        if spawn:
            name = f"plait-{self.name}"
            try:
                threading.Thread(target=self.work, name=name, daemon=True).start()
            except RuntimeError as error:  # the system has no thread left
                with self.lock:
                    self.threads -= 1
                future.set_exception(error)
                return
        self.jobs.put((future, context, function))

    def work(self) -> None:
        """What a thread does."""
        while True:
            try:
                job = self.jobs.get(timeout=IDLE_SECONDS)
            except Empty:
                with self.lock:
                    if not self.idle:
                        continue  # a job was promised to this thread a moment ago
                    self.idle -= 1
                    self.threads -= 1
                return
            if job is None:
                self.jobs.put(None)  # for the next thread
                return
            _run(*job)
            del job
            with self.lock:
                if self.backlog:
                    self.backlog -= 1
                else:
                    self.idle += 1


def _run(future: Future[Any], context: contextvars.Context, function: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = context.run(function)
    except BaseException as error:  # noqa: BLE001 (it belongs to whoever waits for the future)
        future.set_exception(error)
    else:
        future.set_result(result)
