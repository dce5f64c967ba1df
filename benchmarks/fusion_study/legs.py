"""The legs of a collection of plait: what BM25 and a dense leg return for its questions."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

import plait
from fusion_study.inputs import Collection
from fusion_study.vectors import Remembering
from plait import Chunk, Ranking
from plait.collection import Snapshot
from plait.evaluation import Qrels, Recording, Topics, record
from plait.evaluation.self_supervised import hold_out
from plait.text import Analyzer

DEPTH = 200

# The simulated leg: how far a relevant document rises, in standard deviations of the best cosines.
RISE = 2.0


@contextmanager
def indexed(
    collection: Collection, analyzer: Analyzer, embedder: Remembering
) -> Iterator[Snapshot]:
    """The collection as plait has it, with the default settings but for the language."""
    with (
        tempfile.TemporaryDirectory() as folder,
        plait.open(folder, embedder=embedder, analyzer=analyzer) as kb,
    ):
        kb.add(collection.chunks)
        with kb.snapshot() as snapshot:
            yield snapshot


def run_legs(snapshot: Snapshot, collection: Collection) -> Recording:
    return record(snapshot, collection.topics, fetch_k=DEPTH, fill=True)


def known_words(snapshot: Snapshot, analyzer: Analyzer, collection: Collection) -> float:
    """The part of the questions' words that some document has, on average over questions."""
    parts = []
    for query in collection.topics.values():
        terms = set(analyzer.query_terms(query.text or ""))
        if terms:
            parts.append(len(snapshot.term_weights(query.text or "")) / len(terms))
    return sum(parts) / len(parts)


def ask_sentences(
    snapshot: Snapshot, analyzer: Analyzer, count: int, seed: int
) -> tuple[Recording, dict[str, Chunk]]:
    """Sentences taken out of chunks, as ``plait tune --self`` asks them, and what was left."""
    held = hold_out(snapshot, analyzer, count, seed=seed)
    rest = {str(each.rest.id): each.rest for each in held}
    topics = Topics({str(each.rest.id): each.sentence for each in held})
    changed = snapshot.exchanging(list(rest.values()))
    return record(changed, topics, fetch_k=DEPTH, by="chunk"), rest


@dataclass(frozen=True)
class Booster:
    """Simulates a strong dense leg: relevant documents rise, some a little and some far.

    A relevant document's cosine is raised by ``RISE`` standard deviations of the query's best 200
    cosines, times a factor that is exponentially distributed with mean 1, seeded by query and
    document. The same is done to questions that people asked and to sentences taken out of chunks,
    so that what is learned from the second can see it.
    """

    embedder: Remembering
    chunks: Sequence[Chunk]

    def boost(
        self, recording: Recording, qrels: Qrels, exchanged: Mapping[str, Chunk] | None = None
    ) -> Recording:
        """The recording with its dense leg boosted; ``exchanged`` are chunks in others' place."""
        chunks = [(exchanged or {}).get(str(chunk.id), chunk) for chunk in self.chunks]
        ids = [str(chunk.id) for chunk in chunks]
        places = {name: place for place, name in enumerate(ids)}
        vectors = self.embedder.embed_passages([chunk.index_text for chunk in chunks])
        rankings = {}
        for topic, query in recording.topics.items():
            scores = vectors @ self.embedder.embed_query(query.text or "")
            unit = np.sort(scores)[-DEPTH:].std()
            for name, grade in qrels[topic].items():
                if grade > 0 and name in places:
                    scores[places[name]] += RISE * unit * luck(topic, name)
            rankings[topic] = (ranked(ids, scores), recording.rankings[topic][1])
        return replace(recording, rankings=rankings, filled={})


def ranked(ids: Sequence[str], scores: np.ndarray) -> Ranking:
    best = np.argsort(-scores, kind="stable")[:DEPTH]
    return Ranking(
        "dense",
        tuple(ids[place] for place in best),
        tuple(scores[best].tolist()),
        score_range=(-1.0, 1.0),
    )


def luck(topic: str, document: str) -> float:
    """How far this document rises for this query, the same whenever it is asked."""
    seed = zlib.crc32(f"{topic}\t{document}".encode())
    return float(np.random.default_rng(seed).exponential())
