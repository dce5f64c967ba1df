import pytest

from plait.errors import ConfigurationError
from plait.text.segments import Piece, TokenSegmenter, WordSegmenter, callable_name


def test_split_is_the_words_and_the_runs():
    assert WordSegmenter().split("用 E-1042 申请 b") == (["E-1042", "b"], ["用", "申请"])
    assert WordSegmenter().split("") == ([], [])


def test_pieces_come_in_order_runs_by_character():
    assert list(WordSegmenter().pieces("a申请,退b")) == [
        Piece("a", 0, 1),
        Piece("申", 1, 2, unspaced=True),
        Piece("请", 2, 3, unspaced=True, joined=True),
        Piece("退", 4, 5, unspaced=True),
        Piece("b", 5, 6),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a «Ｅ１０４２».", ["a", "Ｅ１０４２"]),
        ("ﬁne cafe\u0301s", ["ﬁne", "cafe\u0301s"]),
        ("½ x", ["½", "½", "x"]),
        ("co\u00adoperate!", ["co\u00adoperate"]),
        ("ｶﾞx", ["ｶﾞ", "x"]),
        ("", []),
    ],
)
def test_located_pieces_are_of_the_original_text(text, expected):
    assert [text[p.start : p.end] for p in WordSegmenter().located(text)] == expected


def test_tokens_are_normalized_and_blank_ones_dropped():
    segmenter = TokenSegmenter(lambda text: text.split("|"))
    assert segmenter.split("Ａ b||  |\u00ad|c") == (["A b", "c"], [])
    assert [piece.text for piece in segmenter.pieces("x|y|x")] == ["x", "y", "x"]
    assert segmenter.terms("Straße-1", accents=False) == ("strasse-1",)


def test_tokens_are_located_where_they_stand():
    segmenter = TokenSegmenter(str.split)
    assert list(segmenter.located("to be to")) == [
        Piece("to", 0, 2),
        Piece("be", 3, 5),
        Piece("to", 6, 8),
    ]
    made_up = TokenSegmenter(lambda text: ["not there", "", "be"])
    assert list(made_up.located("to be")) == [Piece("be", 3, 5)]


@pytest.mark.parametrize("wrong", ["text", None, [1], ["a", None], {"a"}, iter(["a"])])
def test_a_tokenizer_gives_a_list_of_str(wrong):
    with pytest.raises(ConfigurationError, match="expected a list of str"):
        TokenSegmenter(lambda text: wrong).split("a")


def test_callables_have_names():
    class Cut:
        def __call__(self, text):
            return text.split()

    assert callable_name(str.split) == "str.split"
    assert callable_name(pytest.raises).endswith(".raises")
    assert callable_name(Cut()).endswith("Cut")
