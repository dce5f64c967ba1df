"""JSONL: one JSON object per line, one document per object."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from gzip import GzipFile
from typing import Any, NoReturn, TypeAlias

from plait.errors import ConfigurationError, FormatError
from plait.ingest.document import as_label
from plait.ingest.encoding import encoding_of, refuse_binary

__all__ = ["Fields", "Record", "Stream", "lines", "parse_line"]

Stream: TypeAlias = io.BufferedReader | GzipFile


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a JSON object are id, title and text; all others are metadata.

    Of several names the first one that the object has counts, null as absent; the others are
    metadata.

    Args:
        id: Names of the id: text or an integer.
        title: Names of the title: text or a number.
        text: Names of the text.
        metadata: Names of an object whose fields are metadata too; where a name is on both levels
            the inner value counts.

    Raises:
        ConfigurationError: A name given twice, or names that are not a tuple of str.

    Example:
        >>> Fields(text=("answer",), title=("question",)).text
        ('answer',)
    """

    id: tuple[str, ...] = ("id", "_id")
    title: tuple[str, ...] = ("title",)
    text: tuple[str, ...] = ("text", "content", "contents", "body")
    metadata: tuple[str, ...] = ("metadata",)

    def __post_init__(self) -> None:
        known: set[str] = set()
        for names in astuple(self):
            if not isinstance(names, tuple):
                raise ConfigurationError(
                    f"Fields has {names!r}, expected a tuple of field names such as ('text',)"
                )
            for name in names:
                if not isinstance(name, str) or name in known:
                    raise ConfigurationError(
                        f"Fields has {name!r} twice or not as text; each field has one role"
                    )
                known.add(name)


@dataclass(frozen=True, slots=True)
class Record:
    """What one line says; id and title are None where it says nothing."""

    id: str | None
    title: str | None
    text: str
    metadata: dict[str, Any]


def lines(stream: Stream, longest: int) -> Iterator[tuple[int, str | FormatError]]:
    """The lines of a stream with their numbers from 1, one at a time, blank ones left out.

    A line that is not text is given as the error that says so, and the next one is read. A stream
    that breaks off (a damaged archive, a failing disk) ends with such an error.

    Args:
        stream: Bytes, at their beginning.
        longest: A line of more characters is given as an error, without being held in memory.

    Raises:
        FormatError: The stream is binary or of a wrong encoding from its first line on.
    """
    start = stream.peek(4096)
    encoding = encoding_of(start)
    if encoding != "utf-16":
        refuse_binary(start.partition(b"\n")[0])
    # Bytes that are not UTF-8 come out as lone surrogates, so that one bad line stays one.
    errors = "surrogatepass" if encoding == "utf-16" else "surrogateescape"
    reader = io.TextIOWrapper(stream, encoding, errors, newline="\n")
    number = 0
    try:
        while line := reader.readline(longest + 1):
            number += 1
            if len(line) > longest and not line.endswith("\n"):
                while line and not line.endswith("\n"):
                    line = reader.readline(longest)
                yield number, FormatError(f"longer than {longest} characters")
            elif not line.isspace():
                yield number, _checked(line)
    except (OSError, EOFError, UnicodeError, zlib.error) as error:
        yield number + 1, FormatError(f"cannot be read from here on: {error}")
    finally:
        reader.detach()  # the stream is the caller's to close


def _checked(line: str) -> str | FormatError:
    try:
        if not line.isascii():
            line.encode()
    except UnicodeEncodeError as error:
        byte = ord(line[error.start]) & 0xFF
        return FormatError(f"wrong encoding: not UTF-8 (byte 0x{byte:02X}); save it as UTF-8")
    return line


def parse_line(line: str, fields: Fields) -> Record:
    """What one line says.

    Raises:
        FormatError: Not a JSON object, or id, title or text of the wrong type.

    Example:
        >>> parse_line('{"_id": 7, "text": "Hello", "lang": "en"}', Fields())
        Record(id='7', title=None, text='Hello', metadata={'lang': 'en'})
    """
    rest = _object(line)

    def take(names: tuple[str, ...]) -> Any:
        name = next((name for name in names if rest.get(name) is not None), None)
        return None if name is None else rest.pop(name)

    identity, title, text = take(fields.id), take(fields.title), take(fields.text)
    for name in fields.metadata:
        if isinstance(rest.get(name), dict):
            rest.update(rest.pop(name))
    if text is not None and not isinstance(text, str):
        raise FormatError(f"the text is of type {type(text).__name__}, expected a string")
    return Record(as_label(identity, "id"), as_label(title, "title"), text or "", rest)


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise FormatError("broken JSON: nested too deeply") from error
    except ValueError as error:  # also an integer with thousands of digits
        raise FormatError(f"broken JSON: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"not a JSON object but of type {type(value).__name__}")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")
