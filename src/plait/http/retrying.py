"""When a request is worth repeating, and how long to wait before."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["is_transient_status", "retry_delay", "seconds_of"]

FIRST_DELAY = 0.25  # seconds
LONGEST_DELAY = 8.0

# Too early, too slow, too many; the other refusals would only be repeated. 501 and 505 say that the
# server cannot, not that it could not.
_TRANSIENT_REFUSALS = frozenset({408, 425, 429})
_LASTING_FAILURES = frozenset({501, 505})


def is_transient_status(status: int) -> bool:
    """Whether the same request may succeed later.

    Example:
        >>> [status for status in (400, 409, 429, 500, 501, 529) if is_transient_status(status)]
        [429, 500, 529]
    """
    return status in _TRANSIENT_REFUSALS or (status >= 500 and status not in _LASTING_FAILURES)


def retry_delay(failures: int, asked: float | None = None) -> float:
    """Seconds to wait before the next attempt.

    Without a wish of the service it is ``min(0.25 * 2**(failures - 1), 8)``, of which half is
    random, so that clients which failed together do not return together.

    Args:
        failures: Attempts that failed so far, >= 1.
        asked: Seconds that the service asked for, None if it did not.

    Example:
        >>> retry_delay(3, asked=7.0)
        7.0
        >>> 0.5 <= retry_delay(3) <= 1.0
        True
    """
    if asked is not None:
        return asked
    doublings = min(failures - 1, 30)  # past the longest delay, and far from what a float holds
    longest: float = min(FIRST_DELAY * 2.0**doublings, LONGEST_DELAY)
    return longest * (0.5 + 0.5 * random.random())


def seconds_of(retry_after: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, None if it says nothing that can be read.

    Args:
        retry_after: Seconds, or a date as HTTP writes it (RFC 9110, section 10.2.3). A date that
            has passed asks for no wait.
        now: What time it is, with its zone; None looks.

    Example:
        >>> seconds_of("2"), seconds_of("soon")
        (2.0, None)
        >>> noon = datetime(2026, 1, 5, 12, tzinfo=UTC)
        >>> seconds_of("Mon, 05 Jan 2026 12:00:30 GMT", noon)
        30.0
    """
    text = (retry_after or "").strip()
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except ValueError:
        return None
    if date.tzinfo is None:  # "-0000", by RFC 5322 a time in UTC
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
