"""Driving: make the calls that steps wait for, from sync or from async code.

What a request does is written once, as steps. These two are all that differs.
"""

from __future__ import annotations

from typing import TypeVar

from plait.execution import agather, gather
from plait.pipeline.state import Steps

__all__ = ["arun", "run"]

T = TypeVar("T")


def run(steps: Steps[T]) -> T:
    """What the steps return, their calls made in this thread or in a worker."""
    try:
        call = next(steps)
        while True:
            try:
                (answer,) = gather((call,))
            except BaseException as error:  # noqa: BLE001 (raised where the call was asked for)
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as done:
        returned: T = done.value
        return returned


async def arun(steps: Steps[T]) -> T:
    """The same without blocking the event loop; cancelling it cancels the call."""
    try:
        call = next(steps)
        while True:
            try:
                (answer,) = await agather((call,))
            except BaseException as error:  # noqa: BLE001 (raised where the call was asked for)
                call = steps.throw(error)
            else:
                call = steps.send(answer)
    except StopIteration as done:
        returned: T = done.value
        return returned
