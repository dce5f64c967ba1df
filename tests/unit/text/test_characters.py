"""The tables of characters say what the patterns and unicodedata say."""

from __future__ import annotations

import random
import re
import unicodedata

import numpy as np
import pytest

from plait.kernels import native
from plait.kernels import words as kernel
from plait.kernels.words import Class, Form
from plait.text.characters import classes, forms
from plait.text.normalize import normalize
from plait.text.words import JOINERS

needs_loops = pytest.mark.skipif(native.library() is None, reason="there are no compiled loops")


def normalized(texts: list[str]) -> list[str | None]:
    """What compiled loops make of texts; None where they leave it to Python."""
    lib = native.library()
    assert lib is not None
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(each) for each in encoded])
    made, spans = kernel.normalize(lib, b"".join(encoded), ends, forms())
    return [
        None if start < 0 else made[start:end].decode("utf-8", "surrogatepass")
        for start, end in spans.tolist()
    ]


@pytest.mark.parametrize(
    ("char", "expected"),
    [
        ("a", Class.SPACED), ("7", Class.SPACED), ("ß", Class.SPACED), ("Я", Class.SPACED),
        ("申", Class.UNSPACED), ("ก", Class.UNSPACED), ("𠮷", Class.UNSPACED),
        ("\u0301", Class.MARK), ("-", Class.JOINER), ("_", Class.JOINER), ("’", Class.JOINER),
        (" ", Class.SPACE), ("\x1c", Class.SPACE), ("\u3000", Class.SPACE), ("+", 0), ("。", 0),
    ],
)  # fmt: skip
def test_classes(char: str, expected: int) -> None:
    assert classes()[ord(char)] == expected


def test_joiners_and_space_are_all_there() -> None:
    table = classes()[: kernel.ALL]
    joiners = {chr(each) for each in np.flatnonzero(table == Class.JOINER)}
    assert joiners == {chr(n) for n in range(0x3000) if re.match(f"[{JOINERS}]", chr(n))}
    spaces = {chr(each) for each in np.flatnonzero(table == Class.SPACE)}
    assert spaces == {chr(n) for n in range(kernel.ALL) if chr(n).isspace()}
    assert classes()[kernel.ALL] == 0


@pytest.mark.parametrize(
    ("char", "expected"),
    [
        ("a", Form.FIRST), ("/", 0), ("é", Form.FIRST), ("申", 0), ("\u00ad", Form.DROPPED),
        ("ﬁ", Form.REPLACED | Form.FIRST), ("²", Form.REPLACED), ("，", Form.REPLACED),
        ("\ufdfa", Form.ASK), ("¨", Form.ASK),
        ("\u1161", Form.SECOND), ("\u1100", Form.FIRST), ("\U00030000", Form.ASK),
    ],
)  # fmt: skip
def test_forms(char: str, expected: int) -> None:
    assert forms().flags[ord(char)] == expected


def test_ranks_are_in_the_order_of_the_combining_classes() -> None:
    ranks = forms().flags >> Form.RANK
    marks = [number for number in range(0x20000) if unicodedata.combining(chr(number))]
    marks = [number for number in marks if forms().flags[number] not in (Form.ASK, Form.DROPPED)]
    orders = [unicodedata.combining(chr(number)) for number in marks]
    assert len(marks) > 800
    assert len(set(zip(orders, ranks[marks].tolist(), strict=True))) == len(set(orders))
    assert np.array_equal(
        np.argsort(orders, kind="stable"), np.argsort(ranks[marks], kind="stable")
    )


@needs_loops
def test_every_character_alone() -> None:
    chars = list(map(chr, range(kernel.ALL)))
    found = normalized(chars)
    assert all(each in (None, normalize(char)) for each, char in zip(found, chars, strict=True))
    assert found[:0x20000].count(None) < 300  # nearly all are settled without Python


@needs_loops
def test_characters_side_by_side() -> None:
    draw = random.Random(1)
    flags = forms().flags[:0x20000]
    pools = [
        np.flatnonzero(flags >> Form.RANK).tolist(),
        np.flatnonzero(flags & Form.SECOND).tolist(),
        [*np.flatnonzero(flags[:0xAC00] & Form.FIRST).tolist(), 0xAC00, 0xAC01, 0xAC1C],
        np.flatnonzero(flags & (Form.DROPPED | Form.REPLACED | Form.ASK)).tolist(),
        list(range(0x20, 0x20000)),
    ]
    texts = [
        "".join(chr(draw.choice(draw.choice(pools))) for _ in range(draw.randint(2, 5)))
        for _ in range(50_000)
    ]
    found = normalized(texts)
    wrong = [
        text for text, each in zip(texts, found, strict=True) if each not in (None, normalize(text))
    ]
    assert wrong == []
    assert found.count(None) < 25_000


@needs_loops
@pytest.mark.parametrize(
    "text",
    ["Größe naïve", "申请（退款）…", "हिन्दी", "ภาษาไทยที่", "𝐁𝐨𝐥𝐝 😀", "x² ½ ™", "\u00a0"],
)
def test_usual_texts_are_settled_without_python(text: str) -> None:
    assert normalized([text]) == [normalize(text)]


@needs_loops
@pytest.mark.parametrize(
    "text", ["e\u0301", "ка\u0301к", "a\u0301\u0323", "\u1100\u1161", "各\U000e1000"]
)
def test_texts_that_may_compose_are_left_to_python(text: str) -> None:
    assert normalized(["a", text, "ß"]) == ["a", None, "ß"]
