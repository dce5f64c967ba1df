import unicodedata

import pytest

from plait.errors import ConfigurationError
from plait.text import Analyzer
from plait.text.snippets import Snippet, find_snippet, snippet

PLAIN = Analyzer()
ENGLISH = Analyzer(language="en")


@pytest.mark.parametrize(
    ("content", "query", "expected"),
    [
        ("", "cat", ""),
        ("no match here", "cat", "no match here"),
        ("Cats, and a cat.", "cat", "Cats, and a «cat»."),
        ("Error E-1042: socket", "e1042 SOCKET", "Error «E-1042»: «socket»"),
        ("/var/log/E1042.txt", "1042", "/var/log/«E1042.txt»"),
        ("call getUserName()", "user", "call «getUserName»()"),
        ("the user’s guide", "user", "the «user’s» guide"),
        ("Straße", "STRASSE", "«Straße»"),
        ("see Ｅ１０４２ now", "E1042", "see «Ｅ１０４２» now"),
        ("ein ﬁlm: cafe\u0301", "café film", "ein «ﬁlm»: «cafe\u0301»"),
        ("a½b", "2b", "a«½b»"),
        ("申请退款流程如下", "退款", "申请«退款»流程如下"),
        ("申请退款流程如下", "退款流程", "申请«退款流程»如下"),
        ("申请退款流程如下", "款", "申请退«款»流程如下"),
        ("서울은 아름답다", "서울", "«서울»은 아름답다"),
        ("𠮷野家で食べる", "𠮷野家", "«𠮷野家»で食べる"),
        (unicodedata.normalize("NFD", "서울은"), "서울", None),
    ],
)
def test_matches_are_marked(content, query, expected):
    if expected is None:
        expected = unicodedata.normalize("NFD", "«서울»은")
    assert snippet(content, query, PLAIN) == expected


def test_stems_and_stop_words():
    text = "The plans were cancelled by the bank."
    assert snippet(text, "cancel the plan", ENGLISH) == "The «plans» were «cancelled» by the bank."
    assert snippet(text, "the", ENGLISH) == "«The» plans were cancelled by «the» bank."


def test_a_tokenizer():
    pipes = Analyzer(tokenizer=lambda text: text.split("|"))
    assert snippet("a|New York|b", "new york", pipes) == "a|«New York»|b"


def test_marks_are_the_callers():
    assert snippet("a cat", "cat", PLAIN, marks=("<b>", "</b>")) == "a <b>cat</b>"
    assert Snippet("abcdef", 2, 4, ((2, 3),)).marked("[", "]", "~") == "~[c]d~"


def test_the_window_with_most_terms_is_taken():
    text = "cat " + "x " * 100 + "dog and cat " + "y " * 100 + "dog"
    assert snippet(text, "cat dog", PLAIN, width=21) == "…x x «dog» and «cat» y y…"


def test_of_equal_windows_the_first_is_taken():
    text = "cat one " + "x " * 50 + "cat two"
    assert snippet(text, "cat", PLAIN, width=7) == "«cat» one…"


def test_rare_terms_weigh_more():
    text = "what is this " + "x " * 50 + "dog or so"
    query = "what is dog"
    assert snippet(text, query, PLAIN, width=12) == "«what» «is» this…"
    weights = {"what": 0.1, "is": 0.1, "dog": 5.0}
    assert snippet(text, query, PLAIN, width=12, weights=weights) == "…x x «dog» or…"


def test_the_terms_of_a_query_do_for_its_text():
    query = "to be or not 退款"
    content = "not to say 申请退款, or else"
    terms = PLAIN.query_terms(query)
    assert find_snippet(content, terms, PLAIN) == find_snippet(content, query, PLAIN)
    assert find_snippet(content, (), PLAIN).spans == ()


def test_terms_without_weight_are_marked_too():
    assert snippet("a cat", "cat", PLAIN, weights={}) == "a «cat»"


def test_the_cut_is_between_words():
    text = "alpha beta gamma delta epsilon zeta"
    assert snippet(text, "gamma", PLAIN, width=19) == "…beta «gamma» delta…"
    assert snippet(text, "alpha", PLAIN, width=13) == "«alpha» beta…"
    assert snippet(text, "zeta", PLAIN, width=13) == "…epsilon «zeta»"
    assert snippet(text, "nothing", PLAIN, width=13) == "alpha beta…"


def test_spaces_at_the_cut_are_left_out():
    assert snippet("  cat  ", "cat", PLAIN) == "«cat»"
    assert snippet("x  cat  y", "cat", PLAIN, width=7) == "…«cat»…"


def test_without_spaces_the_cut_is_between_characters():
    assert snippet("春夏秋冬东南西北", "秋", PLAIN, width=3) == "…夏«秋»冬…"
    text = "ที่" * 5 + "กา" + "ที่" * 5
    for width in (8, 9, 10, 11, 12, 13):
        found = find_snippet(text, "กา", PLAIN, width=width)
        part = text[found.start : found.end]
        assert "กา" in part
        assert part.replace("ที่", "").replace("กา", "") == ""  # no letter without its marks
    assert snippet("x" * 100 + " cat", "cat", PLAIN, width=10) == "…«cat»"
    assert snippet("cat " + "x" * 100, "cat", PLAIN, width=10) == "«cat»…"
    assert snippet("x" * 100, "cat", PLAIN, width=10) == "x" * 10 + "…"


def test_a_word_longer_than_the_window_is_cut():
    text = "a " + "long" * 10 + " b"
    assert snippet(text, "long" * 10, PLAIN, width=5) == "…«longl»…"
    assert snippet("x" * 50, "x" * 50, PLAIN, width=5) == "«xxxxx»…"


def test_blank_text_has_a_blank_snippet():
    assert snippet(" " * 500, "cat", PLAIN) == ""


def test_newlines_stay():
    assert snippet("one\ncat\n", "cat", PLAIN) == "one\n«cat»"


def test_find_snippet_gives_places():
    found = find_snippet("a cat and a cat", "cat", PLAIN)
    assert found == Snippet("a cat and a cat", 0, 15, ((2, 5), (12, 15)))


@pytest.mark.parametrize("width", [0, -1, True, 2.0, None, "9"])
def test_the_width_is_an_int_from_one(width):
    with pytest.raises(ConfigurationError, match="width is"):
        snippet("a", "a", PLAIN, width=width)
