"""Lines of a file of topics, judgments or results, and errors that say where in it."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

from plait.errors import FormatError
from plait.ingest.jsonl import Stream, lines

__all__ = ["FilePath", "at", "numbered_lines"]

FilePath: TypeAlias = str | PathLike[str]

_LONGEST = 2**28  # characters of a line
_GZIP = b"\x1f\x8b"


def numbered_lines(path: FilePath, expected: str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers from 1, without line ends; blank ones are left out.

    UTF-8, with or without byte order mark, or UTF-16 with one; compressed by gzip or not, whatever
    the name says.

    Args:
        path: The file.
        expected: What it should hold, for the error about an empty one.

    Raises:
        FormatError: Not text, broken off, or without any line; names the file and the line.
        OSError: The file cannot be opened.
    """
    with Path(path).open("rb") as file:
        zipped = file.peek(2).startswith(_GZIP)
        stream: Stream = gzip.GzipFile(fileobj=file) if zipped else file
        number = 0
        try:
            for number, line in lines(stream, _LONGEST):
                if isinstance(line, FormatError):
                    raise line
                yield number, line.strip("\r\n")
        except FormatError as error:
            raise at(path, max(number, 1), str(error)) from error
        except (OSError, EOFError, zlib.error) as error:
            raise at(path, number + 1, f"cannot be read from here on: {error}") from error
    if number == 0:
        raise FormatError(f"{fspath(path)} is empty, expected {expected}", fspath(path))


def at(path: FilePath, line: int, what: str) -> FormatError:
    """The error about a line of a file."""
    return FormatError(f"{fspath(path)}, line {line}: {what}", fspath(path), line)
