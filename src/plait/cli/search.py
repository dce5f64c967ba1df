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
    debug_option,
    folder_option,
    json_option,
)
from plait.cli.query_options import (
    fetch_k_option,
    fill_option,
    filter_option,
    fusion_option,
    legs_option,
    weights_option,
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
@filter_option
@fusion_option
@weights_option
@legs_option
@fetch_k_option
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
