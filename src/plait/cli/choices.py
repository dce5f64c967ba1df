"""What a collection is opened with for indexing: choices of the command line, checked early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from plait.collection import describe
from plait.embedders import parse_embedder
from plait.errors import ConfigurationError, MissingDependencyError
from plait.ingest import Chunking, Document, Fields, Source, read
from plait.text import Analyzer, guess_language

__all__ = ["chosen_analyzer", "chosen_chunking", "chosen_embedder", "chosen_fields", "guess"]

_NONE = "none"
_FILES, _DOCUMENTS, _LETTERS = 50, 500, 4_000  # looked at to guess the language


def chosen_embedder(text: str) -> Any:
    """The embedder of a text form; None for ``none``."""
    if text.lower() == _NONE:
        return None
    try:
        return parse_embedder(text)
    except ConfigurationError as error:
        raise click.BadParameter(f"{error}, or none", param_hint="'--embedder'") from error


def chosen_analyzer(language: str) -> Analyzer:
    """The analyzer of a language's code or name; without one for ``none``."""
    try:
        return Analyzer(language=None if language.lower() == _NONE else language)
    except ConfigurationError as error:
        raise click.BadParameter(str(error), param_hint="'--language'") from error


def chosen_chunking(
    max_tokens: int | None, overlap: int | None, folder: Path, collection: str, is_new: bool
) -> Chunking | None:
    """How documents are cut; what is left out is as the collection has it."""
    if max_tokens is None and overlap is None:
        return None
    stored = Chunking() if is_new else Chunking.parse(describe(folder, collection)["chunking"])
    try:
        return Chunking(
            stored.max_tokens if max_tokens is None else max_tokens,
            stored.overlap if overlap is None else overlap,
        )
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error


def chosen_fields(id: str | None, title: str | None, text: str | None) -> Fields:
    """Which fields of JSON objects are id, title and text."""
    named = {"id": id, "title": title, "text": text}
    try:
        return Fields(**{role: (name,) for role, name in named.items() if name is not None})
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error


def guess(sources: Sequence[Source], fields: Fields) -> tuple[str, str]:
    """The language of a sample of the files, and how it was found, in words."""
    try:
        code = guess_language(_sample(sources, fields))
    except MissingDependencyError as error:
        return _NONE, f"guessing needs {error.package}: pip install 'plait[{error.extra}]'"
    return (code, "guessed from the text") if code else (_NONE, "the text does not tell")


def _sample(sources: Sequence[Source], fields: Fields) -> Iterator[str]:
    """Beginnings of documents from files all over the list: neighbors are often of one language."""
    some = sources[:: -(-len(sources) // _FILES) or 1]
    for source in some:
        documents = (item for item in read(source, fields=fields) if isinstance(item, Document))
        for document in islice(documents, _DOCUMENTS // len(some)):
            yield document.text[:_LETTERS]
