"""Delays between attempts, and what Retry-After asks for."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from plait.http.retrying import is_transient_status, retry_delay, seconds_of

NOON = datetime(2026, 1, 5, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        ("120", 120.0),
        (" 2 ", 2.0),
        ("1.5", 1.5),
        ("Mon, 05 Jan 2026 12:00:30 GMT", 30.0),
        ("Mon, 05 Jan 2026 13:00:00 +0100", 0.0),
        ("Mon, 05 Jan 2026 12:00:10 -0000", 10.0),
        ("Mon, 05 Jan 2026 11:00:00 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("nan", None),
        ("1.2.3", None),
        ("٣", None),
        ("Mon, 99 Jan 2026 12:00:00 GMT", None),
    ],
)
def test_retry_after(header, seconds):
    assert seconds_of(header, NOON) == seconds


def test_the_clock_is_asked_without_a_time():
    assert seconds_of("Sun, 06 Nov 1994 08:49:37 GMT") == 0.0


def test_a_wish_of_the_service_is_followed():
    assert retry_delay(1, asked=0.0) == 0.0
    assert retry_delay(9, asked=3600.0) == 3600.0


@pytest.mark.parametrize(
    ("failures", "longest"), [(1, 0.25), (2, 0.5), (3, 1.0), (6, 8.0), (7, 8.0), (2_000, 8.0)]
)
@pytest.mark.parametrize("drawn", [0.0, 1.0])
def test_delays_grow_to_a_limit_and_half_is_random(failures, longest, drawn, monkeypatch):
    monkeypatch.setattr(random, "random", lambda: drawn)
    assert retry_delay(failures) == longest * (0.5 + 0.5 * drawn)


def test_success_and_refusals_are_not_transient():
    transient = [status for status in range(200, 600) if is_transient_status(status)]
    assert transient[:4] == [408, 425, 429, 500]
    assert 501 not in transient
    assert 505 not in transient
