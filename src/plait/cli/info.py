"""plait info: what a folder of collections holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from plait.cli.json_output import write_json
from plait.cli.options import DEFAULT_FOLDER, debug_option, json_option
from plait.cli.versions import versions
from plait.errors import ConfigurationError, PlaitError
from plait.printable import printable

__all__ = ["info"]


@click.command()
@click.argument(
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=False,
    metavar="[FOLDER]",
)
@click.option(
    "--in",
    "named",
    type=click.Path(file_okay=False, path_type=Path),
    help="The same as FOLDER, as other commands have it.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Read everything, say what is damaged; exit 1 if anything is.",
)
@json_option
@debug_option
def info(folder: Path | None, named: Path | None, verify: bool, as_json: bool) -> None:
    """Show the collections in FOLDER, by default .plait.

    Counts, size, settings, embedder, versions; no model is loaded.
    """
    from plait.collection import collections, describe
    from plait.collection import verify as verified
    from plait.kernels import native

    if folder is not None and named is not None:
        raise click.UsageError(f"give {folder} or --in {named}, not both")
    folder = folder or named or DEFAULT_FOLDER
    names = collections(folder)
    if not names:
        raise ConfigurationError(
            f"there is no collection in {folder}; make one with: plait index PATHS --to {folder}"
        )
    described: list[Mapping[str, Any]] = []
    damaged: list[PlaitError] = []
    for name in names:
        try:
            found = dict(describe(folder, name))
            if verify:
                found["problems"] = list(verified(folder, name))
            described.append(found)
        except PlaitError as error:
            damaged.append(error)
    if as_json:
        kernels = native.describe()
        write_json({"collections": described, "kernels": kernels, "versions": versions()})
    else:
        for collection in described:
            click.echo("\n".join(_lines(collection)) + "\n")
        shown = ", ".join(f"{name} {number}" for name, number in versions().items())
        click.echo(f"kernels: {native.describe()}")
        click.echo(f"versions: {shown}")
    for each in damaged[:-1]:
        click.echo(printable(f"plait: {each}"), err=True)
    if damaged:
        raise damaged[-1]
    if any(collection.get("problems") for collection in described):
        raise SystemExit(1)


def _lines(described: Mapping[str, Any]) -> Iterator[str]:
    from plait.cli.choices import stored_language

    yield f"collection {printable(described['name'])}"
    yield f"  file        {printable(described['path'])}"
    yield f"  size        {_size(described['bytes'])}"
    yield f"  chunks      {described['chunks']:,}"
    yield f"  documents   {described['documents']:,}"
    for name, place in described["roots"].items():
        yield f"  root        {printable(name)}: {printable(place)}"
    yield f"  generation  {described['generation']:,}"
    yield f"  embedder    {_embedder(described)}"
    yield f"  language    {stored_language(described)}"
    for name in ("analyzer", "bm25", "metric", "chunking", "fusion", "window"):
        yield f"  {name:<10}  {printable(str(described[name]))}"
    yield from _tuning(described)
    yield f"  index       {_index(described)}"
    calibration = described["calibration"]
    if calibration is not None:
        yield f"  candidates  {_calibration(calibration)}"
    yield f"  format      {described['format']}"
    if "problems" in described:
        if not described["problems"]:
            yield "  verified    everything is as it was written"
        for problem in described["problems"]:
            yield f"  damaged     {printable(problem)}"


def _tuning(described: Mapping[str, Any]) -> Iterator[str]:
    """What the fusion ``auto`` goes by, and what is wrong with that."""
    from plait.collection.settings import PRIOR
    from plait.fusion import Auto

    tuning = described["tuning"]
    is_auto = described["fusion"].startswith(f"{Auto.name}(")
    if tuning is None:
        if is_auto and described["dim"] is not None:
            yield f"  tuning      none: {_weights(PRIOR)}; plait tune --self learns them"
        return
    shown = f"{_weights(tuning['weights'])}; {tuning['fusion']} over {tuning['window']} candidates"
    yield f"  tuning      {printable(shown)}"
    evidence = tuning["evidence"]
    count = evidence.get("sentences", evidence.get("topics"))
    by = " ".join(str(each) for each in (count, evidence.get("by")) if each is not None)
    if by and evidence.get("queries"):
        by += f" weighted to resemble {evidence['queries']} queries"
    at = f"generation {evidence['generation']}" if "generation" in evidence else ""
    if by or at:
        yield f"              by {printable(', '.join(filter(None, (by, at))))}"
    if not is_auto:
        yield "              not used: only --fusion auto goes by it"
    if tuning["stale"] is not None:
        yield f"              stale: {tuning['stale']}; plait tune makes it anew"


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{leg} {weight:g}" for leg, weight in weights.items())


def _embedder(described: Mapping[str, Any]) -> str:
    if described["dim"] is None:
        return "none: searched by words only"
    identity = described["embedder_identity"]
    if identity is None:
        return f"none: chunks bring their vectors, dim {described['dim']}"
    name = described["embedder"] or "a function"
    limit = identity["max_tokens"] or "all"
    return printable(
        f"{name} (model {identity['model']}, dim {identity['dim']}, reads {limit} tokens, "
        f"weights {identity['weights']:.24})"
    )


def _index(described: Mapping[str, Any]) -> str:
    """Where the index is: in files, and in memory what is in none yet."""
    segments, rest = described["segments"], described["indexed_in_memory"]
    parts = []
    if segments:
        chunks = sum(each["chunks"] for each in segments)
        size = _size(sum(each["bytes"] for each in segments))
        parts.append(
            f"{len(segments)} segment{'s' * (len(segments) > 1)} ({chunks:,} chunks, {size})"
        )
    if rest or not segments:
        parts.append(f"{rest:,} chunks in memory, made by each process")
    return "; ".join(parts)


def _calibration(values: Mapping[str, Any]) -> str:
    """How many vectors are compared in full, and what that finds."""
    if values["candidates"] is None:
        return "all vectors are compared"
    return (
        f"{values['candidates']:,} vectors are compared in full; at {values['fetch_k']} that finds "
        f"at least {values['recall']:.1%} of the best, measured on {values['queries']} "
        f"{values['measured_on']}"
    )


def _size(count: int) -> str:
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
