"""A collection: its documents as chunks, its judged questions, and the family it belongs to."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plait import Chunk
from plait.evaluation import Qrels, Topics, read_qrels, read_topics


@dataclass(frozen=True)
class Collection:
    """A document is a chunk: the study is of fusion, not of cutting."""

    name: str
    chunks: Sequence[Chunk]
    topics: Topics
    qrels: Qrels

    @property
    def family(self) -> str:
        return family(self.name)


def family(name: str) -> str:
    """Parallel collections are one family: as evidence they are little more than one of them."""
    base, _, languages = name.rpartition("-")
    if base == "xquad":
        return "xquad cross-lingual" if "2" in languages else "xquad"
    return name


def read_collection(folder: Path, limit: int, seed: int) -> Collection:
    """The collection in a folder, with at most ``limit`` of its answerable questions."""
    chunks = [
        Chunk(line["text"], id=line["_id"], title=line.get("title") or None)
        for line in read_lines(folder / "corpus.jsonl.gz")
    ]
    topics = read_topics(folder / "queries.jsonl.gz")
    qrels = read_qrels(folder / "qrels.tsv")
    known = {chunk.id for chunk in chunks}
    asked = [topic for topic in topics if answerable(qrels.get(topic, {}), known)]
    if len(asked) > limit:
        places = np.random.default_rng(seed).permutation(len(asked))[:limit]
        asked = [asked[place] for place in sorted(places)]
    return Collection(
        folder.name,
        chunks,
        Topics({topic: topics[topic] for topic in asked}),
        Qrels({topic: qrels[topic] for topic in asked}),
    )


def answerable(grades: Mapping[str, int], known: set[str | None]) -> bool:
    return any(grade > 0 and document in known for document, grade in grades.items())


def read_lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
