import unicodedata

import pytest

from plait.text.normalize import aligned, fold, normalize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain ASCII text.", "plain ASCII text."),
        ("Ｅ１０４２", "E1042"),
        ("ﬁx", "fix"),
        ("cafe\u0301", "café"),
        ("①½", "11⁄2"),
        ("co\u00adoperate", "cooperate"),  # soft hyphen
        ("می\u200cخواهم", "میخواهم"),  # zero-width non-joiner
        ("كتــاب", "كتاب"),  # elongated
        ("葛\U000e0100", "葛"),  # variation selector
        ("1\ufe0f\u20e3", "1"),  # keycap
        ("LINUX™", "LINUX"),  # not LINUXTM
        ("\ufeffstart", "start"),
        ("a\u200bb", "a\u200bb"),  # a zero-width space does part words
        ("ｶﾞ", "ガ"),
    ],
)
def test_normalize(text, expected):
    assert normalize(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "Straße"),
        ("CAFÉ", "café"),
        ("ΟΔΟΣ", "οδος"),
        ("ΟΔΟΣ", "οδοσ"),
        ("İstanbul", "istanbul"),
        ("МОСКВА", "москва"),
        ("١٠٤٢", "1042"),
        ("१०४२", "1042"),
        ("O’Brien", "o'brien"),
        ("п’ять", "пʼять"),
        ("E‐1042", "e-1042"),
        ("ﬀ", "FF"),
    ],
)
def test_fold_makes_one_of(one, other):
    assert fold(normalize(one)) == fold(normalize(other))


def test_fold_keeps_accents_unless_asked():
    assert fold("café") == "café" != fold("cafe")


@pytest.mark.parametrize(
    ("word", "bare"),
    [
        ("Café", "cafe"),
        ("größer", "grosser"),
        ("øre", "ore"),
        ("Łódź", "lodz"),
        ("naïve", "naive"),
        ("Ångström", "angstrom"),
        ("æther", "aether"),
        ("ёлка", "елка"),
        ("ελληνικά", "ελληνικα"),
        ("كِتَابٌ", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("Việt", "viet"),
    ],
)
def test_fold_takes_off_accents(word, bare):
    assert fold(normalize(word), accents=True) == bare


@pytest.mark.parametrize("word", ["हिन्दी", "ที่นี่", "がぎぐ", "서울", "தமிழ்"])
def test_marks_that_are_letters_of_their_own_stay(word):
    assert fold(word, accents=True) == word


@pytest.mark.parametrize("word", ["straße", "ＡＢＣ", "İı", "ΐ", "ᾳ", "ŉ", "ǰ", "ﬃ", "ẞ", "Ω", "K"])
def test_fold_of_fold_is_fold(word):
    once = fold(normalize(word))
    assert fold(once) == once
    bare = fold(normalize(word), accents=True)
    assert fold(bare, accents=True) == bare


@pytest.mark.parametrize("text", ["", "plain", "schon normal: größer, 申请"])
def test_aligned_without_changes(text):
    assert aligned(text) == (text, None)


@pytest.mark.parametrize(
    ("text", "normal", "origins"),
    [
        ("ﬁt", "fit", [0, 0, 1, 2]),
        ("e\u0301t", "ét", [0, 2, 3]),
        ("Ｅ1", "E1", [0, 1, 2]),
        ("a\u00adb", "ab", [0, 2, 3]),
        ("½", "1⁄2", [0, 0, 0, 1]),
        ("ｶﾞx", "ガx", [0, 2, 3]),
    ],
)
def test_aligned(text, normal, origins):
    assert aligned(text) == (normal, origins)


def test_aligned_text_of_decomposed_hangul_is_normalized():
    text = unicodedata.normalize("NFD", "서울은 Ｅ1")
    normal, origins = aligned(text)
    assert normal == normalize(text) == "서울은 E1"
    assert origins[-1] == len(text)
