"""Queries where there are none: sentences and titles of the collection's own chunks."""

from __future__ import annotations

import random
from collections.abc import Iterator

from plait.collection import Snapshot
from plait.evaluation.topics import Topics
from plait.text.sentences import sentences
from plait.types import Chunk

__all__ = ["sample_topics"]

_SHORTEST, _LONGEST = 12, 200  # characters of a sentence that can stand for a query
_TEXT = 0.6  # share of letters and digits in it, so that no line of a table is asked
_MARKUP = " \t#*|>-+_`"
_TITLES = 0.25  # share of chunks that are asked for by title or heading, if they have one


def sample_topics(view: Snapshot, count: int = 100, *, seed: int = 0) -> Topics:
    """Sentences and titles out of chunks, as queries.

    They are easier than what users ask: every word of them is in some chunk. What is broken shows
    with them all the same; how often users ask in another language, or for what is not there,
    does not.

    Args:
        view: The collection's state.
        count: How many at most, >= 1; fewer if there are fewer chunks with a sentence.
        seed: Of the choice. The same chunks and seed give the same topics, whatever the order in
            which the chunks were added.

    Returns:
        Topics whose ids are those of the chunks, one per chunk, no text twice.
    """
    chooser = random.Random(seed)
    ids = view.ids()
    chooser.shuffle(ids)
    queries: dict[str, str] = {}
    while ids and len(queries) < count:
        some = [ids.pop() for _ in range(min(len(ids), count))]
        found = view.chunks(some)
        for identity in some:
            text = _ask(found[identity], chooser)
            if text and text not in queries.values() and len(queries) < count:
                queries[identity] = text
    return Topics(queries)


def _ask(chunk: Chunk, chooser: random.Random) -> str | None:
    """A title, a heading or a sentence of a chunk, None if it has none that can be asked."""
    named = [text for text in (chunk.title, chunk.section) if text]
    if named and chooser.random() < _TITLES:
        return named[-1].split(" > ")[-1]
    found = list(_askable(chunk.content))
    return chooser.choice(found) if found else None


def _askable(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        sentence = " ".join(text[start:end].strip(_MARKUP).split())
        if not _SHORTEST <= len(sentence) <= _LONGEST:
            continue
        if sum(map(str.isalnum, sentence)) >= _TEXT * len(sentence):
            yield sentence
