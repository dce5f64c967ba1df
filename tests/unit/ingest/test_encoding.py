"""Bytes to text: what is accepted, what is refused, nothing mangled."""

import pytest

from plait.errors import FormatError
from plait.ingest.encoding import decode


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("text", ["", "plain", "Größe 退款 لغة 𠮷 é", "a\n\nb\n"])
def test_reads_unicode_with_its_mark(encoding, text):
    assert decode(text.encode(encoding)) == text


def test_reads_both_byte_orders_of_utf_16():
    assert decode(b"\xff\xfea\x00") == decode(b"\xfe\xff\x00a") == "a"


def test_all_line_ends_become_one():
    assert decode(b"a\r\nb\rc\n\r\nd") == "a\nb\nc\n\nd"


def test_only_the_first_mark_is_a_mark():
    assert decode("\ufeffa\ufeffb".encode()) == "a\ufeffb"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"caf\xe9", r"wrong encoding: not UTF-8 \(byte 0xE9 at position 3\)"),
        ("Größe".encode("cp1252"), "not UTF-8"),
        ("退款".encode("gb18030"), "not UTF-8"),
        ("text".encode("utf-16-le"), "binary, not text: a NUL at position 1"),
        ("text".encode("utf-32"), "wrong encoding: UTF-32"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary"),
        (b"\xff\xfea\x00b", "not UTF-16"),
        (b"\xff\xfea\x00\x00\x00", "binary"),
        (b"\xff\xfe\x00\xd8a\x00", "not UTF-16"),
        (b"\xed\xa0\x80", "not UTF-8"),
        (b"fine\x00", "binary, not text: a NUL at position 4"),
    ],
)
def test_refuses_everything_else(data, reason):
    with pytest.raises(FormatError, match=reason):
        decode(data)
