"""plait compare: which of several systems is better, on one's own topics and judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from plait.cli.json_output import write_json
from plait.cli.judged import Judged, by_option, judged_options
from plait.cli.options import (
    DEFAULT_FOLDER,
    completed_by,
    debug_option,
    fusions,
    json_option,
    output_option,
)
from plait.cli.systems import DEFAULT, LEGS, System, every, read_systems

if TYPE_CHECKING:
    from plait.cli.recorded import Source

__all__ = ["compare"]

_CONTRASTS = 10  # topics of each system that a report shows
_TOP_K = 100
_DEFAULT_NAME = "default"

_HELP = """\
Compare systems over the same topics, and say which differences are real.

\b
plait compare --data judged/
plait compare --data judged/ --system 'rrf(k=60)' --system rsf@dense=0.3,bm25=0.7
plait compare --data judged/ --run old.run --run new.run --html report.html

A SYSTEM is one of

\b
  default                       the collection as a search uses it
  dense, bm25                   one leg alone
  rsf, 'rrf(k=60)'              a fusion, as plait search --fusion makes it
  rsf@dense=0.3,bm25=0.7        with weights
  rsf@bm25=2@window=100         of the best 100 candidates of each leg
  rsf@fill                      each leg also scores what only the other returned
  mine=rsf@bm25=2               any of these under a name of its own

Without --system and --run they are default, dense and bm25. The legs run once, however many
systems there are. The first system is what the others are compared with, unless --baseline names
another.

With --in, --collection or --recorded given more than once, each collection is asked for every
system; their names then begin with the collection's.
"""


@click.command(help=_HELP, short_help="Compare systems, and say which differences are real.")
@judged_options
@click.option(
    "--in",
    "folders",
    type=click.Path(file_okay=False, path_type=Path),
    multiple=True,
    help=f"Folder of the collection, by default {DEFAULT_FOLDER}; repeatable.",
)
@click.option(
    "--collection",
    "names",
    multiple=True,
    metavar="NAME",
    help=f"Name of the collection in the folder, by default {_DEFAULT_NAME}; repeatable.",
)
@click.option(
    "--recorded",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Legs that plait eval --record kept, instead of a collection that is asked; repeatable.",
)
@click.option(
    "--system",
    "spelled",
    multiple=True,
    metavar="[NAME=]SYSTEM",
    shell_complete=completed_by(DEFAULT, *LEGS, more=fusions),
    help="What to compare, see above; repeatable.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="[NAME=]FILE",
    help="A run in TREC's format to compare; repeatable.",
)
@click.option("--baseline", metavar="NAME", help="The system that the others are compared with.")
@click.option(
    "--fetch-k",
    type=click.IntRange(1),
    metavar="N",
    help="Candidates asked of each leg, by default 200, or more if a window is wider.",
)
@by_option
@click.option(
    "--show",
    type=click.IntRange(0, _CONTRASTS),
    metavar="N",
    default=3,
    show_default=True,
    help="Topics to show of each system, those that differ most.",
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True, help="Of the tests.")
@output_option("--markdown", help="Write the comparison as Markdown.")
@output_option("--html", help="Write it as one page with plots, which needs no other file.")
@json_option
@debug_option
@click.pass_context
def compare(
    context: click.Context,
    judged: Judged,
    folders: tuple[Path, ...],
    names: tuple[str, ...],
    recorded: tuple[Path, ...],
    spelled: tuple[str, ...],
    runs: tuple[str, ...],
    baseline: str | None,
    fetch_k: int | None,
    by: Literal["document", "chunk"],
    show: int,
    seed: int,
    markdown: Path | None,
    html: Path | None,
    as_json: bool,
) -> None:
    """Compare systems and show how they differ."""
    from plait.cli.asking import asking
    from plait.cli.compared import show_comparison
    from plait.cli.console import output_console, working
    from plait.cli.measuring import Measuring
    from plait.cli.recorded import Asked, Kept
    from plait.evaluation import compare as compare_systems
    from plait.evaluation.report import comparison_dict, comparison_html, comparison_markdown

    if recorded and (folders or names):
        raise click.UsageError(
            "--recorded stands for a collection; leave out --in and --collection"
        )
    top_k = max(_TOP_K, *(measure.cutoff or 0 for measure in judged.measures))
    sources: Sequence[Source] = ()
    if recorded:
        sources = Kept.all_of(recorded)
    elif spelled or not runs:
        places = folders or (DEFAULT_FOLDER,)
        sources = Asked.all_of(places, names or (_DEFAULT_NAME,), fetch_k, by)
    systems = _systems(context, spelled, sources)
    if not recorded:
        _check_reach(fetch_k, systems)
    topics = judged.read_topics() if sources or judged.names_topics else None
    measuring = Measuring(topics, judged.read_qrels(), tuple(map(str, judged.measures)), top_k)
    evaluations = list(measuring.files(runs))
    planned = [
        source.prefix + each.name for source in sources for each in systems or every(source.legs)
    ]
    _check_names([*planned, *(each.name for each in evaluations)], baseline)
    with asking() as tell:
        asked = [measuring.systems(source, systems, tell) for source in sources]
        evaluations[:0] = chain.from_iterable(asked)
    with working("comparing"):
        comparison = compare_systems(
            evaluations,
            measure=measuring.measures,
            baseline=baseline,
            seed=seed,
            topics=topics,
            contrasts=_CONTRASTS,
        )
    for path, form in ((markdown, comparison_markdown), (html, comparison_html)):
        if path is not None:
            path.write_text(form(comparison), encoding="utf-8")
    if as_json:
        write_json(comparison_dict(comparison))
    else:
        show_comparison(output_console(), comparison, shown=show)


def _systems(
    context: click.Context, spelled: Sequence[str], sources: Sequence[Source]
) -> tuple[System, ...]:
    """The systems that were named, over the legs that any of the sources has."""
    option = next(each for each in context.command.params if each.name == "spelled")
    legs = tuple(dict.fromkeys(leg for source in sources for leg in source.legs))
    return read_systems(context, option, spelled, legs)


def _check_reach(fetch_k: int | None, systems: Sequence[System]) -> None:
    """Refuse fewer candidates than a window has."""
    widest = max((system.window or 0 for system in systems), default=0)
    if fetch_k is not None and fetch_k < widest:
        raise click.UsageError(
            f"--fetch-k is {fetch_k}, and a system has a window of {widest}; "
            f"give --fetch-k {widest} or more, or leave it out"
        )


def _check_names(names: Sequence[str], baseline: str | None) -> None:
    """Say in terms of the command line what the comparison would refuse."""
    for name, count in Counter(names).items():
        if count > 1:
            raise click.UsageError(
                f"{count} systems are called {name!r}; give them names: NAME={name}"
            )
    if len(names) < 2:
        raise click.UsageError(
            "one system cannot be compared; give two or more of --system and --run, or neither for "
            "default, dense and bm25"
        )
    if baseline is not None and baseline not in names:
        raise click.UsageError(f"--baseline is {baseline!r}, the systems are {', '.join(names)}")
