import re
import unicodedata

import pytest

from plait.text import unicode_classes as classes

_WORD = re.compile(
    f"[{classes.SPACED}{classes.SPACED_ABOVE}{classes.UNSPACED}{classes.UNSPACED_ABOVE}]"
)
_UNSPACED = re.compile(f"[{classes.UNSPACED}{classes.UNSPACED_ABOVE}]")
_MARK = re.compile(f"[{classes.MARK}{classes.MARK_ABOVE}]")


def _letters(matches, category):
    """Code points where the table and Python's own database disagree on a category."""
    return [
        hex(code)
        for code in range(0x110000)
        if not 0xD800 <= code < 0xE000
        and (kind := unicodedata.category(chr(code))) != "Cn"
        and (matches(chr(code)) is not None) != (kind[0] in category)
    ]


def test_words_are_letters_marks_and_digits_as_python_knows_them():
    # A letter may change its category between versions of Unicode; none of these scripts' did.
    assert len(_letters(_WORD.match, "LMN")) <= 4


def test_marks_are_the_marks_python_knows():
    assert len(_letters(_MARK.match, "M")) <= 4


@pytest.mark.parametrize(
    "char", ["申", "々", "〇", "𠮷", "𰀀", "あ", "ー", "ｶ", "ㄅ", "서", "ก", "ກ", "ក", "က", "ั"]
)
def test_scripts_without_spaces(char):
    assert _UNSPACED.match(char)


@pytest.mark.parametrize(
    "char", ["a", "é", "ж", "ع", "ह", "ि", "\u0301", "٣", "๓", "ß", "ა", "𐐷", "9"]
)
def test_scripts_with_spaces(char):
    assert not _UNSPACED.match(char)
    assert _WORD.match(char)


@pytest.mark.parametrize("char", [" ", ".", "。", "、", "・", "«", "\u200b", "-", "_", "🎉", "€"])
def test_no_word(char):
    assert not _WORD.match(char)
