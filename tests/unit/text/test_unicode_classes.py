import re
import unicodedata

import pytest

from plait.text import unicode_classes as classes

EVERYTHING = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
SPACED = frozenset(re.findall(f"[{classes.SPACED}{classes.SPACED_ABOVE}]", EVERYTHING))
UNSPACED = frozenset(re.findall(f"[{classes.UNSPACED}{classes.UNSPACED_ABOVE}]", EVERYTHING))
MARK = frozenset(re.findall(f"[{classes.MARK}{classes.MARK_ABOVE}]", EVERYTHING))


def of_category(initials):
    """The characters that Python's own database puts in these categories."""
    return {char for char in EVERYTHING if unicodedata.category(char)[0] in initials}


def assigned(chars):
    return {char for char in chars if unicodedata.category(char) != "Cn"}


def test_the_classes_are_the_categories_that_python_knows():
    # A few characters changed their category between versions of Unicode.
    assert len(assigned(SPACED | UNSPACED) ^ of_category("LN")) <= 4
    assert len(assigned(MARK) ^ of_category("M")) <= 4


def test_a_character_is_of_one_class():
    assert not SPACED & UNSPACED
    assert not (SPACED | UNSPACED) & MARK


@pytest.mark.parametrize(
    "char", ["申", "々", "〇", "𠮷", "𰀀", "あ", "ー", "ｶ", "ㄅ", "서", "ก", "ກ", "ក", "က"]
)
def test_letters_of_scripts_without_spaces(char):
    assert char in UNSPACED


@pytest.mark.parametrize("char", ["a", "é", "ж", "ع", "ह", "٣", "๓", "ß", "ა", "𐐷", "9"])
def test_letters_and_digits_of_scripts_with_spaces(char):
    assert char in SPACED


@pytest.mark.parametrize("char", ["\u0301", "ि", "ั", "\u3099", "\ufe0f"])
def test_marks(char):
    assert char in MARK


@pytest.mark.parametrize("char", [" ", ".", "。", "、", "・", "«", "\u200b", "-", "_", "🎉", "€"])
def test_no_part_of_a_word(char):
    assert char not in SPACED | UNSPACED | MARK
