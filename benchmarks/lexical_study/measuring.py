"""One collection: the value of every query under every condition.

The collection is read as `plait index` reads it and analyzed once for each analyzer. Documents are
indexed whole and in the chunks that `plait index` makes; a document stands where its best chunk
stands.
"""

from __future__ import annotations

import random
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lexical_study.scoring import Floats, Ordinals, Scorer
from lexical_study.settings import Setting, settings
from plait.cli.choices import guess
from plait.evaluation import read_qrels, read_topics
from plait.evaluation.tuning.measure import CutMeasure
from plait.ingest import Document, Fields, Source, read, split, walk
from plait.lexical.bm25 import VARIANTS, Bm25
from plait.lexical.index import LexicalIndex
from plait.text import Analyzer
from plait.types import Chunk

MEASURES = ("nDCG@10", "R@200")
K1 = (0.3, 0.6, 0.9, 1.2, 1.5, 2.0)
B = (0.3, 0.4, 0.5, 0.6, 0.75, 0.9)
GRID = {f"k1={k1} b={b}": Bm25(k1, b) for k1, b in product(K1, B)}
# What everything is compared with.
DEFAULT = "k1=1.5 b=0.75"
FORMS = {name: replace(GRID[DEFAULT], variant=name) for name in VARIANTS}
POINTS = [*GRID.values(), *FORMS.values()]
UNITS = ("documents", "chunks")
# Settings of the analyzer that are tried with all points and for both units.
WHOLLY = ("plain", "language")
# The same questions to the same paragraphs in several languages are not several pieces of evidence.
PARALLEL = re.compile(r"(xquad)-(?:ar|de|en|hi|th|zh)")


@dataclass(frozen=True)
class Measured:
    """What was measured on one collection.

    Attributes:
        name: Its name.
        facts: What it is.
        queries: Ids of the queries.
        values: Shape (measures, points, queries), by what is indexed and the analyzer's setting.
            The points are ``POINTS`` for the settings tried wholly, ``DEFAULT`` for others.
    """

    name: str
    facts: Mapping[str, Any]
    queries: tuple[str, ...]
    values: Mapping[tuple[str, str], Floats]

    def at_points(self, units: str, setting: str) -> Floats:
        """At all points; a setting that the collection does not have makes no difference in it."""
        return self.values.get((units, setting), self.values[units, "plain"])

    def at_default(self, setting: str) -> Floats:
        """Whole documents with the default parameters, shape (measures, queries)."""
        values = self.at_points("documents", setting)
        return values[:, list(GRID).index(DEFAULT) if values.shape[1] > 1 else 0]


def measure(folder: Path, limit: int, seed: int) -> Measured:
    """Measure the collection in a folder with at most ``limit`` of its judged queries."""
    started = time.monotonic()
    source = next(item for item in walk([folder / "corpus.jsonl.gz"]) if isinstance(item, Source))
    language, _ = guess([source], Fields())
    documents = sorted(
        (item for item in read(source) if isinstance(item, Document)), key=lambda each: each.id
    )
    queries, judged = asked(folder, [document.id for document in documents], limit, seed)
    found = settings(None if language == "none" else language)
    sizes, values = {}, {}
    for units in UNITS:
        owners, texts = texts_of(documents, units)
        sizes[units] = len(texts)
        tried = {
            name: setting
            for name, setting in found.items()
            if units == "documents" or name in WHOLLY
        }
        for analyzer, sharing in by_analyzer(tried).items():
            index = LexicalIndex().added(map(analyzer.analyze, texts))
            for name, setting in sharing.items():
                points = POINTS if name in WHOLLY else [GRID[DEFAULT]]
                terms = [setting.ask(text) for text in queries.values()]
                values[units, name] = Scorer(index, owners, points).measure(
                    terms, judged, [CutMeasure.parse(each) for each in MEASURES]
                )
    print(f"{folder.name}: {time.monotonic() - started:.0f} s", flush=True)
    facts = {"family": family(folder.name), "language": language, **sizes, "queries": len(queries)}
    return Measured(folder.name, facts, tuple(queries), values)


def family(name: str) -> str:
    parallel = PARALLEL.fullmatch(name)
    return parallel[1] if parallel else name


def asked(
    folder: Path, documents: Sequence[str], limit: int, seed: int
) -> tuple[dict[str, str], list[dict[int, int]]]:
    """A sample of the answerable queries: their texts by id, and their grades by document."""
    place = {name: ordinal for ordinal, name in enumerate(documents)}
    topics = read_topics(folder / "queries.jsonl.gz")
    judged = {
        topic: {place[name]: grade for name, grade in grades.items() if name in place}
        for topic, grades in read_qrels(folder / "qrels.tsv").items()
        if topic in topics
    }
    sample = sorted(
        topic for topic, grades in judged.items() if any(g > 0 for g in grades.values())
    )
    if len(sample) > limit:
        sample = sorted(random.Random(seed).sample(sample, limit))
    texts = {topic: topics[topic].text or "" for topic in sample}
    return texts, [judged[topic] for topic in sample]


def texts_of(documents: Sequence[Document], units: str) -> tuple[Ordinals, list[str]]:
    """What is indexed: the document that each text is of, and the texts."""
    cut = split if units == "chunks" else whole
    pairs = [
        (owner, chunk.index_text)
        for owner, document in enumerate(documents)
        for chunk in cut(document)
    ]
    return np.array([owner for owner, _ in pairs]), [text for _, text in pairs]


def whole(document: Document) -> list[Chunk]:
    return [Chunk(document.text, title=document.title)]


def by_analyzer(found: Mapping[str, Setting]) -> dict[Analyzer, dict[str, Setting]]:
    """The settings that share what is indexed."""
    sharing: dict[Analyzer, dict[str, Setting]] = defaultdict(dict)
    for name, setting in found.items():
        sharing[setting.analyzer][name] = setting
    return sharing
