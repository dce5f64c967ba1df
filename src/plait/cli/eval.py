"""plait eval: how well a collection, or a run of another system, answers judged questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from plait.cli.existing import open_existing
from plait.cli.json_output import write_json
from plait.cli.judged import Judged, by_option, judged_options
from plait.cli.options import (
    collection_option,
    debug_option,
    folder_option,
    json_option,
    output_option,
)
from plait.cli.query_options import (
    fetch_k_option,
    fill_option,
    filter_option,
    fusion_option,
    legs_option,
    weights_option,
)
from plait.cli.systems import System
from plait.errors import ConfigurationError

if TYPE_CHECKING:
    from plait.evaluation import Evaluation, Recording
    from plait.hybrid import HybridRetriever

__all__ = ["eval_command"]

_TOP_K = 100

_HELP = """\
Measure how well the collection answers judged questions.

\b
plait eval --data judged/
plait eval --topics questions.tsv --qrels judged.txt --fusion 'rrf(k=60)'
plait eval --run other.run --qrels judged.txt

Judgments name documents: a document stands where its best chunk does. Every topic with judgments
counts, one without results 0. The intervals hold the mean with 95 % confidence, by bootstrap over
the topics.

With --run no collection is asked: the results of another system are measured, from a file in TREC's
format.
"""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """How the collection is to be asked; None for as it is set up."""

    fusion: str | None
    weights: Mapping[str, float] | None
    legs: tuple[str, ...]
    fetch_k: int | None
    filter: dict[str, Any] | None
    fill: bool
    by: Literal["document", "chunk"]

    def system(self, name: str, hybrid: HybridRetriever) -> System:
        """The same with what is not chosen taken from the hybrid.

        Raises:
            click.UsageError: A leg that is not there, weights that cannot be.
        """
        from plait.fusion import resolve_weights

        there = [str(leg.name) for leg in hybrid.legs]
        for leg in self.legs:
            if leg not in there:
                raise click.UsageError(f"there is no leg {leg!r}; the legs are {', '.join(there)}")
        if len(set(self.legs)) == 1:
            window = self.fetch_k or hybrid.fetch_k or hybrid.window
            return System(name, leg=self.legs[0], window=window)
        try:
            fusing = hybrid.fusing(self.fusion, self.weights)
            weights = {
                leg: weight if leg in (self.legs or there) else 0.0
                for leg, weight in fusing.weights.items()
            }
            resolve_weights(weights, there)
        except ConfigurationError as error:
            raise click.UsageError(str(error)) from error
        return System(
            name,
            fusion=str(fusing.fusion),
            weights=weights,
            window=self.fetch_k or hybrid.fetch_k or fusing.window,
            fill=self.fill,
        )


@click.command("eval", help=_HELP)
@judged_options
@folder_option("--in", "Folder of the collection.")
@collection_option
@fusion_option
@weights_option
@legs_option
@fetch_k_option
@filter_option
@fill_option
@by_option
@click.option(
    "--run",
    "run_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Measure this run, in TREC's format, instead of a collection.",
)
@click.option("--name", metavar="NAME", help="Name of the system, in the table and in --run-out.")
@output_option("--run-out", help="Write the results as a run for trec_eval.")
@output_option(
    "--record",
    "record_file",
    help="Keep what every leg returned, to try fusions on it later without running a leg.",
)
@click.option("--per-topic", is_flag=True, help="Show each topic, the worst first.")
@json_option
@debug_option
def eval_command(
    judged: Judged,
    folder: Path,
    collection: str,
    fusion: str | None,
    weights: dict[str, float] | None,
    legs: tuple[str, ...],
    fetch_k: int | None,
    keep: dict[str, Any] | None,
    fill: bool,
    by: Literal["document", "chunk"],
    run_file: Path | None,
    name: str | None,
    run_out: Path | None,
    record_file: Path | None,
    per_topic: bool,
    as_json: bool,
) -> None:
    """Measure a collection or a run, and show the figures."""
    from plait.cli.console import output_console
    from plait.cli.evaluated import evaluation_dict, show_evaluation
    from plait.evaluation import write_run

    asked: dict[str, Any] = {}
    chosen = _Chosen(fusion, weights, legs, fetch_k, keep, fill, by)
    if run_file is not None:
        _refuse_with_run(chosen, record_file)
        found = _measure_file(judged, run_file, name)
    else:
        found, asked = _measure_collection(
            judged, folder, collection, chosen, name or collection, record_file
        )
    if as_json:
        write_json(evaluation_dict(found, asked, per_topic=per_topic))
    else:
        topics = judged.read_topics() if per_topic and judged.names_topics else {}
        show_evaluation(output_console(), found, asked, topics, per_topic=per_topic)
    if run_out is not None:  # last: ids that a run cannot hold must not cost the figures
        write_run(found.run, run_out)


def _refuse_with_run(chosen: _Chosen, record_file: Path | None) -> None:
    """A run is measured as it is."""
    given = {
        "--fusion": chosen.fusion,
        "--weights": chosen.weights,
        "--leg": chosen.legs,
        "--fetch-k": chosen.fetch_k,
        "--filter": chosen.filter,
        "--fill": chosen.fill,
        "--record": record_file,
    }
    for option, value in given.items():
        if value:
            raise click.UsageError(f"{option} is for a collection, and --run measures a file")


def _measure_file(judged: Judged, path: Path, name: str | None) -> Evaluation:
    from plait.evaluation import read_run, score_run

    qrels = judged.read_qrels()
    topics = judged.read_topics() if judged.names_topics else None
    run = read_run(path, name=name)
    return score_run(run, qrels, [str(each) for each in judged.measures], topics=topics)


def _measure_collection(
    judged: Judged,
    folder: Path,
    collection: str,
    chosen: _Chosen,
    name: str,
    record_file: Path | None,
) -> tuple[Evaluation, dict[str, Any]]:
    """The figures, and how the collection was asked."""
    from plait.cli.asking import asking
    from plait.cli.measuring import Measuring
    from plait.evaluation import record
    from plait.evaluation.scoring import ir_measures, measurable

    topics, qrels, measures = judged.read()
    top_k = max(_TOP_K, *(measure.cutoff or 0 for measure in measures))
    ir_measures()
    asked = measurable(topics, qrels)
    with open_existing(folder, collection) as opened, opened.snapshot() as view:
        system = chosen.system(name, view.retriever())
        with asking() as progress:
            recording = record(
                view,
                asked,
                fetch_k=int(system.window or _TOP_K),
                filter=chosen.filter,
                by=chosen.by,
                progress=progress,
                fill=system.fill,
            )
    if record_file is not None:
        recording.save(record_file)
    measuring = Measuring(topics, qrels, tuple(map(str, measures)), top_k)
    return measuring.score(system, recording), _asked(system, recording, folder, collection)


def _asked(system: System, recording: Recording, folder: Path, collection: str) -> dict[str, Any]:
    """How the collection was asked, as JSON values."""
    return {
        "folder": str(folder),
        "collection": collection,
        "generation": recording.origin["generation"],
        "leg": system.leg,
        "fusion": system.fusion,
        "weights": None if system.weights is None else dict(system.weights),
        "fetch_k": recording.fetch_k,
        "fill": system.fill,
    }
