import asyncio

import pytest

from plait.errors import QueryError
from plait.execution import Call, Runner
from plait.pipeline.driving import arun, run


def asking(*functions):
    """Steps that make these calls and return their values."""
    values = []
    for function in functions:
        answer = yield Call(Runner("step"), function, None)
        values.append(answer.value if answer.error is None else str(answer.error))
    return values


def everywhere(make):
    yield lambda: run(make())
    yield lambda: asyncio.run(arun(make()))


def fail():
    raise OSError("down")


def misuse():
    raise QueryError("no such thing")


def test_each_call_is_answered_in_turn():
    for entry in everywhere(lambda: asking(lambda: 1, fail, lambda: 3)):
        assert entry() == [1, "down", 3]


def test_steps_without_calls_return_at_once():
    for entry in everywhere(asking):
        assert entry() == []


def test_a_mistake_is_raised_where_the_call_was_asked_for():
    closed = []

    def steps():
        try:
            yield Call(Runner("step"), misuse, None)
        finally:
            closed.append("closed")

    for entry in everywhere(steps):
        with pytest.raises(QueryError, match="no such thing"):
            entry()
    assert closed == ["closed", "closed"]


def test_steps_may_go_on_after_a_mistake():
    def steps():
        try:
            yield Call(Runner("step"), misuse, None)
        except QueryError:
            answer = yield Call(Runner("step"), lambda: "instead", None)
            return answer.value

    for entry in everywhere(steps):
        assert entry() == "instead"
