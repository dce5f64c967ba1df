"""Pieces of one text are put together, and what they share is written once."""

from __future__ import annotations

import pytest

from plait.text.joining import join_texts, shared


@pytest.mark.parametrize(
    ("before", "after", "length"),
    [
        ("Cats sleep. Dogs bark.", "Dogs bark. Birds sing.", len("Dogs bark.")),
        # Overlap of windows of characters begins and ends inside words.
        ("abcdefghijklmnop", "hijklmnopqrstuv", len("hijklmnop")),
        # The longest one, not the first that is found from the end.
        ("one two one two", "one two one two three", len("one two one two")),
        ("x one two one two", "one two three", len("one two")),
        # A piece that lies whole at the end of the one before it.
        ("abcdefghij the tail", "the tail", len("the tail")),
        ("same text here", "same text here", len("same text here")),
        # Two words are meant, be they short.
        ("say it is so", "is so, yes", len("is so")),
        ("申请退款流程如下请登录账户", "流程如下请登录账户然后点击", len("流程如下请登录账户")),
    ],
)
def test_what_is_repeated_is_found(before: str, after: str, length: int) -> None:
    assert shared(before, after) == length


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "text"),
        ("text", ""),
        ("", ""),
        ("nothing in common", "whatever else"),
        ("to the bank", "bank holidays"),  # one word: an accident
        ("a", "a"),
        ("Canada", "a dog"),
        ("he is a s", "is a snake"),  # "is a s" ends inside a word and is short
        ("this a b", "is a b or c"),  # begins inside a word and is short
        ("    }\n}", "}\n}\n"),  # no word at all
        ("the end of it", "of the end"),
    ],
)
def test_an_accident_is_not_taken_for_a_repetition(before: str, after: str) -> None:
    assert shared(before, after) == 0


def test_text_that_repeats_itself_takes_no_time_to_speak_of() -> None:
    assert shared("ab" * 20_000, "ab" * 20_000) == 40_000
    assert shared("a" * 20_000 + "b", "a" * 20_000) == 0


def test_joined_text_has_each_part_once() -> None:
    assert (
        join_texts(["Cats sleep. Dogs bark.", "Dogs bark. Birds sing.", "Fish swim."])
        == "Cats sleep. Dogs bark. Birds sing.\nFish swim."
    )


def test_white_space_that_is_there_separates() -> None:
    assert join_texts(["one\n", "two", " three"]) == "one\ntwo three"


def test_pieces_without_text_leave_no_trace() -> None:
    assert join_texts(["", "one", "", "two", ""]) == "one\ntwo"
    assert join_texts([]) == ""


def test_a_piece_that_is_all_repetition_is_compared_by_the_next_one() -> None:
    assert (
        join_texts(["Cats sleep. Dogs bark.", "Dogs bark.", "Dogs bark. Birds sing."])
        == "Cats sleep. Dogs bark. Birds sing."
    )


def test_windows_of_a_text_give_the_text_back() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    windows = [text[start : start + 80] for start in range(0, len(text), 50)]
    assert join_texts(windows) == text
