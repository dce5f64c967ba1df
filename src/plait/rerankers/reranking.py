"""Reranking: what a reranker decided, checked once at the boundary, and what becomes of the hits.

A reranker's order is final: nothing behind it sorts the hits again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from plait.errors import ContractError
from plait.types import Chunk, Hit

__all__ = ["Reranking", "apply_reranking", "to_reranking"]

_FORMS = (
    "expected one score for each chunk (None where it has none), (position, score) pairs best "
    "first, chunks or (chunk, score) pairs best first, or a Reranking"
)


@dataclass(frozen=True, slots=True)
class Reranking:
    """What a reranker decided about the chunks it was given, checked when it is built.

    Args:
        order: Positions of chunks, from 0, best first, none twice; may be a part of them. Those
            that it leaves out were not reranked.
        scores: The reranker's score for each position in ``order``, None where it gave none; empty
            for an order without scores. The order need not follow them.
        reranker: Name of the reranker.
        notes: What a reader of the result should know.

    Raises:
        ContractError: A position that is not an int >= 0 or is there twice, scores of another
            number, a score that is NaN, infinite, bool or not a number; names the reranker
            and the place in its answer.

    Example:
        >>> Reranking((2, 0), (0.9, 0.4)).scores
        (0.9, 0.4)
        >>> Reranking((1, 0)).scores
        (None, None)
    """

    order: tuple[int, ...]
    scores: tuple[float | None, ...] = ()
    reranker: str = "reranker"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        order, scores = tuple(self.order), tuple(self.scores)
        if scores and len(scores) != len(order):
            raise self._error(f"{len(order)} positions and {len(scores)} scores, expected as many")
        seen: set[int] = set()
        for place, position in enumerate(order, start=1):
            if not isinstance(position, int | np.integer) or isinstance(position, bool):
                raise self._error(f"position {position!r:.60} at place {place}, expected an int")
            if position < 0:
                raise self._error(f"position {position} at place {place}, expected 0 or more")
            if position in seen:
                raise self._error(f"position {position} at place {place} is there twice")
            seen.add(int(position))
        checked = (self._score(score, place) for place, score in enumerate(scores, start=1))
        object.__setattr__(self, "order", tuple(map(int, order)))
        object.__setattr__(self, "scores", tuple(checked) or (None,) * len(order))

    def _score(self, score: Any, place: int) -> float | None:
        if score is None:
            return None
        # bool is an int in Python, and a reranker that answers True has not scored anything.
        if isinstance(score, int | float | np.integer | np.floating) and type(score) is not bool:
            try:
                number = float(score)
            except OverflowError:
                number = math.inf
            if math.isfinite(number):
                return number
        raise self._error(
            f"score {score!r:.60} at place {place}, expected a finite number, or None where there "
            "is no score"
        )

    def _error(self, what: str) -> ContractError:
        return ContractError(f"reranker {self.reranker!r}: {what}", self.reranker)


def to_reranking(answer: Any, chunks: Sequence[Chunk], reranker: str) -> Reranking:
    """Check and convert what a reranker returned.

    Args:
        answer: One of

            - one number for each chunk, in their order, None for a chunk that has none, as any
              iterable or array of shape (n,): they are put in order by score, equal ones as given;
            - ``(position, score)`` pairs, best first, for any of them;
            - the chunks themselves, best first, or ``(chunk, score)`` pairs, for any of them;
            - a ``Reranking``, which is how to give an order of positions without scores.

        chunks: What the reranker was given.
        reranker: Its name.

    Raises:
        ContractError: Something else; another number of scores than chunks; a position out of
            range or twice; a chunk that it was not given; a score that is NaN, infinite or bool;
            ints that may be scores or positions (each of 0 to n - 1 once). Names the reranker
            and the place in its answer, from 1.

    Example:
        >>> chunks = [Chunk("a"), Chunk("b"), Chunk("c")]
        >>> to_reranking([0.1, None, 0.7], chunks, "mine").order
        (2, 0)
        >>> to_reranking([(1, 4.0)], chunks, "mine")
        Reranking(order=(1,), scores=(4.0,), reranker='mine', notes=())
        >>> to_reranking([chunks[2], chunks[0], chunks[1]], chunks, "mine").scores
        (None, None, None)
    """
    if isinstance(answer, Reranking):
        return _in_range(replace(answer, reranker=reranker), len(chunks))
    entries = _entries(answer, len(chunks), reranker)
    if not any(isinstance(entry, Chunk | tuple | list) for entry in entries):
        return _by_score(entries, len(chunks), reranker)
    positions = {id(chunk): position for position, chunk in enumerate(chunks)}
    order: list[Any] = []
    scores: list[Any] = []
    for place, entry in enumerate(entries, start=1):
        found, score = (entry, None) if isinstance(entry, Chunk) else _pair(entry, place, reranker)
        if isinstance(found, Chunk):
            position = positions.get(id(found))
            found = _same(found, chunks) if position is None else position
            if found is None:
                raise ContractError(
                    f"reranker {reranker!r}: a chunk that it was not given at place {place}",
                    reranker,
                )
        order.append(found)
        scores.append(score)
    return _in_range(Reranking(tuple(order), tuple(scores), reranker), len(chunks))


def _entries(answer: Any, given: int, reranker: str) -> list[Any]:
    if hasattr(answer, "tolist"):  # arrays and tensors
        answer = answer.tolist()
    no_list = (str, bytes, Mapping, AbstractSet)
    if not isinstance(answer, Iterable) or isinstance(answer, no_list):
        raise ContractError(
            f"reranker {reranker!r} returned {type(answer).__name__}, {_FORMS}", reranker
        )
    entries = list(islice(answer, given + 1))
    if len(entries) > given:
        raise ContractError(
            f"reranker {reranker!r} returned more entries than its {given} chunks, {_FORMS}",
            reranker,
        )
    return entries


def _by_score(scores: list[Any], given: int, reranker: str) -> Reranking:
    if len(scores) != given:
        raise ContractError(
            f"reranker {reranker!r} returned {len(scores)} scores for {given} chunks, {_FORMS}",
            reranker,
        )
    if given > 1 and all(type(score) is int for score in scores) and {*scores} == {*range(given)}:
        raise ContractError(
            f"reranker {reranker!r} returned {scores!r:.60}, which may be scores or positions; "
            "return floats for scores, or Reranking(order) for positions",
            reranker,
        )
    checked = Reranking(tuple(range(given)), tuple(scores), reranker)
    scored = [(-score, row) for row, score in enumerate(checked.scores) if score is not None]
    order = [row for _, row in sorted(scored)]
    return Reranking(tuple(order), tuple(checked.scores[row] for row in order), reranker)


def _pair(entry: Any, place: int, reranker: str) -> tuple[Any, Any]:
    if isinstance(entry, tuple | list) and len(entry) == 2:
        return entry[0], entry[1]
    raise ContractError(
        f"reranker {reranker!r} returned {entry!r:.60} at place {place}, {_FORMS}", reranker
    )


def _same(chunk: Chunk, chunks: Sequence[Chunk]) -> int | None:
    """Where a copy of a chunk stands: a reranker may have made the chunks anew."""
    if chunk.id is not None:
        return next((row for row, each in enumerate(chunks) if each.id == chunk.id), None)
    return next((row for row, each in enumerate(chunks) if each == chunk), None)


def _in_range(reranking: Reranking, given: int) -> Reranking:
    for place, position in enumerate(reranking.order, start=1):
        if position >= given:
            raise ContractError(
                f"reranker {reranking.reranker!r}: position {position} at place {place} of "
                f"{given} chunks, expected 0 to {given - 1}",
                reranking.reranker,
            )
    return reranking


def apply_reranking(hits: Sequence[Hit], reranking: Reranking) -> tuple[Hit, ...]:
    """The hits in the reranker's order, which nothing sorts again.

    First come the hits that the reranker placed, in its order, then all others in the order they
    had: those that it left out, and those that it was not given. Ranks are numbered anew from 1.
    A score and its kind stay together: a hit with a rerank score has it as ``score`` and
    ``rerank_score``, with ``score_kind="rerank"``; any other hit, placed or not, keeps its score
    and kind, with ``rerank_score=None``.

    Args:
        hits: The hits before reranking, best first; the positions of the reranking count in them.
            They are not changed.
        reranking: The reranker's decision about the first of them.

    Raises:
        ContractError: A position that is not among the hits.

    Example:
        >>> hits = [Hit(Chunk(text), 1 / rank, rank) for rank, text in enumerate("abc", start=1)]
        >>> for hit in apply_reranking(hits, Reranking((2,), (7.5,))):
        ...     print(hit.rank, hit.chunk.content, hit.score_kind, hit.rerank_score)
        1 c rerank 7.5
        2 a retrieval None
        3 b retrieval None
    """
    _in_range(reranking, len(hits))
    placed = dict(zip(reranking.order, reranking.scores, strict=True))
    rows = (*reranking.order, *(row for row in range(len(hits)) if row not in placed))
    return tuple(
        _reranked(hits[row], rank, placed.get(row)) for rank, row in enumerate(rows, start=1)
    )


def _reranked(hit: Hit, rank: int, score: float | None) -> Hit:
    if score is not None:
        return replace(hit, rank=rank, score=score, score_kind="rerank", rerank_score=score)
    if hit.rank == rank and hit.rerank_score is None:
        return hit  # as most are behind those that were reranked
    return replace(hit, rank=rank, rerank_score=None)
