"""Where sentences are, in many scripts; the marks themselves are tested with what cuts by them."""

from __future__ import annotations

import pytest

from plait.text.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("one", ["one"]),
        ("Cats sleep. Dogs bark!", ["Cats sleep.", "Dogs bark!"]),
        ("Cats sleep.Dogs bark.", ["Cats sleep.Dogs bark."]),  # such as node.js
        ("Really?! Yes… No.", ["Really?!", "Yes…", "No."]),
        (
            'He said "stop." Then he (she?) left.) End',
            ['He said "stop."', "Then he (she?) left.)", "End"],
        ),
        (
            "See e.g. the manual, v. 2.5, or etc.  more. End",
            ["See e.g. the manual, v. 2.5, or etc.  more.", "End"],
        ),
        ("Ask J. Smith. He knows.", ["Ask J. Smith.", "He knows."]),
        ("Plan B... Then C.", ["Plan B...", "Then C."]),
        ("*Bold.* _Soft!_ 「引用。」 End", ["*Bold.*", "_Soft!_", "「引用。」", "End"]),
        ("猫が寝る。犬が吠える！本当？はい", ["猫が寝る。", "犬が吠える！", "本当？", "はい"]),
        ("退款需要十四天。。。请登录", ["退款需要十四天。。。", "请登录"]),
        ("बिल्ली सोती है। कुत्ता भौंकता है॥ अंत", ["बिल्ली सोती है।", "कुत्ता भौंकता है॥", "अंत"]),
        ("ما هذا؟ هذا كتاب. نعم", ["ما هذا؟", "هذا كتاب.", "نعم"]),
        ("یہ کیا ہے؟ یہ کتاب ہے۔ ہاں", ["یہ کیا ہے؟", "یہ کتاب ہے۔", "ہاں"]),
        (
            "Кошка спит. Собака лает, т.е. не спит. Да",
            ["Кошка спит.", "Собака лает, т.е. не спит.", "Да"],
        ),
        ("고양이가 잔다. 개가 짖는다.", ["고양이가 잔다.", "개가 짖는다."]),
        ("ድመት ይተኛል። ውሻ", ["ድመት ይተኛል።", "ውሻ"]),
        ("ឆ្មាដេក។ ឆ្កែ", ["ឆ្មាដេក។", "ឆ្កែ"]),
        ("ကြောင်အိပ်သည်။ ခွေး", ["ကြောင်အိပ်သည်။", "ခွေး"]),
        ("Կատուն քնում է։ Շունը", ["Կատուն քնում է։", "Շունը"]),
        ("แมวนอนหลับ สุนัขเห่า", ["แมวนอนหลับ สุนัขเห่า"]),  # Thai has no mark for it
    ],
)
def test_scripts(text: str, expected: list[str]) -> None:
    assert split(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- one item\n- another\r\n\r\n* third\n", ["- one item", "- another", "* third"]),
        ("1. First\n  (2) Second. And\n13. Last", ["1. First", "(2) Second.", "And", "13. Last"]),
        ("1.\nFirst", ["1.", "First"]),
        ("It costs 5. Then", ["It costs 5.", "Then"]),
        ("5. ", ["5."]),
        ("def f(x):\n    return x.y\n\n\nf(1)", ["def f(x):", "return x.y", "f(1)"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "|---|---|", "| 1 | 2 |"]),
        ("A title\n\nIts text. More", ["A title", "Its text.", "More"]),
    ],
)
def test_a_line_ends_one_too(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_offsets_are_those_of_the_text_as_given() -> None:
    text = "  𝔘𝔫𝔦. \n Größe und  Maß?  E\u0301nd "
    assert list(sentences(text)) == [(2, 6), (9, 24), (26, 30)]
    assert split(text) == ["𝔘𝔫𝔦.", "Größe und  Maß?", "E\u0301nd"]


@pytest.mark.parametrize(
    "text",
    [
        "." * 200_000 + "a",
        "!?" * 100_000 + "a",
        "a." + '"' * 200_000 + "b",
        "a." + " " * 200_000 + "b",
        "." + ")." * 100_000,
        "。" * 200_000,
        "\n " * 100_000,
        "a" + " " * 200_000 + "\n\nb",
    ],
    ids=lambda text: repr(text[:4]),
)
def test_a_run_of_marks_is_read_once(text: str) -> None:
    """Not by the clock: read again and again for each of its marks, it would take hours."""
    found = split(text)
    assert "".join("".join(found).split()) == "".join(text.split())
