"""Writing runs for trec_eval."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from os import fspath
from pathlib import Path

import numpy as np

from plait.errors import ConfigurationError
from plait.evaluation.lines import FilePath
from plait.evaluation.run import Run, RunRanking

__all__ = ["write_run"]

_BLANK = re.compile(r"[\s\0]")


def write_run(run: Run, path: FilePath) -> None:
    """Write a run as ``topic Q0 document rank score tag``, in the order that it has.

    trec_eval goes by the scores alone, as single-precision floats, and orders equal ones by the
    document's id. So a score that would not be below the one above it is written as the next
    smaller single-precision float: equal scores end up in the order of the run. Of a document that
    stands twice the best place is written.

    Args:
        run: The run; blanks in its name become ``_`` in the tag.
        path: Where to; compressed by gzip if it ends in ``.gz``. An existing file is replaced.

    Raises:
        ConfigurationError: An id with white space in it, which the format cannot hold.
        OSError: The file cannot be written.
    """
    for topic, ranking in run.rankings.items():
        for identity in (topic, *(document for document, _ in ranking)):
            if _BLANK.search(identity):
                raise ConfigurationError(
                    f"the id {identity!r:.80} has white space in it, which a TREC run cannot hold; "
                    "its columns are separated by blanks"
                )
    tag = _BLANK.sub("_", run.name)
    text = "".join(
        f"{topic} Q0 {document} {rank} {score:.9g} {tag}\n"
        for topic, ranking in run.rankings.items()
        for rank, (document, score) in enumerate(_descending(ranking), start=1)
    )
    data = text.encode()
    Path(path).write_bytes(gzip.compress(data, mtime=0) if fspath(path).endswith(".gz") else data)


def _descending(ranking: RunRanking) -> Iterator[tuple[str, float]]:
    """Each document once, with single-precision scores of which each is below the one above."""
    best: dict[str, float] = {}
    for document, score in ranking:
        best.setdefault(document, score)
    limit = float(np.finfo(np.float32).max)
    singles = np.clip(np.array(list(best.values()), dtype=np.float64), -limit, limit)
    scores = singles.astype(np.float32).tolist()
    above = None
    down = np.float32(-np.inf)
    for place, score in enumerate(scores):
        if above is not None and not score < above:
            with np.errstate(over="ignore"):
                scores[place] = float(np.nextafter(np.float32(above), down))
        above = scores[place]
    if not np.isfinite(scores).all():  # there is no room below the lowest float
        scores = [float(len(scores) - place) for place in range(len(scores))]
    yield from zip(best, scores, strict=True)
