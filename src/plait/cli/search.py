"""plait search: ask a collection."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plait.cli.existing import open_existing
from plait.cli.json_output import write_json
from plait.cli.options import (
    collection_option,
    completed_by,
    debug_option,
    fill_option,
    folder_option,
    fusions,
    json_option,
    read_filter,
    read_fusion,
    read_weights,
)
from plait.errors import ConfigurationError, QueryError, RetrievalError

if TYPE_CHECKING:
    from plait.collection import Snapshot

__all__ = ["search"]


@click.command()
@click.argument("query", nargs=-1, required=True)
@folder_option("--in", "Folder of the collection.")
@collection_option
@click.option(
    "--top-k",
    type=click.IntRange(1),
    metavar="N",
    default=5,
    show_default=True,
    help="Hits to show.",
)
@click.option(
    "--offset",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    show_default=True,
    help="Hits to pass over first.",
)
@click.option(
    "--filter",
    "keep",
    callback=read_filter,
    metavar="JSON",
    help="""Only chunks whose metadata passes, such as '{"product": "pro"}'.""",
)
@click.option(
    "--fusion",
    callback=read_fusion,
    metavar="METHOD",
    shell_complete=completed_by(more=fusions),
    help="How rankings become one, instead of the collection's way: 'auto', 'rrf(k=60)'.",
)
@click.option(
    "--weights",
    callback=read_weights,
    metavar="LEG=W,...",
    help="Weight of each leg: 'dense=1,bm25=2'.",
)
@click.option(
    "--leg",
    "legs",
    multiple=True,
    metavar="NAME",
    shell_complete=completed_by("dense", "bm25"),
    help="Run only this leg, dense or bm25; repeatable.",
)
@click.option(
    "--fetch-k", type=click.IntRange(1), metavar="N", help="Candidates asked of each leg."
)
@fill_option
@click.option("--explain", is_flag=True, help="Show what each leg contributed to each score.")
@json_option
@debug_option
def search(
    query: tuple[str, ...],
    folder: Path,
    collection: str,
    top_k: int,
    offset: int,
    keep: dict[str, Any] | None,
    fusion: str | None,
    weights: dict[str, float] | None,
    legs: tuple[str, ...],
    fetch_k: int | None,
    fill: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Show the chunks that answer QUERY best, and why.

    Quotes around the words are not needed, unless the shell would take them for something else.
    The exit code is 0 also when nothing is found.
    """
    from plait.cli.console import output_console, working
    from plait.cli.results import show_result
    from plait.text.snippets import find_snippet

    text = " ".join(query)
    if not text.strip():
        raise click.UsageError("the query is blank")
    with (
        working("reading the index"),
        open_existing(folder, collection) as opened,
        opened.snapshot() as view,
    ):
        if (not legs or "dense" in legs) and (weights or {}).get("dense", 1):
            _load_model(view)
        try:
            result = view.search(
                text,
                top_k=top_k,
                offset=offset,
                filter=keep,
                fetch_k=fetch_k,
                fusion=fusion,
                weights=weights,
                legs=list(legs) or None,
                fill=fill,
            )
        except (QueryError, ConfigurationError) as error:
            raise click.UsageError(str(error)) from error
        find = partial(
            find_snippet,
            query=text,
            analyzer=opened.settings.analyzer,
            weights=view.term_weights(text),
        )
    if as_json:
        write_json(result.to_dict())
    else:
        show_result(output_console(), result, find, offset=offset, explain=explain)


def _load_model(view: Snapshot) -> None:
    """Let the dense leg load its model now, so that the time it is shown with is its own."""
    # Where it cannot, the search that follows tells.
    with suppress(QueryError, RetrievalError):
        view.search("warm", top_k=1, legs=["dense"])
