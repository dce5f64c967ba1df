"""What starts anew in a forked child: its threads are gone, and its locks may be held for ever."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

__all__ = ["start_anew_after_fork"]


class Forked(Protocol):
    """Something that knows what to make new in a forked child."""

    def start_anew(self) -> None:
        """Make new what does not survive a fork."""
        ...


def start_anew_after_fork(thing: Forked) -> None:
    """Have ``thing.start_anew()`` called in every forked child, as long as the thing lives."""
    _things.add(thing)


_things: weakref.WeakSet[Forked] = weakref.WeakSet()


def _after_fork() -> None:
    for thing in list(_things):
        thing.start_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
