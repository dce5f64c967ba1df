"""read: the documents of one source; load: those of paths."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any

from plait.errors import ConfigurationError, FormatError
from plait.ingest.document import Document, Markup, Skipped, as_label
from plait.ingest.encoding import decode
from plait.ingest.frontmatter import split_front_matter
from plait.ingest.headings import first_title
from plait.ingest.jsonl import Fields, Stream, lines, parse_line
from plait.ingest.sources import PassedOver, Source
from plait.ingest.walking import Paths, walk
from plait.metadata import EMPTY, freeze

__all__ = ["LARGEST", "load", "read"]

# Bytes of a text file, characters of a JSONL line: what is held in memory at once.
LARGEST = 64 * 2**20


def load(
    paths: Paths, *, root: str | PathLike[str] | None = None, fields: Fields | None = None
) -> Iterator[Document | Skipped | PassedOver]:
    """The documents of files and folders: ``walk`` and ``read`` in one.

    Args:
        paths: A file, a folder, or several.
        root: The folder that document ids are relative to, see ``walk``.
        fields: Which fields of JSON objects are id, title and text, see ``Fields``.

    Yields:
        Each document; a ``Skipped`` for what cannot be used; after each folder a ``PassedOver`` if
        it has files of other types.

    Raises:
        ConfigurationError: As ``walk``, before any work.
    """
    found = walk(paths, root=root)
    return _load(found, fields)


def _load(
    found: Iterator[Source | Skipped | PassedOver], fields: Fields | None
) -> Iterator[Document | Skipped | PassedOver]:
    for item in found:
        if isinstance(item, Source):
            yield from read(item, fields=fields)
        else:
            yield item


def read(
    source: Source,
    *,
    fields: Fields | None = None,
    progress: Callable[[int], object] | None = None,
) -> Iterator[Document | Skipped]:
    """The documents of one file; a JSONL file is read a line at a time.

    Text is UTF-8, or UTF-16 with a byte order mark; anything else is skipped, never mangled. Where
    there is a title and no text, as in some collections, the title is the text.

    Args:
        source: From ``walk``.
        fields: Which fields of JSON objects are id, title and text; ``Fields()`` by default.
        progress: Called with the number of bytes that were read from the file since the last call.

    Yields:
        Each document in order, and a ``Skipped`` for each part that cannot be used: the file, a
        line of it, or the front matter (then its text is kept in the document).
    """
    shown = str(source.path)
    try:
        with source.path.open("rb") as file:
            zipped = source.path.suffix.lower() == ".gz"
            stream = gzip.GzipFile(fileobj=file) if zipped else file
            report = _reporter(file, progress)
            if source.format == "jsonl":
                yield from _read_lines(source, stream, fields or Fields(), report)
            else:
                yield from _read_whole(source, stream, source.format, report)
    except (ConfigurationError, FormatError) as error:
        yield Skipped(shown, None, str(error))
    except OSError as error:
        yield Skipped(shown, None, f"cannot be read: {error.strerror or error}")
    except (EOFError, zlib.error) as error:
        yield Skipped(shown, None, f"cannot be read: {error}")


def _reporter(
    file: io.BufferedReader, progress: Callable[[int], object] | None
) -> Callable[[], None]:
    """Tells ``progress`` how far the file was read since the last time."""
    told = 0

    def report() -> None:
        nonlocal told
        position = file.tell()
        if progress is not None and position > told:
            progress(position - told)
            told = position

    return report


def _read_whole(
    source: Source, stream: Stream, markup: Markup, report: Callable[[], None]
) -> Iterator[Document | Skipped]:
    data = stream.read(LARGEST + 1)
    report()
    if len(data) > LARGEST:
        raise FormatError(f"larger than {LARGEST >> 20} MiB; split it into several files")
    text = decode(data)
    title: str | None = None
    metadata: Mapping[str, Any] = EMPTY
    if markup == "markdown":
        try:
            fields, body = split_front_matter(text)
            title = as_label(fields.pop("title", None), "title")
            metadata, text = freeze(fields), body
        except (ConfigurationError, FormatError) as error:
            line = error.line if isinstance(error, FormatError) else 0
            yield Skipped(str(source.path), line or 1, f"front matter not used: {error}")
        title = title or first_title(text)
    if not text.strip() and title is None:
        raise FormatError("empty")
    yield _document(source, text, title, metadata, markup=markup)


def _read_lines(
    source: Source, stream: Stream, fields: Fields, report: Callable[[], None]
) -> Iterator[Document | Skipped]:
    number = 0
    for number, line in lines(stream, LARGEST):
        report()
        try:
            if isinstance(line, FormatError):
                raise line
            record = parse_line(line, fields)
            text = record.text.replace("\r\n", "\n").replace("\r", "\n")
            if not text.strip() and record.title is None:
                raise FormatError(f"no text in a field named {' or '.join(fields.text)}")
            item: Document | Skipped = _document(
                source, text, record.title, record.metadata, line=number, id=record.id
            )
        except (ConfigurationError, FormatError) as error:
            item = Skipped(str(source.path), number, str(error))
        yield item
    report()
    if number == 0:
        raise FormatError("empty")


def _document(
    source: Source,
    text: str,
    title: str | None,
    metadata: Mapping[str, Any],
    *,
    markup: Markup = "text",
    line: int | None = None,
    id: str | None = None,
) -> Document:
    if not text.strip() and title is not None:
        text, title = title, None
    path = source.relative
    return Document(
        id or (path if line is None else f"{path}:{line}"),
        text,
        markup,
        title,
        metadata,
        source_name=source.root.name,
        source_path=path,
        line=line,
        id_given=id is not None,
    )
