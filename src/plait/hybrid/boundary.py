"""The boundary of a hybrid: what a leg returned becomes a ``Ranking``, or a clear error.

Nothing behind it looks at a foreign object again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from plait.errors import ConfigurationError, ContractError
from plait.filters import Filter
from plait.types import Chunk, Contribution, Hit, Ranking, SearchResult
from plait.types.checks import check_text

__all__ = ["as_number", "said_of", "taken", "to_ranking"]


def taken(answer: Any, limit: int) -> Any:
    """A leg's answer as it is now, read to the limit.

    Called where the leg runs, so that what a generator computes counts as the leg's time, what it
    raises as the leg's failure, and what the leg later does to its list changes nothing.
    """
    if isinstance(answer, Ranking | SearchResult) or not _is_list(answer):
        return answer
    return list(islice(answer, limit))


def _is_list(answer: Any) -> bool:
    """Whether an answer can be read one by one, best first."""
    if isinstance(answer, list):
        return True
    # The order of a set is chance, and what a mapping holds beside its keys would be lost.
    no_list = (str, bytes, Mapping, AbstractSet)
    return isinstance(answer, Iterable) and not isinstance(answer, no_list)


def to_ranking(
    answer: Any,
    leg: str,
    *,
    limit: int,
    keep: Filter | None = None,
    needs_metadata: bool = False,
    higher_is_better: bool = True,
    score_range: tuple[float | None, float | None] = (None, None),
    order: Literal["score", "position"] = "score",
) -> Ranking:
    """Check and convert a leg's answer.

    Args:
        answer: A ``Ranking``, a ``SearchResult``, or an iterable, best first, of ids,
            ``(id, score)`` or ``(Chunk, score)`` pairs, chunks or hits.
        leg: Name of the leg.
        limit: Candidates asked of the leg; what comes after them is cut.
        keep: The query's filter. Hits whose metadata does not pass are dropped: legs filter, this
            is the last guard, and the ranking notes it.
        needs_metadata: Drop hits without metadata while there is a filter, for legs that
            cannot filter themselves.
        higher_is_better: False for distances.
        score_range: Theoretical (lowest, highest) score.
        order: Whether the order follows the scores.

    Raises:
        ContractError: Something else, naming the leg and the position.

    Example:
        >>> to_ranking([("a", 2.5), ("b", 1)], "faq", limit=10).scores
        (2.5, 1.0)
    """
    if isinstance(answer, Ranking):
        return _guard(answer, leg, limit, keep, needs_metadata)
    if not _is_list(answer):
        raise ContractError(
            f"leg {leg!r} returned {type(answer).__name__}, expected a list, best first, of ids, "
            "(id, score) pairs, chunks or hits",
            leg,
        )
    ids: list[str | None] = []
    scores: list[float | None] = []
    chunks: list[Chunk | None] = []
    parts: list[tuple[Contribution, ...]] = []
    for position, item in enumerate(islice(answer, limit), start=1):
        found, score, inside = _entry(item, leg, position)
        if isinstance(found, Chunk):
            ids.append(found.id)
            chunks.append(found)
        else:
            ids.append(_bare_id(found, leg, position))
            chunks.append(None)
        scores.append(score)
        parts.append(inside)
    ranking = Ranking(
        leg=leg,
        ids=tuple(ids),
        scores=tuple(scores),
        chunks=tuple(chunks) if any(chunk is not None for chunk in chunks) else (),
        higher_is_better=higher_is_better,
        score_range=score_range,
        order=order,
        parts=tuple(parts) if any(parts) else (),
        notes=answer.notes if isinstance(answer, SearchResult) else (),
    )
    return _guard(ranking, leg, limit, keep, needs_metadata)


def _entry(
    item: Any, leg: str, position: int
) -> tuple[Chunk | str, float | None, tuple[Contribution, ...]]:
    if isinstance(item, Hit):
        chunk = item.chunk
        # A nested hybrid's hit that stayed without content: another leg may have it.
        bare = not chunk.content and chunk.id is not None and chunk == Chunk("", id=chunk.id)
        return str(chunk.id) if bare else chunk, as_number(item.score), item.contributions
    if isinstance(item, Chunk | str):
        return item, None, ()
    if isinstance(item, tuple | list) and len(item) == 2 and isinstance(item[0], Chunk | str):
        return item[0], as_number(item[1]), ()
    raise ContractError(
        f"leg {leg!r} returned {type(item).__name__} ({item!r:.60}) at position {position}, "
        "expected an id (str), an (id, score) pair, a Chunk or a Hit",
        leg,
    )


def _bare_id(identity: str, leg: str, position: int) -> str:
    """An id as plain text that a chunk could have."""
    try:
        check_text(identity, f"leg {leg!r}: the id at position {position}")
    except ConfigurationError as error:
        raise ContractError(str(error), leg) from error
    if not identity:
        raise ContractError(
            f"leg {leg!r}: the id at position {position} is '', expected a non-empty str", leg
        )
    return str(identity)  # not a subclass, such as NumPy's


def as_number(score: Any) -> Any:
    """Ints and NumPy numbers as float; anything else is left for the ranking to refuse."""
    if type(score) is int or isinstance(score, np.integer | np.floating):
        try:
            return float(score)
        except OverflowError:
            return math.inf  # which the ranking refuses
    return score


def _guard(
    ranking: Ranking, leg: str, limit: int, keep: Filter | None, needs_metadata: bool
) -> Ranking:
    rows = range(min(len(ranking), limit))
    kept = list(rows)
    notes = ranking.notes
    if keep is not None and (ranking.chunks or needs_metadata):
        chunks = ranking.chunks or (None,) * len(ranking)
        kept = [
            row
            for row in rows
            if (not needs_metadata if (chunk := chunks[row]) is None else _passes(chunk, keep))
        ]
        if len(kept) < len(rows) and not needs_metadata:
            dropped = len(rows) - len(kept)
            notes = (*notes, said_of(dropped, "did not pass the filter"))
    if len(kept) == len(ranking) and ranking.leg == leg and notes == ranking.notes:
        return ranking
    return replace(ranking.at(kept), leg=leg, notes=notes)


def said_of(count: int, why: str) -> str:
    """A note on hits that were dropped."""
    return f"{count} hit{'' if count == 1 else 's'} dropped: {why}"


def _passes(chunk: Chunk, keep: Filter) -> bool:
    return keep.matches(chunk.metadata)
