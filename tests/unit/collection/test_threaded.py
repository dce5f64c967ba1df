"""Async forms of methods that block."""

from __future__ import annotations

import asyncio
import inspect
import threading

import pytest

from plait.collection.threaded import in_thread


class Thing:
    def where(self, times: int, *, fail: bool = False) -> list[str]:
        """Say where."""
        if fail:
            raise KeyError(times)
        return [threading.current_thread().name] * times

    awhere = in_thread(where)


def test_it_runs_in_a_thread_with_the_same_arguments() -> None:
    said = asyncio.run(Thing().awhere(2))
    assert len(said) == 2
    assert said[0] != threading.current_thread().name


def test_errors_pass_through() -> None:
    with pytest.raises(KeyError, match="3"):
        asyncio.run(Thing().awhere(3, fail=True))


def test_it_looks_like_the_method() -> None:
    assert inspect.signature(Thing.awhere) == inspect.signature(Thing.where)
    assert Thing.awhere.__qualname__ == "Thing.awhere"
    assert Thing.awhere.__doc__ == "``where`` without blocking the event loop."
