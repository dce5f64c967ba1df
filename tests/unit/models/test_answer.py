"""Reasoning before an answer is left out, and only that."""

from __future__ import annotations

import pytest

from plait.models import without_reasoning


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("plain", "plain"),
        ("<think>a\nb</think>\n\nanswer", "answer"),
        (" <thinking>a</thinking>answer", "answer"),
        ("a\nb</think>\nanswer", "answer"),
        ("<think></think>answer", "answer"),
        ("<think>cut", ""),
        ("answer about the <think> tag", "answer about the <think> tag"),
        ("<think>a</think>b</think>c", "b</think>c"),
        ("  spaced  ", "  spaced  "),
        ("", ""),
    ],
)
def test_reasoning(written, answer):
    assert without_reasoning(written) == answer


def test_a_long_answer_is_read_in_one_pass():
    assert without_reasoning("<think>" * 20_000) == ""
    assert without_reasoning("x" * 1_000_000) == "x" * 1_000_000
