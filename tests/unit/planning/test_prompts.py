"""Templates: what they must hold, and what they become."""

from __future__ import annotations

import pytest

from plait.errors import ConfigurationError
from plait.planning import Message, Prompt, prompts


@pytest.mark.parametrize("name", ["REWRITE", "MULTI_QUERY", "DECOMPOSE", "STEP_BACK", "HYDE"])
def test_plaits_own_hold_question_and_conversation(name):
    prompt = getattr(prompts, name)
    filled = prompt.filled("is {it} dear?", [Message("user", "the pro plan")], 3)
    assert "is {it} dear?" in filled
    assert filled.startswith("The conversation so far:\nuser: the pro plan\n")
    assert prompt.system
    assert "conversation so far" not in prompt.filled("why?", [], 3)


def test_the_number_is_filled_in():
    assert Prompt("{n} queries for {query}").filled("why?", [], 4) == "4 queries for why?"


def test_braces():
    assert Prompt('{{"q": "{query}"}}').filled("{x}", [], 1) == '{"q": "{x}"}'


def test_the_last_ten_turns_are_told_each_cut_and_in_one_line():
    turns = [Message("user", f"turn {number}\nline") for number in range(12)]
    turns[-1] = Message("user", "x" * 2_000)
    filled = Prompt("{history}{query}").filled("why?", turns, 1)
    assert "turn 1 " not in filled
    assert "user: turn 2 line\n" in filled
    assert f"user: {'x' * 1_000}\n" in filled


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no question", "has the fields none; expected {query}"),
        ("{history}", "has the fields 'history'"),
        ("{query} {context}", "'query', 'context'"),
        ("{query.text}", "'query.text'"),
        ("{query!r}", "expected {query}"),
        ("{query:>10}", "expected {query}"),
        ("{}", "has the fields ''"),
        ("{query", "is not a template"),
        ("{query} }", "is not a template"),
        (7, "Prompt.text is int"),
    ],
)
def test_bad_templates(text, said):
    with pytest.raises(ConfigurationError, match=said.replace("{", r"\{")):
        Prompt(text)


def test_a_bad_system():
    with pytest.raises(ConfigurationError, match=r"Prompt\.system is NoneType"):
        Prompt("{query}", system=None)
