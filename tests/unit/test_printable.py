import pytest

from plait.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("  runs \t of\r\n\n blanks ", "runs of blanks"),
        ("a\x1b[2J\x07b\x9b31mc\x00d", "a [2J b 31mc d"),
        ("new\u2028line\u2029end\u3000wide\xa0hard", "new line end wide hard"),
        ("abc\u202egpj.exe\u2066", "abcgpj.exe"),
        ("so\xadft \ufeffmark", "soft mark"),
        ("نص عربي", "نص عربي"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("cafe\u0301 退款", "cafe\u0301 退款"),
    ],
)
def test_one_line_that_a_terminal_shows_as_it_is(text: str, shown: str) -> None:
    assert printable(text) == shown
