"""Which texts are worth searching, and which variants are the same."""

from __future__ import annotations

import numpy as np
import pytest

from plait.planning.variants import Usable, merged, same_text, usable_texts
from plait.types import Query, Variant


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("How  to\tcancel", "how to cancel"),
        ("Ｅ１０４２", "e1042"),
        ("STRASSE", "Straße"),
        ("e\u0301te\u0301", "été"),
        ("ﬁnd", "find"),
    ],
)
def test_same_texts(one, other):
    assert same_text(one) == same_text(other)


@pytest.mark.parametrize(("one", "other"), [("été", "ete"), ("C", "C++"), ("not a", "a")])
def test_different_texts(one, other):
    assert same_text(one) != same_text(other)


def usable(*texts, question="how to cancel", longest=500, most=3):
    return usable_texts(texts, question, longest=longest, most=most)


class TestUsable:
    def test_good_texts_are_kept_in_order(self):
        assert usable("b", "a") == Usable(("b", "a"), (), repeats=False)

    def test_the_question_itself_is_not_another(self):
        assert usable("How to  CANCEL", "end it") == Usable(("end it",), (), repeats=True)

    def test_repeats_are_counted(self):
        assert usable("end it", "End it", "END IT") == Usable(("end it",), ("2 repeated",), False)

    def test_no_more_than_asked_for(self):
        found = usable("a", "b", "c", most=1)
        assert found == Usable(("a",), ("2 beyond the number asked for",), False)

    def test_too_long(self):
        assert usable("x" * 500).texts == ("x" * 500,)
        assert usable("x" * 501).dropped == ("1 longer than 500 characters",)

    def test_a_long_question_may_have_a_long_answer(self):
        assert usable("y" * 1_200, question="x" * 600).texts == ("y" * 1_200,)
        assert usable("y" * 1_201, question="x" * 600).texts == ()

    @pytest.mark.parametrize("text", ["?", "...", "🎉", "—", ""])
    def test_without_words(self, text):
        assert usable(text) == Usable((), ("1 without words",), False)

    @pytest.mark.parametrize(
        "text",
        [
            "I'm sorry, but I can't help with that.",
            "I’m sorry.",
            "I am sorry, I cannot do this",
            "Sorry, but I do not know",
            "As an AI language model, I have no access",
            "I cannot assist with that request.",
            "I can't help you there",
            "I am unable to answer",
            "None",
            "none.",
            "N/A",
            "null",
            "No queries",
        ],
    )
    def test_refusals(self, text):
        assert usable(text) == Usable((), ("1 a refusal",), False)

    @pytest.mark.parametrize(
        "text",
        [
            "I can't log in",
            "I cannot cancel my plan",
            "none of my devices connect",
            "null pointer exception",
            "sorry page is shown",
            "can an AI help",
        ],
    )
    def test_what_users_say_is_no_refusal(self, text):
        assert usable(text).texts == (text,)

    def test_all_at_once(self):
        found = usable("?", "how to cancel", "none", "a", "a", "b", most=1)
        assert found.texts == ("a",)
        assert found.repeats
        assert found.dropped == (
            "1 without words", "1 a refusal", "1 repeated", "1 beyond the number asked for",
        )  # fmt: skip

    def test_nothing(self):
        assert usable() == Usable((), (), False)


class TestMerged:
    def test_weights_are_added_and_the_first_stays(self):
        question = Variant(Query("Why?", np.array([1.0, 0.0])), 1.0)
        again = Variant(Query("why?"), 0.5, "a")
        other = Variant(Query("because"), 0.5, "b")
        third = Variant(Query(" WHY? "), 0.25, "c")
        variants = merged([question, again, other, third])
        assert [(each.name, each.weight) for each in variants] == [
            ("original", 1.0 + 0.5 + 0.25), ("b", 0.5),
        ]  # fmt: skip
        assert variants[0].query is question.query

    def test_other_legs_are_another_search(self):
        variants = [Variant(Query("a")), Variant(Query("a"), 0.5, "hyde", "dense")]
        assert merged(variants) == tuple(variants)

    def test_an_embedding_of_its_own_is_another_search(self):
        variants = [Variant(Query("a")), Variant(Query("a", np.array([1.0])), 0.5, "b")]
        assert [each.name for each in merged(variants)] == ["original", "b"]

    def test_without_text_nothing_is_the_same(self):
        vector = np.array([1.0])
        variants = [Variant(Query(None, vector)), Variant(Query(None, vector), 0.5, "b")]
        assert [each.name for each in merged(variants)] == ["original", "b"]

    def test_none(self):
        assert merged([]) == ()
