"""Workers: daemon threads that are reused while there is work and end when there is none.

``concurrent.futures.ThreadPoolExecutor`` joins its threads when the process exits, so that one hung
leg would keep a finished program alive. These are daemons, and they hold no reference to what
they ran, so that a retriever can be collected while its workers idle.
"""

from __future__ import annotations

import contextvars
import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

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
        self._reset()
        _every_workers.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._threads = 0
        self._idle = 0  # threads that wait for a job which nobody has sent yet
        self._backlog = 0  # jobs in line that no thread is bound to take yet

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run ``function`` in a worker, in a copy of the caller's context."""
        future: Future[T] = Future()
        spawn = False
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif self._threads < self._limit:
                self._threads += 1
                spawn = True
            else:
                self._backlog += 1
        self._jobs.put((future, contextvars.copy_context(), function))
        if spawn:
            threading.Thread(target=self._work, name=f"plait-{self._name}", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if not self._idle:
                        continue  # a job was promised to this thread a moment ago
                    self._idle -= 1
                    self._threads -= 1
                return
            _run(*job)
            del job
            with self._lock:
                if self._backlog:
                    self._backlog -= 1
                else:
                    self._idle += 1


def _run(future: Future[Any], context: contextvars.Context, function: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = context.run(function)
    except BaseException as error:  # noqa: BLE001 (it belongs to whoever waits for the future)
        future.set_exception(error)
    else:
        future.set_result(result)


_every_workers: weakref.WeakSet[Workers] = weakref.WeakSet()


def _after_fork() -> None:
    # The threads are gone in the child, and their locks may be held for ever.
    for workers in list(_every_workers):
        workers._reset()  # noqa: SLF001 (the same module)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
