"""Calling: how a stage asks what may fail or be late, and what that means for the request."""

from __future__ import annotations

import sys
from typing import Any

from plait.errors import LegTimeoutError, QueryError
from plait.execution import Answer, Breaker, Call, Runner
from plait.hybrid.outcome import say
from plait.pipeline.state import Steps

__all__ = ["attempted", "required", "required_runner", "runner", "value", "why"]


def runner(stage: str, named: str | None = None) -> Runner:
    """The running side of a stage that the request can do without.

    When it keeps failing it is not asked for a while.
    """
    return Runner(stage, label=f"the {stage}" if named is None else f"{stage} {named!r}")


def required_runner(stage: str) -> Runner:
    """The running side of a stage whose failure ends the request.

    It is asked each time: nothing is gained by leaving it out.
    """
    return Runner(stage, label=stage, max_late=sys.maxsize, breaker=Breaker(threshold=None))


def attempted(call: Call) -> Steps[Answer]:
    """What became of a call that the request can do without.

    A mistake in a setting is raised, as is what ends the process. The request itself was checked
    before, so a ``QueryError`` is the stage's own failure: a planner made a variant without text.
    """
    if call.timeout is not None and call.timeout <= 0:
        return Answer("timeout", error=LegTimeoutError("no time was left", call.runner.name))
    try:
        answer = yield call
    except QueryError as error:
        answer = Answer("error", error=error)
    if isinstance(answer.error, KeyboardInterrupt | SystemExit):
        raise answer.error
    return answer


def required(call: Call) -> Steps[Any]:
    """The value of a call without which there is no result; its error is raised."""
    return value((yield call))


def value(answer: Answer) -> Any:
    """The value of an answer; its error is raised."""
    if answer.error is not None:
        raise answer.error
    return answer.value


def why(answer: Answer) -> str:
    """Why there is no value, in one line; late and refused calls say who they are."""
    error = answer.error
    return say(error) if error is not None and answer.status == "error" else str(error)
