"""Legs that name the same chunks differently, so that their hits never become one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations

from plait.evaluation.diagnosis.case import LITTLE, Case
from plait.evaluation.diagnosis.finding import Finding
from plait.types import Chunk

__all__ = ["identity"]


def identity(case: Case) -> Iterator[Finding]:
    """Two legs without a single hit in common, over all queries together.

    Legs over one set of chunks, however different, meet somewhere in ten or more windows. If they
    never do, each has names of its own for the chunks: no hit is ever confirmed by another leg,
    and chunks come back twice. Where the chunks are at hand, what else would make them one is said;
    if nothing would, the legs search different texts, which may be meant.
    """
    for first, second in combinations(case.legs, 2):
        topics, ours, theirs = 0, dict[str, None](), dict[str, None]()
        for _, one, other in case.both(first, second):
            topics += 1
            ours.update(dict.fromkeys(filter(None, one.ids)))
            theirs.update(dict.fromkeys(filter(None, other.ids)))
        if topics < LITTLE or not ours.keys().isdisjoint(theirs):
            continue
        yield _finding(case, first, second, topics, list(ours), list(theirs))


def _finding(
    case: Case, first: str, second: str, topics: int, ours: list[str], theirs: list[str]
) -> Finding:
    alike = _alike(case, ours, theirs)
    best = max(alike, key=lambda name: alike[name], default=None)
    shown = [ids[:3] for ids in (ours, theirs)]
    named = " and ".join(
        f"{leg} has {', '.join(map(repr, ids))}"
        for leg, ids in zip((first, second), shown, strict=True)
    )
    summary = f"{first} and {second} have not one hit in common over {topics:,} queries: {named}"
    if best is not None and alike[best]:
        summary += f"; by {best}, {alike[best]:,} of them are the same"
    return Finding(
        kind="identity",
        severity="info" if best is not None and not alike[best] else "problem",
        legs=(first, second),
        summary=summary,
        advice=_ADVICE[best if best is None or alike[best] else "nothing"],
        figures={
            "queries": topics,
            "ids": {first: len(ours), second: len(theirs)},
            "examples": dict(zip((first, second), shown, strict=True)),
            "same_by": alike,
        },
    )


_ADVICE: Mapping[str | None, str] = {
    None: (
        "If both search the same chunks, let both return the same ids. If they search different "
        "texts, this is as it should be."
    ),
    "nothing": (
        "Neither document and index nor content brings them together, so the legs search "
        "different texts. If they should not, index both from the same chunks."
    ),
    "document": (
        "One leg returns documents, the other chunks of them: let both return the same unit, or "
        "give the hybrid key=, a function from chunk to document id."
    ),
    "document and index": (
        "Let both legs return the same ids, or return chunks without ids of their own: plait then "
        "goes by document id and index. key= on the hybrid does the same."
    ),
    "content": (
        "Let both legs return the same ids, or give the hybrid key=lambda chunk: chunk.content."
    ),
}


def _alike(case: Case, ours: list[str], theirs: list[str]) -> dict[str, int]:
    """How many hits would be the same as one of the other leg, by other keys than the id.

    Empty if nothing but the ids is at hand.
    """
    documents = case.recording.documents
    alike = {}
    for ids, others in ((ours, theirs), (theirs, ours)):
        meeting = {documents.get(name, name) for name in ids}.intersection(others)
        if meeting:
            alike["document"] = len(meeting)
    chunks = case.background.chunks
    left, right = ([chunks[name] for name in ids if name in chunks] for ids in (ours, theirs))
    if left and right:
        for label, key in (("document and index", _place), ("content", _content)):
            known = {key(chunk) for chunk in left} - {None}
            alike[label] = sum(key(chunk) in known for chunk in right)
    return alike


def _place(chunk: Chunk) -> Hashable:
    document = chunk.document_id or chunk.source_path or chunk.source_uri
    return None if document is None or chunk.index is None else (document, chunk.index)


def _content(chunk: Chunk) -> Hashable:
    return " ".join(chunk.content.split()) or None
