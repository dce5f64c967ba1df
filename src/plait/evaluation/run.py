"""Run: what one system returned for each topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from plait.errors import ConfigurationError
from plait.evaluation.frozen import FrozenMapping, check_id, check_mapping

__all__ = ["Run", "RunRanking", "scored"]

RunRanking: TypeAlias = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Run:
    """What one system returned for each topic, best first.

    The order is that of the tuples; scores are shown, and never rise on the way down. A document
    may stand twice in a ranking: measures and files count it once, at its best place.

    Args:
        name: Name of the system.
        rankings: (document id, score) pairs, best first, by topic id; a topic may have none.

    Raises:
        ConfigurationError: A name or id that is not a non-empty str, a score that is not a finite
            number or higher than the one before it; names topic and position.

    Example:
        >>> run = Run("bm25", {"1": (("cancel.md", 7.5), ("refunds.md", 2.0))})
        >>> run.rankings["1"][0]
        ('cancel.md', 7.5)
    """

    name: str
    rankings: Mapping[str, RunRanking]

    def __post_init__(self) -> None:
        check_id(self.name, "the name of a run")
        checked = {
            check_id(topic, "a topic id"): _checked(topic, ranking)
            for topic, ranking in check_mapping(self.rankings, "rankings").items()
        }
        object.__setattr__(self, "rankings", FrozenMapping(checked))

    def __repr__(self) -> str:
        return f"<Run {self.name!r} of {len(self.rankings)} topics>"


def _checked(topic: str, ranking: Iterable[Any]) -> RunRanking:
    pairs = []
    above = math.inf
    for position, pair in enumerate(ranking, start=1):
        where = f"topic {topic!r}, position {position}"
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ConfigurationError(f"{where}: {pair!r:.60}, expected a (document id, score) pair")
        document, score = check_id(pair[0], f"{where}: the document id"), _score(pair[1], where)
        if score > above:
            raise ConfigurationError(
                f"{where}: the score {score!r} of {document!r} is higher than {above!r} before it; "
                "a run is given best first"
            )
        above = score
        pairs.append((document, score))
    return tuple(pairs)


def _score(value: Any, where: str) -> float:
    if not isinstance(value, bool | str):
        try:
            score = float(value)
        except (TypeError, ValueError, OverflowError):
            score = math.nan
        if math.isfinite(score):
            return score
    raise ConfigurationError(f"{where}: the score is {value!r:.60}, expected a finite number")


def scored(ids: Sequence[str], scores: Sequence[float | None]) -> RunRanking:
    """Ids in their order with these scores, or 1/rank where they are no scores of that order.

    A system need not score what it ranks, and a reranked or diversified order need not follow the
    scores that it shows.

    Example:
        >>> scored(["a", "b"], [0.9, 0.4])
        (('a', 0.9), ('b', 0.4))
        >>> scored(["a", "b"], [None, 0.4])
        (('a', 1.0), ('b', 0.5))
    """
    known = [score for score in scores if score is not None]
    descend = all(above >= below for above, below in pairwise(known))
    if len(known) < len(ids) or not descend:
        known = [1 / rank for rank in range(1, len(ids) + 1)]
    return tuple(zip(ids, known, strict=True))
