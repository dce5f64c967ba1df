"""Turns of a conversation, in the forms that programs keep them in."""

from __future__ import annotations

import pytest

from plait.errors import QueryError
from plait.planning import Message, as_history


@pytest.mark.parametrize(
    "turn",
    [
        ("user", "why?"),
        ["user", "why?"],
        {"role": "user", "content": "why?"},
        {"role": "user", "content": "why?", "name": "ann"},
        Message("user", "why?"),
    ],
)
def test_forms_of_a_turn(turn):
    assert as_history([turn]) == (Message("user", "why?"),)


def test_order_is_kept_and_blank_turns_are_left_out():
    turns = [("user", "a"), ("assistant", " \n"), ("user", "b")]
    assert [turn.text for turn in as_history(iter(turns))] == ["a", "b"]


@pytest.mark.parametrize("history", [None, (), []])
def test_no_history(history):
    assert as_history(history) == ()


@pytest.mark.parametrize(
    "history", ["why?", {"role": "user", "content": "a"}, 7, Message("u", "a")]
)
def test_what_is_not_several_turns(history):
    with pytest.raises(QueryError, match="expected turns"):
        as_history(history)


@pytest.mark.parametrize("turn", ["why?", ("user",), ("user", "a", "b"), {"role": "user"}, 7])
def test_what_is_not_a_turn(turn):
    with pytest.raises(QueryError, match="a turn of the history is"):
        as_history([turn])


@pytest.mark.parametrize("turn", [("user", 7), ("user", None), ("", "a"), (7, "a")])
def test_a_turn_of_something_else(turn):
    with pytest.raises(QueryError, match="Message"):
        as_history([turn])
