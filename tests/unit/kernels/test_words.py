"""Words get numbers, and their terms are counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from plait.kernels import native
from plait.kernels.words import GIVEN, RUN, Cut, Rule, Words
from plait.text.characters import classes

pytestmark = pytest.mark.skipif(native.library() is None, reason="there are no compiled loops")


@pytest.fixture
def words() -> Words:
    lib = native.library()
    assert lib is not None
    return Words(lib)


def cut(words: Words, *texts: str | bytes, rule: Rule = Rule.WORDS) -> Cut:
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    ends = np.cumsum([0, *map(len, encoded)])
    spans = np.stack([ends[:-1], ends[1:]], axis=1)
    return words.cut(b"".join(encoded), spans, classes(), rule)


def learn(words: Words, terms: Sequence[Sequence[int]], count: int) -> None:
    ends = np.cumsum(list(map(len, terms)), dtype=np.int64)
    words.learn(ends, np.array([each for some in terms for each in some], dtype=np.uint32), count)


def test_words_get_numbers_in_the_order_in_which_they_come(words: Words) -> None:
    found = cut(words, "b a b", "", "c a")
    assert found.numbers.tolist() == [0, 1, 0, 2, 1]
    assert (found.pieces.tolist(), found.lengths.tolist()) == ([3, 0, 2], [3, 0, 2])
    assert words.unknown() == [b"b", b"a", b"c"]
    assert words.count == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("E-1042, x", ["E-1042", "x"]),
        ("a_b a___b _a_ a__", ["a_b", "a___b", "a", "a"]),
        ("a--b a-", ["a", "b", "a"]),
        ("C++ C+ C++x C+++ C++.x", ["C++", "C", "C++x", "C++", "C++.x"]),
        ("C# C## a#b C#.x", ["C#", "C##", "a", "b", "C#.x"]),
        ("user's l’eau a·b", ["user's", "l’eau", "a·b"]),
        ("e\u0301x \u0301a", ["e\u0301x", "a"]),
    ],
)
def test_words(words: Words, text: str, expected: list[str]) -> None:
    found = cut(words, text)
    known = [word.decode() for word in words.unknown()]
    assert [known[number] for number in found.numbers] == expected


def test_runs_are_cut_into_characters_and_neighbors(words: Words) -> None:
    found = cut(words, "a申请\u0301退 申")
    known = words.unknown()
    assert [known[number] for number in found.numbers] == [
        b"a",
        *(
            RUN + each.encode()
            for each in ("申", "请\u0301", "申请\u0301", "退", "请\u0301退", "申")
        ),
    ]
    assert (found.pieces.tolist(), found.lengths.tolist()) == ([7], [5])


def test_at_white_space(words: Words) -> None:
    cut(words, " a-b\tc\x1fd\u3000申请 ", rule=Rule.SPACES)
    assert words.unknown() == [b"a-b", b"c", b"d", "申请".encode()]


def test_words_that_are_given(words: Words) -> None:
    found = cut(words, GIVEN + b"a b" + GIVEN + b"" + GIVEN + b"c", "c d")
    assert words.unknown() == [b"a b", b"", b"c", b"d"]
    assert found.numbers.tolist() == [0, 1, 2, 2, 3]
    assert (found.pieces.tolist(), found.lengths.tolist()) == ([3, 2], [3, 2])


def test_a_word_is_not_what_is_of_a_run(words: Words) -> None:
    found = cut(words, "申", GIVEN + "申".encode(), GIVEN + "申请".encode(), "申请")
    assert found.numbers.tolist() == [0, 1, 2, 0, 3, 4]


def test_thousands_of_words_of_any_length(words: Words) -> None:
    every = [("x" * (number % 40)) + f"y{number}" for number in range(5000)]
    every += [name.swapcase() for name in every]
    first = cut(words, " ".join(every))
    assert first.numbers.tolist() == list(range(10_000))
    assert words.unknown() == [name.encode() for name in every]
    again = cut(words, *reversed(every))
    assert again.numbers.tolist() == list(range(9_999, -1, -1))


@pytest.mark.parametrize("size", range(1, 40))
def test_each_byte_of_a_word_counts(words: Words, size: int) -> None:
    base = "abcdefgh" * 5
    texts = [base[:size]]
    texts += [base[:at] + "z" + base[at + 1 : size] for at in range(size)]
    found = cut(words, *texts)
    assert found.numbers.tolist() == list(range(size + 1))


def test_terms_are_counted_by_text(words: Words) -> None:
    found = cut(words, "ab a ab", "", "c a")
    learn(words, [[0, 1], [1], []], 2)
    terms, tfs, sizes = words.terms(found)
    assert (terms.tolist(), tfs.tolist(), sizes.tolist()) == ([0, 1, 1], [2, 3, 1], [2, 0, 1])
    found = cut(words, "d c", "d ab")
    assert words.unknown() == [b"d"]
    learn(words, [[2, 0]], 3)
    terms, tfs, sizes = words.terms(found)
    assert (terms.tolist(), tfs.tolist()) == ([2, 0, 2, 0, 1], [1, 1, 1, 2, 1])
    assert sizes.tolist() == [2, 3]


def test_no_text(words: Words) -> None:
    found = cut(words)
    assert words.unknown() == []
    learn(words, [], 0)
    terms, tfs, sizes = words.terms(found)
    assert (len(terms), len(tfs), len(sizes)) == (0, 0, 0)


def test_a_text_that_ends_within_a_character(words: Words) -> None:
    cut(words, b"a\xc3", b"b\xe7\x94", b"c\xf0\x9f\x98")
    assert words.unknown() == [b"a", b"b", b"c"]
