"""Ranking: one leg's ordered answer, validated once at the boundary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from plait.errors import ContractError
from plait.types.chunk import Chunk
from plait.types.hit import Contribution, Hit


@dataclass(frozen=True, slots=True)
class Ranking:
    """One leg's ordered answer, checked when it is built.

    Columns of equal length, best first: position i has rank i + 1.

    Args:
        leg: Name of the leg.
        ids: Ids of the hits; None where a chunk has none.
        scores: Raw scores, float; None where the leg gave none.
        chunks: The chunks, or empty for a leg that returns ids only (then every id is a str).
        higher_is_better: False for distances: they are fused as −d and shown as d.
        score_range: The leg's theoretical (lowest, highest) raw score, None where unbounded
            or unknown: ``(0, None)`` for BM25, ``(-1, 1)`` for cosine.
        order: ``"score"`` if the order follows the scores, ``"position"`` if it does not (reranked,
            diversified): score-based fusion then uses the ranks.
        parts: Contributions inside the leg for each hit, when the leg is itself a hybrid.
        filled: Whether each hit is one that the leg did not return, but was asked to score since
            another leg did; empty for none.
        total: How many chunks matched before the cut, None if the leg does not know.
        coverage: Share of the query that the first hit matches, between 0 and 1: for BM25 its score
            as a part of the highest that any text could get. None if the leg cannot tell.
        notes: For the leg's report.

    Attributes:
        is_scored: Whether every hit has a score.

    Raises:
        ContractError: Columns of different length, an id that is not a non-empty str, a score
            that is NaN, infinite or not a number, scores out of order while ``order="score"``;
            names the leg and the position.
    """

    leg: str
    ids: tuple[str | None, ...]
    scores: tuple[float | None, ...]
    chunks: tuple[Chunk | None, ...] = ()
    higher_is_better: bool = True
    score_range: tuple[float | None, float | None] = (None, None)
    order: Literal["score", "position"] = "score"
    parts: tuple[tuple[Contribution, ...], ...] = ()
    filled: tuple[bool, ...] = ()
    total: int | None = None
    coverage: float | None = None
    notes: tuple[str, ...] = ()
    is_scored: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_columns(self)
        well = _is_well_ordered(self.scores, self.higher_is_better, by_score=self.order == "score")
        if not well:
            _check_scores(self)
        object.__setattr__(self, "is_scored", well or None not in self.scores)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def oriented(self) -> tuple[float | None, ...]:
        """The scores with the sign turned, if need be, so that higher is better."""
        if self.higher_is_better:
            return self.scores
        return tuple(None if score is None else -score for score in self.scores)

    def cut(self, window: int) -> Self:
        """The ranking as it would be with only the first ``window`` hits.

        Example:
            >>> Ranking("bm25", ("a", "b"), (2.0, 1.0)).cut(1).ids
            ('a',)
        """
        return self if len(self) <= window else self.at(range(window))

    def at(self, positions: Sequence[int]) -> Self:
        """The ranking with only the hits at these positions, which ascend from 0.

        Example:
            >>> Ranking("bm25", ("a", "b", "c"), (3.0, 2.0, 1.0)).at([0, 2]).ids
            ('a', 'c')
        """
        columns: dict[str, Any] = {
            name: tuple([column[position] for position in positions])
            for name in _COLUMNS
            if (column := getattr(self, name))
        }
        return replace(self, **columns)

    @property
    def returned(self) -> Self:
        """The ranking as the leg returned it, without the hits that it was asked to score."""
        if not self.filled:
            return self
        kept = [position for position, filled in enumerate(self.filled) if not filled]
        return replace(self.at(kept), filled=())

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The ranking as hits, for fusion methods that read more than the columns."""
        chunks = self.chunks or tuple(Chunk("", id=identity) for identity in self.ids)
        return tuple(
            Hit(
                chunk=chunk or Chunk("", id=self.ids[position]),
                score=self.scores[position],
                rank=position + 1,
                source=self.leg,
                legs=(self.leg,),
                retrieval_score=self.scores[position],
            )
            for position, chunk in enumerate(chunks)
        )


_COLUMNS = ("ids", "scores", "chunks", "parts", "filled")
_ID_TYPES = frozenset({str, type(None)})
_FLOAT = frozenset({float})


def _is_well_ordered(
    scores: tuple[float | None, ...], higher_is_better: bool, *, by_score: bool
) -> bool:
    """Whether all are finite floats in order; False also where that takes a closer look."""
    if not _FLOAT.issuperset(map(type, scores)):
        return False
    plain: Any = scores
    if not math.isfinite(sum(plain)):  # of numbers near the largest too, which may be fine
        return False
    return not by_score or list(scores) == sorted(plain, reverse=higher_is_better)


def _check_columns(ranking: Ranking) -> None:
    leg, ids, scores, chunks = ranking.leg, ranking.ids, ranking.scores, ranking.chunks
    optional = (len(column) for column in (chunks, ranking.parts, ranking.filled) if column)
    if any(length != len(ids) for length in (len(scores), *optional)):
        raise ContractError(
            f"leg {leg!r}: {len(ids)} ids, {len(scores)} scores, {len(chunks)} chunks and "
            f"{len(ranking.parts)} parts; the columns of a ranking have one length",
            leg,
        )
    if "" in ids or not _ID_TYPES.issuperset(map(type, ids)):
        for position, identity in enumerate(ids, start=1):
            if identity is not None and (not isinstance(identity, str) or not identity):
                raise ContractError(
                    f"leg {leg!r}: id {identity!r} at position {position}; "
                    "expected a non-empty str, or None where a chunk has no id",
                    leg,
                )
    if None in ids:
        for position, identity in enumerate(ids):
            if identity is None and (not chunks or chunks[position] is None):
                raise ContractError(
                    f"leg {leg!r}: no id and no chunk at position {position + 1}", leg
                )
    coverage = ranking.coverage
    if coverage is not None and (type(coverage) is not float or not 0 <= coverage <= 1):
        raise ContractError(
            f"leg {leg!r}: coverage is {coverage!r}, expected a float between 0 and 1, or None", leg
        )


def _check_scores(ranking: Ranking) -> None:
    leg, by_score = ranking.leg, ranking.order == "score"
    sign = 1.0 if ranking.higher_is_better else -1.0
    previous = math.inf
    for position, score in enumerate(ranking.scores, start=1):
        if score is None:
            continue
        # bool is an int in Python, and a leg that answers True has not scored anything.
        if type(score) is not float or not math.isfinite(score):
            raise ContractError(
                f"leg {leg!r}: score {score!r} at position {position}; "
                "expected a finite float, or None where there is no score",
                leg,
            )
        oriented = sign * score
        if by_score and oriented > previous:
            direction = "descending" if ranking.higher_is_better else "ascending"
            raise ContractError(
                f"leg {leg!r}: score {score!r} at position {position} is better than the one "
                f"before it; expected {direction} order, or order='position' on the leg",
                leg,
            )
        previous = oriented
