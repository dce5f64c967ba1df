"""A text that is too long is cut at the end of a sentence, of whatever script."""

from __future__ import annotations

import unicodedata

import pytest

from plait.context.sentences import cut_text


def cut(text: str, length: int) -> str:
    return cut_text(text, lambda part: len(part) <= length)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Cats sleep. Dogs bark.", "Cats sleep."),
        ("Really?! Yes, really.", "Really?!"),
        ('He said "stop." Then he left.', 'He said "stop."'),
        ("Version 2.5 of node.js is out. Get it.", "Version 2.5 of node.js is out."),
        ("See e.g. the manual. Then ask.", "See e.g. the manual."),
        ("Ask J. Smith about it. He knows.", "Ask J. Smith about it."),
        ("Wait… What is it?", "Wait…"),
        ("退款需要十四天。请登录账户。", "退款需要十四天。"),
        ("返金は14日です！領収書は届きます。", "返金は14日です！"),
        ("ما هو الاسترداد؟ يستغرق أربعة عشر يوما.", "ما هو الاسترداد؟"),
        ("رقم واپس ملے گی۔ چودہ دن لگیں گے۔", "رقم واپس ملے گی۔"),
        ("धनवापसी में चौदह दिन लगते हैं। फिर रसीद आती है।", "धनवापसी में चौदह दिन लगते हैं।"),
        ("Деньги вернутся. Ждите письма.", "Деньги вернутся."),
        ("Title without a mark\n\nThe text below it.", "Title without a mark"),
    ],
)
def test_sentences_end_where_their_script_ends_them(text: str, first: str) -> None:
    assert cut(text, len(text) - 1) == first


def test_as_many_sentences_as_fit() -> None:
    text = "One. Two. Three. Four."
    assert [cut(text, length) for length in (22, 21, 16, 15, 9, 4)] == [
        "One. Two. Three. Four.",
        "One. Two. Three.",
        "One. Two. Three.",
        "One. Two.",
        "One. Two.",
        "One.",
    ]


def test_a_sentence_that_is_too_long_is_cut_behind_a_word() -> None:
    assert cut("one two three four. Five.", 10) == "one two…"


# Thai ends sentences with a space, which is where its phrases end too.
def test_thai_is_cut_at_a_space() -> None:
    assert cut("คืนเงินภายในสิบสี่วัน กรุณาเข้าสู่ระบบ แล้วกดปุ่ม", 30) == "คืนเงินภายในสิบสี่วัน…"


def test_a_word_that_is_too_long_is_cut_behind_a_character() -> None:
    assert cut("Donaudampfschifffahrt", 6) == "Donau…"
    assert cut("退款需要十四天才能到账", 5) == "退款需要…"


@pytest.mark.parametrize("length", range(1, 12))
def test_a_letter_keeps_its_marks(length: int) -> None:
    text = unicodedata.normalize("NFD", "éèêëéèêë")
    shown = cut(text, length).removesuffix("…")
    assert len(shown) % 2 == 0


def test_what_fits_is_not_cut() -> None:
    assert cut("  One. Two.  ", 9) == "One. Two."
    assert cut("", 0) == ""


def test_of_a_very_long_text_only_the_beginning_is_read() -> None:
    read = 0

    def fits(part: str) -> bool:
        nonlocal read
        read += len(part)
        return len(part) <= 4000

    text = "Cats sleep. " * 100_000
    assert cut_text(text, fits) == ("Cats sleep. " * 333).strip()
    assert read < len(text) + 100_000


def test_nothing_is_left_if_not_one_character_fits() -> None:
    assert cut("word", 1) == ""  # the mark of the cut takes that one
    assert cut("word", 0) == ""


def test_a_counter_that_is_not_monotonic_is_never_exceeded() -> None:
    text = "One. Two. Three. Four. Five. Six. Seven."
    odd = {part: len(part) + 9 * (part.count(".") == 3) for part in [text]}

    def fits(part: str) -> bool:
        return odd.get(part, len(part) + 9 * (part.count(".") == 3)) <= 20

    found = cut_text(text, fits)
    assert found
    assert fits(found)
