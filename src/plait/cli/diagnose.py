"""plait diagnose: what is wrong with the legs of a collection and their fusion."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plait.cli.existing import open_existing
from plait.cli.json_output import write_json
from plait.cli.judged import Judged, labelled_options
from plait.cli.options import (
    collection_option,
    debug_option,
    folder_option,
    json_option,
)
from plait.cli.query_options import (
    fetch_k_option,
    fusion_option,
    weights_option,
)
from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.collection import Snapshot
    from plait.evaluation.topics import Topics
    from plait.hybrid import HybridRetriever

__all__ = ["diagnose"]

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

_HELP = """\
Find what is wrong with the legs and the fusion.

\b
plait diagnose --queries log.txt
plait diagnose --topics queries.jsonl --qrels qrels.tsv
plait diagnose

The legs run for every query, and what they return is looked through: legs that never meet, that
find nothing, that are upside down, whose scores are flat or capped; sure hits that the fusion
loses; a window that is too small; texts that repeat. Each finding says what to do. No judgments
are needed; with them it also says where the fusion helps and hurts.

Without --queries, --topics or --data, sentences and titles of the collection's own chunks are
asked. They show what is broken, but not how your users ask: give real queries if you have any.
"""


@click.command(help=_HELP)
@folder_option("--in", "Folder of the collection.")
@collection_option
@labelled_options
@click.option("--queries", type=_FILE, metavar="FILE", help="Queries as text, one in a line.")
@fusion_option
@weights_option
@fetch_k_option
@click.option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    default=200,
    show_default=True,
    help="At most so many of --queries, or of the collection's sentences, chosen at random.",
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Of that choice.")
@json_option
@debug_option
def diagnose(
    folder: Path,
    collection: str,
    judged: Judged,
    queries: Path | None,
    fusion: str | None,
    weights: dict[str, float] | None,
    fetch_k: int | None,
    limit: int,
    seed: int,
    as_json: bool,
) -> None:
    """Diagnose a collection and show it."""
    from plait.cli.console import output_console, working
    from plait.cli.diagnosed import show_diagnosis
    from plait.evaluation.diagnosis import Background
    from plait.evaluation.diagnosis import diagnose as look
    from plait.evaluation.recorder import record

    if judged.names_topics and queries is not None:
        raise click.UsageError("--queries excludes --topics and --data")
    if judged.qrels is not None and not judged.names_topics:
        raise click.UsageError("--qrels needs --topics, whose ids it uses")
    qrels = judged.read_qrels() if judged.qrels or judged.data else None
    with (
        working("asking the legs"),
        open_existing(folder, collection) as opened,
        opened.snapshot() as view,
    ):
        hybrid = view.retriever()
        _check_weights(hybrid, weights)
        asked = _topics(view, judged, queries, limit, seed)
        recording = record(view, asked, fetch_k=fetch_k or hybrid.fusing().window)
        background = Background.of(view, opened.settings.analyzer, recording)
        found = look(recording, qrels=qrels, fusion=fusion, weights=weights, background=background)
    sampled = not judged.names_topics and queries is None
    if as_json:
        write_json({"sampled": sampled, **found.to_dict()})
    else:
        show_diagnosis(output_console(), found, sampled=sampled)


def _topics(view: Snapshot, judged: Judged, queries: Path | None, limit: int, seed: int) -> Topics:
    from plait.evaluation.diagnosis import sample_topics
    from plait.evaluation.query_log import read_queries

    if judged.names_topics:
        return judged.read_topics()
    if queries is not None:
        return read_queries(queries, limit=limit, seed=seed)
    sampled = sample_topics(view, limit, seed=seed)
    if not sampled:
        raise ConfigurationError(
            "no chunk of the collection has a sentence to ask for; give queries with --queries"
        )
    return sampled


def _check_weights(hybrid: HybridRetriever, weights: Mapping[str, float] | None) -> None:
    from plait.fusion import resolve_weights

    try:
        resolve_weights(weights, [str(leg.name) for leg in hybrid.legs])
    except ConfigurationError as error:
        raise click.UsageError(str(error)) from error
