"""Tuning a collection that is there: asking it, and storing what was found."""

from __future__ import annotations

from pathlib import Path

import click

from plait.cli.asking import asking
from plait.cli.existing import open_existing
from plait.collection import Tuning
from plait.collection import open as open_collection
from plait.evaluation import (
    Qrels,
    Recording,
    SelfTuning,
    Topics,
    read_queries,
    record,
    tune_self,
)
from plait.evaluation.scoring import measurable
from plait.fusion import Auto
from plait.printable import printable

__all__ = ["ask_itself", "record_labelled", "store"]

_LOGGED = 1000  # queries of a log that are asked; more change little


def record_labelled(
    folder: Path, collection: str, topics: Topics, qrels: Qrels, fetch_k: int
) -> Recording:
    """What the legs return for the topics that have judgments."""
    labelled = measurable(topics, qrels)
    with open_existing(folder, collection) as opened, opened.snapshot() as view:
        hybrid = view.retriever()
        fetch_k = max(fetch_k, hybrid.fetch_k or hybrid.fusing().window)
        with asking() as progress:
            return record(view, labelled, fetch_k=fetch_k, progress=progress)


def ask_itself(
    folder: Path, collection: str, queries: Path | None, sentences: int, seed: int
) -> SelfTuning:
    """What the collection's own sentences speak for."""
    asked = None if queries is None else read_queries(queries, limit=_LOGGED, seed=seed)
    with open_existing(folder, collection) as opened, asking() as progress:
        return tune_self(opened, queries=asked, count=sentences, seed=seed, progress=progress)


def store(
    tuning: Tuning | None, folder: Path, collection: str, *, apply: bool, file: Path | None
) -> list[str]:
    """Store a tuning where it was asked for; says where it is now."""
    stored: list[str] = []
    if tuning is None:
        return stored
    if file is not None:
        tuning.write(file)
        stored.append(str(file))
    if apply:
        with open_collection(folder, collection) as opened:
            opened.apply(tuning)
            stored.append(str(opened.path))
            if not isinstance(opened.settings.fusion, Auto):
                said = f"plait: the fusion of the collection is {opened.settings.fusion}"
                click.echo(
                    printable(f"{said}: only --fusion auto goes by what is stored"), err=True
                )
    return stored
