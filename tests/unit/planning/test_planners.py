"""What each planner makes of an answer."""

from __future__ import annotations

import pytest

from plait.errors import ConfigurationError
from plait.planning import Decompose, Hyde, MultiQuery, Rewrite, StepBack

QUESTION = "and the pro one?"


def plan(kind, answer, **given):
    return kind(lambda prompt: answer, **given).plan(QUESTION)


def told(planned):
    return [(each.name, each.query.text, each.weight, each.legs) for each in planned.variants]


ORIGINAL = ("original", QUESTION, 1.0, "all")


def test_rewrite():
    planned = plan(Rewrite, "Rewritten question: how to cancel the pro plan?\n\nNote: clearer.")
    assert told(planned) == [ORIGINAL, ("rewrite", "how to cancel the pro plan?", 1.0, "all")]


class TestReplace:
    def test_the_rewritten_question_stands_alone(self):
        planned = plan(Rewrite, "how to cancel the pro plan?", replace=True)
        assert told(planned) == [("rewrite", "how to cancel the pro plan?", 1.0, "all")]

    @pytest.mark.parametrize("answer", ["", "???", QUESTION])
    def test_without_one_the_original_is_searched(self, answer):
        assert told(plan(Rewrite, answer, replace=True)) == [ORIGINAL]

    def test_it_is_a_bool(self):
        with pytest.raises(ConfigurationError, match="replace of rewrite is 1"):
            Rewrite(lambda prompt: "a", replace=1)


def test_step_back():
    planned = plan(StepBack, "**How do plans differ?**")
    assert told(planned) == [ORIGINAL, ("step_back", "How do plans differ?", 0.5, "all")]


def test_multi_query():
    planned = plan(MultiQuery, "Here are 4 queries:\n1. a b\n2. A B\n3. c d\n4. e f\n5. g h")
    assert told(planned) == [
        ORIGINAL,
        ("query_1", "a b", 0.5, "all"),
        ("query_2", "c d", 0.5, "all"),
        ("query_3", "e f", 0.5, "all"),
    ]
    assert planned.notes == ("multi_query: left out 1 repeated, 1 beyond the number asked for",)
    assert not planned.fell_back


def test_multi_query_keeps_the_question_once():
    planned = plan(MultiQuery, f"1. {QUESTION.upper()}\n2. c d")
    assert told(planned) == [ORIGINAL, ("query_1", "c d", 0.5, "all")]
    assert planned.notes == ()


def test_decompose():
    planned = plan(Decompose, '["price of basic", "price of pro"]', weight=1.0)
    assert told(planned) == [
        ORIGINAL, ("sub_1", "price of basic", 1.0, "all"), ("sub_2", "price of pro", 1.0, "all"),
    ]  # fmt: skip


class TestHyde:
    def test_one_passage_for_dense_legs(self):
        planned = plan(Hyde, "Open Billing.\n\nChoose Cancel.")
        assert told(planned) == [ORIGINAL, ("hyde", "Open Billing. Choose Cancel.", 0.5, "dense")]

    def test_several_share_the_weight(self):
        planned = plan(Hyde, "Open Billing.\n---\nStop.\n---\nstop.", n=3)
        assert told(planned) == [
            ORIGINAL,
            ("hyde_1", "Open Billing.", 0.5 / 2, "dense"),
            ("hyde_2", "Stop.", 0.5 / 2, "dense"),
        ]

    def test_a_passage_may_be_longer_than_a_query(self):
        assert len(plan(Hyde, "word " * 700).variants) == 2
        assert plan(Hyde, "word " * 900).fell_back


@pytest.mark.parametrize("kind", [MultiQuery, Decompose, Hyde])
class TestNumber:
    def test_it_is_asked_for(self, kind):
        asked = []
        kind(lambda prompt: asked.append(prompt) or "a b", n=7).plan(QUESTION)
        assert "7" in asked[0]

    @pytest.mark.parametrize("n", [0, 21, 1.0, True, "3"])
    def test_it_has_a_range(self, kind, n):
        with pytest.raises(ConfigurationError, match=f"n of {kind.name} is .*an int from 1 to 20"):
            kind(lambda prompt: "a", n=n)
