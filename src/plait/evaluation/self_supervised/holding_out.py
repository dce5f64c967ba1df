"""Held-out sentences: questions that a collection asks about itself."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

from plait.collection import Snapshot
from plait.text import Analyzer
from plait.text.sentences import sentences
from plait.types import Chunk

__all__ = ["HeldOut", "hold_out"]

_FEWEST, _MOST = 4, 60  # terms of a sentence that says something and is no paragraph
_LEFT = 20  # characters that a chunk must keep, or there is nothing to be found
_WORDS = 12  # words of a chunk without sentences from which a run of words can be taken
_WORD = re.compile(r"\S+")
_BATCH = 256


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A sentence that was taken out of a chunk, and what is left of the chunk.

    Attributes:
        sentence: The sentence, which is asked.
        rest: The chunk without it, which is to be found.
    """

    sentence: str
    rest: Chunk


def hold_out(
    view: Snapshot, analyzer: Analyzer, count: int, *, seed: int = 0
) -> tuple[HeldOut, ...]:
    """Take a sentence out of each of some chunks.

    Which chunks, and which of their sentences, is chosen at random. Out of a chunk without
    sentences, such as a short description, a third of its words is taken in one run. Chunks that
    are too short for both are passed over.

    Args:
        view: The collection's state.
        analyzer: That of the collection; it says how many terms a sentence has.
        count: How many at most; fewer if there are fewer such chunks.
        seed: Of the choice. The same chunks and seed give the same sentences, in whatever order
            the chunks were added.
    """
    chooser = random.Random(seed)
    ids = view.ids()
    chooser.shuffle(ids)
    taken: list[HeldOut] = []
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        found = view.chunks(some)
        for identity in some:
            held = _held_out(found[identity], analyzer, chooser)
            if held is not None:
                taken.append(held)
            if len(taken) == count:
                return tuple(taken)
    return tuple(taken)


def _held_out(chunk: Chunk, analyzer: Analyzer, chooser: random.Random) -> HeldOut | None:
    """A chunk with one of its sentences taken out, None if none can be."""
    text = chunk.content
    parts = list(sentences(text))
    if len(parts) == 1:
        parts = _run(text, chooser)
    chooser.shuffle(parts)
    for start, end in parts:
        if not _FEWEST <= len(analyzer.query_terms(text[start:end])) <= _MOST:
            continue
        rest = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
        if len(rest) >= _LEFT and analyzer.query_terms(rest):  # a line of dashes is not found
            return HeldOut(text[start:end], replace(chunk, content=rest, embedding=None))
    return None


def _run(text: str, chooser: random.Random) -> list[tuple[int, int]]:
    """A third of the words, in one run; nothing of a text with few."""
    words = list(_WORD.finditer(text))
    if len(words) < _WORDS:
        return []
    length = len(words) // 3
    first = chooser.randrange(len(words) - length + 1)
    return [(words[first].start(), words[first + length - 1].end())]
