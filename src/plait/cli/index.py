"""plait index: bring a collection up to date with files."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.cli.json_output import write_json
from plait.cli.options import (
    collection_option,
    completed_by,
    debug_option,
    folder_option,
    json_option,
    languages,
)
from plait.cli.run import Session
from plait.errors import ConfigurationError, PlaitError
from plait.printable import printable

if TYPE_CHECKING:
    from plait.ingest import PassedOver, Skipped

__all__ = ["index"]


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@folder_option("--to", "Folder of the collection; made if it is not there.")
@collection_option
@click.option(
    "--embedder",
    metavar="NAME",
    shell_complete=completed_by("minilm", "static", "hash", "none"),
    help="What makes the vectors: minilm, static, hash(dim=256), or none to search by words only. "
    "Chosen once, for a new collection: minilm.",
)
@click.option(
    "--language",
    metavar="CODE",
    shell_complete=completed_by("none", more=languages),
    help="Language of stems and stop words: en, de, ..., or none. Chosen once, for a new "
    "collection: guessed from the text.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Most tokens in a chunk. Chosen once, for a new collection: 200.",
)
@click.option(
    "--overlap",
    type=click.IntRange(0),
    metavar="N",
    help="Most tokens that a chunk repeats from the one before it. Chosen once, for a new "
    "collection: 0.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder that document ids are relative to, by default the one that was indexed before, or "
    "each of PATHS.",
)
@click.option("--id-field", metavar="NAME", help="Field of the id in JSONL, by default id or _id.")
@click.option("--title-field", metavar="NAME", help="Field of the title in JSONL.")
@click.option(
    "--text-field", metavar="NAME", help="Field of the text in JSONL, by default text, content, ..."
)
@json_option
@debug_option
@click.make_pass_decorator(Session, ensure=True)
def index(
    session: Session,
    paths: tuple[Path, ...],
    folder: Path,
    collection: str,
    embedder: str | None,
    language: str | None,
    max_tokens: int | None,
    overlap: int | None,
    root: Path | None,
    id_field: str | None,
    title_field: str | None,
    text_field: str | None,
    as_json: bool,
) -> None:
    """Index PATHS: files and folders of text, Markdown and JSONL.

    A document is a file, or a line of a JSONL file; it is cut into chunks, which a search finds.
    Afterwards the collection holds what PATHS hold now: new and changed documents are indexed,
    unchanged ones are left alone, those that are gone are removed.

    The documents of folders that were indexed before stay.

    These are read: .txt .text .md .markdown .jsonl .ndjson, also as .gz. Hidden files and folders,
    node_modules, __pycache__ and venv are left out unless they are among PATHS. Of PDF, HTML, DOCX
    and the like extract the text first, and index that.

    Input that cannot be used is skipped and named on stderr. It is an error only if nothing at
    all could be used. An interrupted run keeps what it committed; the same command goes on.
    """
    from plait.cli.choices import (
        check_chosen_once,
        chosen_analyzer,
        chosen_chunking,
        chosen_embedder,
        chosen_fields,
        guess,
    )
    from plait.cli.indexing import IndexingBar, report_as_dict, report_lines
    from plait.collection import collections, describe
    from plait.collection import open as open_collection
    from plait.ingest import Source, walk

    started = time.perf_counter()
    is_new = collection not in collections(folder)
    fields = chosen_fields(id_field, title_field, text_field)
    chosen: dict[str, Any] = {}
    if is_new:
        chosen["chunking"] = chosen_chunking(max_tokens, overlap)
        if embedder is not None:
            chosen["embedder"] = chosen_embedder(embedder)
        if language is not None:
            chosen["analyzer"] = chosen_analyzer(language)
    else:
        check_chosen_once(
            describe(folder, collection),
            embedder=embedder,
            language=language,
            max_tokens=max_tokens,
            overlap=overlap,
        )
    found = list(walk(paths, root=root))
    sources = [item for item in found if isinstance(item, Source)]
    if is_new and not sources:
        _say_left_out(item for item in found if not isinstance(item, Source))
        raise _nothing_to_index()
    if is_new and language is None:
        code, how = guess(sources, fields)
        _say(f"language: {code} ({how}; --language chooses)")
        chosen["analyzer"] = chosen_analyzer(code)
    session.when_interrupted = "what is committed stays, run it again to go on"
    with _removed_if_empty(folder, collection) if is_new else nullcontext():
        with IndexingBar() as bar, open_collection(folder, collection, **chosen) as opened:
            report = opened.add_files(paths, root=root, fields=fields, progress=bar.show)
        described = describe(folder, collection)
    seconds = time.perf_counter() - started
    _say_left_out((*report.skipped, *report.passed_over))
    used = report.added or report.updated or report.unchanged or report.removed
    if as_json:
        write_json(report_as_dict(report, described, len(sources), seconds))
    elif used:
        click.echo("\n".join(report_lines(report, described, len(sources), seconds)))
    if not used:
        raise _nothing_to_index()


@contextmanager
def _removed_if_empty(folder: Path, collection: str) -> Iterator[None]:
    """Remove a new collection that nothing was written to: what it fixes can be chosen again."""
    from plait.collection import collections, remove_if_empty

    try:
        yield
    finally:
        # If it cannot be read, the error on the way says why, and nothing is known to be empty.
        with suppress(PlaitError, OSError):
            if collection in collections(folder):
                remove_if_empty(folder, collection)


def _say(line: str) -> None:
    click.echo(printable(line), err=True)


def _say_left_out(items: Iterable[Skipped | PassedOver]) -> None:
    """A line for each piece of input that was not taken, with the reason."""
    from plait.ingest import Skipped

    encodings = False
    for item in items:
        _say(f"{'skipped' if isinstance(item, Skipped) else 'note:'} {item}")
        encodings |= isinstance(item, Skipped) and "not UTF-8" in item.reason
    if encodings:
        _say("note: for UTF-8, such as from Latin-1: iconv -f latin1 -t utf-8 OLD > NEW")


def _nothing_to_index() -> ConfigurationError:
    from plait.ingest.sources import SUFFIXES

    return ConfigurationError(
        "nothing could be indexed: there is no readable text in the given paths; "
        f"plait reads {' '.join(SUFFIXES)}, also as .gz"
    )
