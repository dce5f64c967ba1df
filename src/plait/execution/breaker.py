"""Breaker: stop asking a leg that keeps failing, and probe it later."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from plait.execution.forking import start_anew_after_fork

__all__ = ["Breaker"]


class Breaker:
    """A circuit breaker: closed, open after ``threshold`` failures in a row, then half-open.

    Open, it refuses calls for ``reset_after`` seconds. Then it lets one call through as a probe:
    success closes it, failure opens it for another ``reset_after`` seconds. Thread safe.

    Args:
        threshold: Failures in a row that open it, >= 1; None never opens it.
        reset_after: Seconds until a probe is let through, > 0.
        clock: Seconds that only go forward.

    Example:
        >>> now = 0.0
        >>> breaker = Breaker(threshold=2, reset_after=30.0, clock=lambda: now)
        >>> breaker.failed(); breaker.failed(); breaker.allows()
        False
        >>> now = 30.0
        >>> breaker.allows(), breaker.allows()  # one probe
        (True, False)
    """

    def __init__(
        self,
        threshold: int | None = 5,
        reset_after: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._threshold = threshold
        self._reset_after = reset_after
        self._clock = clock
        self._lock = threading.Lock()
        start_anew_after_fork(self)
        self._failures = 0
        self._opened_at: float | None = None
        self._probe_since: float | None = None

    def start_anew(self) -> None:
        """A lock of its own in a forked child; what is known of the leg stays."""
        self._lock = threading.Lock()

    def allows(self) -> bool:
        """Whether a call may be made now; a yes while half-open is the probe."""
        with self._lock:
            if self._opened_at is None:
                return True
            now = self._clock()
            if now - self._opened_at < self._reset_after:
                return False
            # A probe that never came back must not lock the leg out for good.
            if self._probe_since is not None and now - self._probe_since < self._reset_after:
                return False
            self._probe_since = now
            return True

    def succeeded(self) -> None:
        """The leg answered."""
        if self._failures:
            with self._lock:
                self._failures = 0
                self._opened_at = self._probe_since = None

    def failed(self) -> None:
        """The leg failed or was late."""
        if self._threshold is None:
            return
        with self._lock:
            self._failures += 1
            if self._failures >= self._threshold:
                self._opened_at = self._clock()
                self._probe_since = None
