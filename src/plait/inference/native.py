"""Calls into native model code, which the end of the process must not cut off.

A leg that is late is left behind in a daemon thread. When the interpreter ends while such a thread
is in native code, Python kills the thread as it comes back, and C++ answers that by aborting the
process, whatever it had done well. So the end waits until running calls have come back, and
daemon threads begin no new ones.
"""

from __future__ import annotations

import atexit
import os
import threading
from types import TracebackType

from plait.errors import PlaitError

__all__ = ["NativeCalls", "native_call"]

_PATIENCE = 5.0  # seconds; one text takes a small fraction of one


class NativeCalls:
    """Counts the calls that are running; ``with`` it around each."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Nothing is running: the state of a new process."""
        self._changed = threading.Condition()
        self._running = 0
        self._ending = False

    def end(self, patience: float = _PATIENCE) -> bool:
        """Let daemon threads begin no more calls; True once none is running."""
        with self._changed:
            self._ending = True
            return self._changed.wait_for(lambda: self._running == 0, patience)

    def __enter__(self) -> None:
        with self._changed:
            if self._ending and threading.current_thread().daemon:
                raise PlaitError("the process is ending; this thread runs no model any more")
            self._running += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()


native_call = NativeCalls()
atexit.register(native_call.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=native_call.reset)
