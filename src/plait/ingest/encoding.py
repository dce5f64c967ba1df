"""From bytes to text: UTF-8, or UTF-16 that says so; anything else is refused, never mangled."""

from __future__ import annotations

import codecs

from plait.errors import FormatError

__all__ = ["decode", "encoding_of", "refuse_binary"]

_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of(start: bytes) -> str:
    """The name of the codec for text that starts with these bytes (4 are enough).

    A byte order mark decides; without one it is UTF-8. The codec drops the mark.

    Raises:
        FormatError: The mark of UTF-32.

    Example:
        >>> encoding_of(b"plain"), encoding_of("wide".encode("utf-16"))
        ('utf-8-sig', 'utf-16')
    """
    if start.startswith(_UTF32):  # asked first: it begins like the mark of UTF-16
        raise FormatError("wrong encoding: UTF-32; save it as UTF-8")
    return "utf-16" if start.startswith(_UTF16) else "utf-8-sig"


def refuse_binary(text: str | bytes) -> None:
    """Raise FormatError if there is a NUL in it, which no text has."""
    position = text.find("\0") if isinstance(text, str) else text.find(b"\0")
    if position >= 0:
        raise FormatError(f"binary, not text: a NUL at position {position}")


def decode(data: bytes) -> str:
    r"""The text of a whole file, without byte order mark, line ends as ``\n``.

    Raises:
        FormatError: Binary data, or text that is neither UTF-8 nor UTF-16 with a byte order mark.

    Example:
        >>> decode(b"one\r\ntwo\r")
        'one\ntwo\n'
    """
    encoding = encoding_of(data)
    if encoding != "utf-16":
        refuse_binary(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        expected = "UTF-16" if encoding == "utf-16" else "UTF-8"
        byte = error.object[error.start]
        raise FormatError(
            f"wrong encoding: not {expected} (byte 0x{byte:02X} at position {error.start}); "
            "save it as UTF-8"
        ) from error
    refuse_binary(text)
    return text.replace("\r\n", "\n").replace("\r", "\n")
