"""plait tune: what labelled queries, or a collection's own sentences, say of its fusion."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    from plait.fusion import Fusion

__all__ = ["tune_command"]

_WIDEST = 200  # candidates that are asked of each leg where none are named

_HELP = """\
Choose fusion, window and weights: on labelled queries, or with --self without any.

\b
plait tune --data judged/
plait tune --data judged/ --apply
plait tune --topics queries.jsonl --qrels qrels.tsv --write plait.toml
plait tune --self
plait tune --self --queries log.txt --apply

With labels the legs run once. Then every fusion, window and weighting is tried on what they
returned, and what is chosen on some of the queries is measured on the others. "Keep the default" is
an answer: nothing is stored unless there is a gain that chance does not explain.

With --self the collection asks itself: a sentence is taken out of each of some chunks, and those
weights are chosen with which the rest of the chunk is found best. Chunks cannot show how your users
ask: give their queries, if you have any, with --queries; they need no labels.
"""

# Options that say how labelled queries are used.
_LABELLED = {
    "measure": "--measure",
    "methods": "--method",
    "windows": "--window",
    "steps": "--steps",
    "folds": "--folds",
}


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


@click.command("tune", help=_HELP, short_help="Choose fusion, window and weights by evidence.")
@labelled_options
@folder_option("--in", "Folder of the collection.")
@collection_option
@click.option("--self", "by_itself", is_flag=True, help="Learn weights without labels.")
@click.option(
    "--queries",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Queries as your users asked them, one in a line, for --self.",
)
@click.option(
    "--sentences",
    type=click.IntRange(1),
    metavar="N",
    help="Sentences that --self asks, by default 300.",
)
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
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Of these parts, and of the choice of sentences.",
)
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
@click.pass_context
def tune_command(
    context: click.Context,
    judged: Judged,
    folder: Path,
    collection: str,
    by_itself: bool,
    queries: Path | None,
    sentences: int | None,
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
    from plait.cli.self_tuned import show_self_tuning
    from plait.cli.tuned import show_tuning
    from plait.cli.tuning import ask_itself, record_labelled, store
    from plait.collection import Tuning
    from plait.evaluation import Space, tune

    _check(context, judged, by_itself, queries, sentences)
    if file is not None:
        Tuning.check_target(file)
    if by_itself:
        learned = ask_itself(folder, collection, queries, sentences or 300, seed)
        stored = store(learned.tuning, folder, collection, apply=apply, file=file)
        if as_json:
            write_json({**learned.to_dict(), "stored": stored})
        else:
            show_self_tuning(output_console(), learned, stored)
        return
    topics, qrels, _ = judged.read()
    recording = record_labelled(folder, collection, topics, qrels, max(windows, default=_WIDEST))
    usual = Space.default(len(recording.legs), recording.fetch_k)
    windows = tuple(dict.fromkeys(windows))
    space = Space(methods or usual.methods, windows or usual.windows, steps or usual.steps)
    with working(f"trying {space.size(len(recording.legs)):,} candidates"):
        result = tune(recording, qrels, space=space, measure=measure, folds=folds, seed=seed)
    left_out = len(topics) - len(recording.topics)
    if left_out:
        note = f"{left_out:,} of {len(topics):,} queries have no judgments and are left out"
        result = replace(result, notes=(note, *result.notes))
    stored = store(result.tuning, folder, collection, apply=apply, file=file)
    if as_json:
        write_json({**result.to_dict(), "stored": stored})
    else:
        show_tuning(output_console(), result, stored)


def _check(
    context: click.Context,
    judged: Judged,
    by_itself: bool,
    queries: Path | None,
    sentences: int | None,
) -> None:
    """Refuse options of one way beside those of the other."""
    labels = {"--data": judged.data, "--topics": judged.topics, "--qrels": judged.qrels}
    named = [option for option, value in labels.items() if value is not None]
    if not by_itself:
        for option, value in (("--queries", queries), ("--sentences", sentences)):
            if value is not None:
                raise click.UsageError(f"{option} goes with --self")
        if not named:
            raise click.UsageError(
                "give labelled queries with --data DIR, or with --topics FILE and --qrels FILE; "
                "--self needs none"
            )
        return
    given = click.core.ParameterSource.COMMANDLINE
    named += [
        option for name, option in _LABELLED.items() if context.get_parameter_source(name) == given
    ]
    if named:
        raise click.UsageError(f"--self needs no labels: leave out {', '.join(named)}")
