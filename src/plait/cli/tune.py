"""plait tune: fusion, window and weights that labelled queries speak for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from plait.cli.existing import open_existing
from plait.cli.json_output import write_json
from plait.cli.judged import Judged, labelled_options
from plait.cli.options import (
    collection_option,
    completed_by,
    debug_option,
    folder_option,
    fusions,
    json_option,
)
from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.evaluation import Qrels, Recording, Topics, TuneResult
    from plait.fusion import Fusion

__all__ = ["tune_command"]

_WIDEST = 200  # candidates that are asked of each leg where none are named

_HELP = """\
Choose fusion, window and weights on labelled queries, if they are worth a change.

\b
plait tune --data judged/
plait tune --data judged/ --apply
plait tune --topics queries.jsonl --qrels qrels.tsv --write plait.toml

The legs run once. Then every fusion, window and weighting is tried on what they returned, and what
is chosen on some of the queries is measured on the others. "Keep the default" is an answer: nothing
is stored unless there is a gain that chance does not explain.
"""


def _read_measure(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from plait.evaluation.tuning.measure import CutMeasure

    try:
        return str(CutMeasure.parse(value))
    except ConfigurationError as error:
        raise click.BadParameter(str(error), context, parameter) from error


def _read_methods(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[Fusion, ...]:
    from plait.fusion import parse_fusion

    try:
        methods = tuple([parse_fusion(value) for value in values])
    except ConfigurationError as error:
        raise click.BadParameter(str(error), context, parameter) from error
    return tuple(dict.fromkeys(methods))  # the same one twice is no more than once


@click.command("tune", help=_HELP)
@labelled_options
@folder_option("--in", "Folder of the collection.")
@collection_option
@click.option(
    "--measure",
    default="nDCG@10",
    show_default=True,
    callback=_read_measure,
    metavar="NAME",
    help="What to look at: nDCG@k, AP@k, RR@k, R@k, P@k or Success@k.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    callback=_read_methods,
    metavar="METHOD",
    shell_complete=completed_by(more=fusions),
    help="A fusion to try, such as 'rrf(k=10)', instead of plait's nine; repeatable.",
)
@click.option(
    "--window",
    "windows",
    type=click.IntRange(1),
    multiple=True,
    metavar="N",
    help="Candidates of each leg to try, instead of 20, 50, 100 and 200; repeatable.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Steps in which weight moves from leg to leg, by default 10; 5 for four legs and more.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    metavar="N",
    default=5,
    show_default=True,
    help="Parts that the queries are cut into.",
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Of these parts.")
@click.option("--apply", is_flag=True, help="Store the result in the collection.")
@click.option(
    "--write",
    "file",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write the result to a TOML file, such as plait.toml.",
)
@json_option
@debug_option
def tune_command(
    judged: Judged,
    folder: Path,
    collection: str,
    measure: str,
    methods: tuple[Fusion, ...],
    windows: tuple[int, ...],
    steps: int | None,
    folds: int,
    seed: int,
    apply: bool,
    file: Path | None,
    as_json: bool,
) -> None:
    """Tune a collection and show what was found."""
    from plait.cli.console import output_console, working
    from plait.cli.tuned import show_tuning
    from plait.evaluation import Space, tune

    topics, qrels, _ = judged.read()
    recording = _record(folder, collection, topics, qrels, max(windows, default=_WIDEST))
    usual = Space.default(len(recording.legs), recording.fetch_k)
    windows = tuple(dict.fromkeys(windows))
    space = Space(methods or usual.methods, windows or usual.windows, steps or usual.steps)
    with working(f"trying {space.size(len(recording.legs)):,} candidates"):
        result = tune(recording, qrels, space=space, measure=measure, folds=folds, seed=seed)
    stored = _store(result, folder, collection, apply=apply, file=file)
    if as_json:
        write_json({**result.to_dict(), "stored": stored})
    else:
        show_tuning(output_console(), result, stored)


def _record(folder: Path, collection: str, topics: Topics, qrels: Qrels, fetch_k: int) -> Recording:
    """What the legs return for the topics that have judgments."""
    from plait.cli.asking import asking
    from plait.evaluation import Topics, record

    labelled = Topics({topic: query for topic, query in topics.items() if topic in qrels})
    if not labelled:
        raise ConfigurationError(
            f"none of the {len(topics):,} queries has judgments; are these the judgments of other "
            "queries?"
        )
    with open_existing(folder, collection) as opened, opened.snapshot() as view:
        hybrid = view.retriever()
        fetch_k = max(fetch_k, hybrid.fetch_k or hybrid.fusing().window)
        with asking() as progress:
            return record(view, labelled, fetch_k=fetch_k, progress=progress)


def _store(
    result: TuneResult, folder: Path, collection: str, *, apply: bool, file: Path | None
) -> list[str]:
    """Store a tuning where it was asked for; says where it is now."""
    from plait.collection import open as open_collection

    stored: list[str] = []
    if result.tuning is None:
        return stored
    if file is not None:
        result.tuning.write(file)
        stored.append(str(file))
    if apply:
        with open_collection(folder, collection) as opened:
            opened.apply(result.tuning)
            stored.append(str(opened.path))
    return stored
