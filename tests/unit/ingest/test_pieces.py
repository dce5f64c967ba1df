"""Pieces: the budget, overlap, windows over long texts."""

import sys

import pytest

from plait.errors import MissingDependencyError
from plait.ingest.pieces import pieces, trimmed


def cut(text, budget, overlap=0, *, markup="text", count=len, within=None):
    spans = pieces(
        text,
        within or (0, len(text)),
        markup=markup,
        budget=budget,
        overlap=overlap,
        count=count,
    )
    return [text[start:stop] for start, stop in spans]


def test_the_tail_is_not_a_part_of_the_piece_before():
    assert cut("abcdefghij", 10, 5) == ["abcdefghij"]
    assert cut("abcdefghijk", 10, 5) == ["abcdefghij", "fghijk"]


def test_overlap_repeats_whole_words():
    assert cut("aa bb cc dd ee", 8, 3) == ["aa bb cc", "cc dd ee"]


def test_prefers_paragraphs_then_lines_then_sentences_then_words():
    assert cut("One a. Two b.\n\nThree c.", 20) == ["One a. Two b.", "Three c."]
    assert cut("One a. Two b.\nThree c.", 20) == ["One a. Two b.", "Three c."]
    assert cut("One a. Two b. Three c.", 15) == ["One a. Two b.", "Three c."]
    assert cut("one two three four", 9) == ["one two", "three", "four"]


def test_sentences_of_chinese_and_japanese():
    assert cut("退款需要十四天。请联系我们。", 8) == ["退款需要十四天。", "请联系我们。"]


def test_text_without_any_boundary():
    assert cut("国" * 25, 10) == ["国" * 10, "国" * 10, "国" * 5]
    assert cut("x" * 7, 3) == ["xxx", "xxx", "x"]


def test_a_budget_below_a_character_still_moves():
    assert cut("añ😀", 1, count=lambda text: len(text.encode())) == ["a", "ñ", "😀"]


def test_white_space_alone_is_no_piece():
    assert cut(" \n\n\t \x1c \n", 3) == []
    assert cut("a" + " " * 20_000 + "b", 4) == ["a", "b"]
    assert cut("", 3) == []


def test_only_the_part_asked_for_is_cut():
    assert cut("aa bb cc dd", 5, within=(3, 8)) == ["bb cc"]


@pytest.mark.parametrize("overlap", [0, 30])
@pytest.mark.parametrize("markup", ["text", "markdown"])
def test_windows_do_not_show(markup, overlap):
    words = " ".join(f"word{n}." for n in range(3_000))
    found = cut(words, 100, overlap, markup=markup)
    # As far as one window reaches, the pieces are those of a text that is no longer than it.
    alone = cut(words[:4_000], 100, overlap, markup=markup)
    assert found[: len(alone) - 1] == alone[:-1]
    assert all(len(piece) <= 100 for piece in found)
    # A piece that a window had cut short would be shorter than one more word.
    assert all(len(piece) > 100 - 10 for piece in found[:-1])


def test_a_window_grows_until_it_holds_more_than_one_piece():
    text = "word " * 50_000
    assert cut(text, 1_000, count=lambda text: len(text) // 100)[0].count("word") > 19_000


def test_work_grows_in_step_with_the_text():
    def characters_counted(size):
        counted = 0

        def count(text):
            nonlocal counted
            counted += len(text)
            return len(text)

        cut("国" * size, 200, count=count)
        return counted

    assert characters_counted(40_000) < 2.2 * characters_counted(20_000)


def test_an_error_of_the_counter_comes_through():
    def count(text):
        raise RuntimeError("no tokenizer")

    with pytest.raises(RuntimeError, match="no tokenizer"):
        cut("some words", 5, count=count)


def test_trimmed():
    assert trimmed("  ab  ", 0, 6) == (2, 4)
    assert trimmed("  ab  ", 3, 6) == (3, 4)
    start, stop = trimmed("    ", 1, 3)
    assert start == stop


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "semantic_text_splitter", None)
    with pytest.raises(MissingDependencyError, match="semantic-text-splitter"):
        cut("some words", 5)
