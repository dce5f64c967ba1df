"""Whatever the text: sentences in order, stripped, apart, and together all of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from plait.text.sentences import sentences

MARKS = [". ", "! ", "?", "…", "。", "？", "।", "؟ ", "1. ", "(2) ", "e.g. ", "J. ", '"', "»", ")"]
SPACES = ["\n", "\n\n", " \n \n", "\r\n", " ", "  ", "\t", "\u2028", "\x1c"]
WORDS = ["word", "Wort", "node.js", "字", "สวัสดี", "हिन्दी", "e\u0301", "𝔘"]
PIECES = [*MARKS, *SPACES, *WORDS]
TEXTS = st.lists(st.sampled_from(PIECES)).map("".join) | st.text()


@given(TEXTS)
def test_they_are_all_of_the_text_and_nothing_else(text):
    found = list(sentences(text))
    pieces = [text[start:end] for start, end in found]
    assert all(piece and piece == piece.strip() for piece in pieces)
    ends = [0, *(place for each in found for place in each), len(text)]
    assert ends == sorted(ends)
    between = [text[end:start] for end, start in zip(ends[::2], ends[1::2], strict=True)]
    assert "".join(between).strip() == ""


@given(TEXTS)
def test_a_sentence_is_one_sentence(text):
    for start, end in sentences(text):
        again = [text[start:end][a:b] for a, b in sentences(text[start:end])]
        assert again == [text[start:end]]
