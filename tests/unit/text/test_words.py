import pytest

from plait.text.words import bigrams, characters, cutter


def words(text):
    return cutter(text).word.findall(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n", []),
        ("!!! ... --", []),
        ("Error E1042.", ["Error", "E1042"]),
        ("(E-1042), done.", ["E-1042", "done"]),
        ("snake_case __init__ a__b", ["snake_case", "init", "a__b"]),
        ("v1.2.3, 3.5.", ["v1.2.3", "3.5"]),
        ("C++, C#; C++17 g++.", ["C++", "C#", "C++17", "g++"]),
        ("page#section #tag", ["page", "section", "tag"]),
        ("node.js and .NET", ["node.js", "and", "NET"]),
        ("the user's 'quoted' users'", ["the", "user's", "quoted", "users"]),
        ("AT&T R&D a & b", ["AT&T", "R&D", "a", "b"]),
        ("wait...what -- no--yes", ["wait", "what", "no", "yes"]),
        ("C or R, x", ["C", "or", "R", "x"]),
        ("a/b std::vector me@example.com", ["a", "b", "std", "vector", "me", "example.com"]),
    ],
)
def test_ascii_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("café naïve", ["café", "naïve"]),
        ("Привет, мир!", ["Привет", "мир"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("o’clock state‐of", ["o’clock", "state‐of"]),
        ("col·lecció צה״ל", ["col·lecció", "צה״ל"]),
        ("Java语言", ["Java"]),
        ("iPhone手机15", ["iPhone", "15"]),
        ("𐐷𐐲 deseret", ["𐐷𐐲", "deseret"]),
        ("ลด๕๐%", ["๕๐"]),
        ("\u0301 \u0301a ि", ["a"]),  # a mark without a letter is no word
        ("E\u0331-X\u0331", ["E\u0331-X\u0331"]),
    ],
)
def test_words_of_other_scripts(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("申请退款流程,请", ["申请退款流程", "请"]),
        ("E1042오류 서울은", ["오류", "서울은"]),
        ("東京タワーへ。", ["東京タワーへ"]),
        ("𠮷野家", ["𠮷野家"]),
        ("ภาษาไทย 2024", ["ภาษาไทย"]),
        ("no run: é", []),
        ("ิกa\u0e34ก申\u0301", ["ก", "ก申\u0301"]),
    ],
)
def test_runs(text, expected):
    assert cutter(text).run.findall(text) == expected


def test_ascii_text_has_no_runs():
    assert cutter("plain").run is None


def test_pieces_come_in_the_order_of_the_text():
    text = "用E-1042申请"
    pieces = [(match["word"], match["run"]) for match in cutter(text).piece.finditer(text)]
    assert pieces == [(None, "用"), ("E-1042", None), (None, "申请")]
    assert [match["run"] for match in cutter("a b").piece.finditer("a b")] == [None, None]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("申", ["申"]),
        ("𠮷野", ["𠮷", "野"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("か\u3099", ["か\u3099"]),
    ],
)
def test_characters(run, expected):
    assert characters(run) == expected


def test_bigrams():
    assert bigrams([]) == bigrams(["申"]) == []
    assert bigrams(["申", "请", "退"]) == ["申请", "请退"]
