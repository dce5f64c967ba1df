"""What a collection is opened with for indexing: choices of the command line, checked early."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import click

from plait.embedders import parse_embedder
from plait.errors import ConfigurationError, MissingDependencyError
from plait.ingest import Chunking, Document, Fields, Source, read
from plait.spec import parse_spec
from plait.text import Analyzer, guess_language

__all__ = [
    "check_chosen_once",
    "chosen_analyzer",
    "chosen_chunking",
    "chosen_embedder",
    "chosen_fields",
    "guess",
    "stored_language",
]

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


def chosen_chunking(max_tokens: int | None, overlap: int | None) -> Chunking:
    """How documents are cut; what is left out is as it is by default."""
    given = {"max_tokens": max_tokens, "overlap": overlap}
    try:
        return Chunking(**{name: value for name, value in given.items() if value is not None})
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error


def check_chosen_once(
    described: Mapping[str, Any],
    *,
    embedder: str | None,
    language: str | None,
    max_tokens: int | None,
    overlap: int | None,
) -> None:
    """Refuse a choice, None for none, that is not the one a collection was made with."""
    chunking = Chunking.parse(described["chunking"])
    choices: list[tuple[str, Any, Any]] = [
        ("max-tokens", chunking.max_tokens, max_tokens),
        ("overlap", chunking.overlap, overlap),
    ]
    if embedder is not None:
        chosen = chosen_embedder(embedder)
        choices.append(("embedder", _stored_embedder(described), chosen.spec if chosen else _NONE))
    if language is not None:
        wanted = chosen_analyzer(language).language or _NONE
        choices.append(("language", stored_language(described), wanted))
    for name, stored, wanted in choices:
        if wanted not in (None, stored):
            raise click.UsageError(
                f"the {name} of a collection is chosen once, it is {stored!r}; for another: "
                f"plait index PATHS --collection NAME --{name} {shlex.quote(str(wanted))}"
            )


def stored_language(described: Mapping[str, Any]) -> str:
    """The language that a collection was made with, or ``none``."""
    _, parameters = parse_spec(described["analyzer"], "analyzer")
    return str(parameters.get("language", _NONE))


def _stored_embedder(described: Mapping[str, Any]) -> str:
    identity = described["embedder_identity"]
    return str(described["embedder"] or (identity["model"] if identity else _NONE))


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
