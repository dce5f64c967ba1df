"""Grouping: hits of one document, or with one value in a field, as one result."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, TypeAlias

from plait.errors import ConfigurationError
from plait.refining.field import check_field, value_of
from plait.refining.refined import ranked
from plait.spec import format_spec, parse_spec
from plait.types import Chunk, Hit, ScoreKind

__all__ = ["Group", "GroupRule", "Grouped", "Grouping", "group_hits"]

GroupRule: TypeAlias = Literal["best", "sum", "mean"]
GroupKey: TypeAlias = tuple[str, tuple[bool, Any]]
"""The name of a field and its value as ``value_of`` gives it."""

_RULES = ("best", "sum", "mean")
_DOCUMENT = "document"
_DOCUMENT_FIELDS = ("document_id", "source_path", "source_uri")


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which hits belong together, and what their group scores. Its text form parses back.

    Args:
        by: ``"document"`` (the document id, else the source's path, else its uri); ``document_id``,
            ``title``, ``section``, ``page``, ``source_name``, ``source_path``, ``source_uri``; or
            the name of a metadata field, with dots inside nested ones.
        rule: The score of a group: that of its best hit, the sum or the mean of its hits'.

    Raises:
        ConfigurationError: An empty field or an unknown rule.

    Example:
        >>> Grouping.parse("grouping(by='product', rule='sum')")
        Grouping(by='product', rule='sum')
    """

    by: str = _DOCUMENT
    rule: GroupRule = "best"

    def __post_init__(self) -> None:
        check_field(self.by)
        if self.rule not in _RULES:
            raise ConfigurationError(
                f"the rule of a grouping is {self.rule!r}, expected one of {', '.join(_RULES)}"
            )

    def __str__(self) -> str:
        return format_spec("grouping", by=self.by, rule=self.rule)

    @classmethod
    def parse(cls, source: Grouping | str) -> Grouping:
        """A grouping from its text form or from the bare name of what to group by; or as it is.

        Raises:
            ConfigurationError: Neither.
        """
        if isinstance(source, Grouping):
            return source
        if not isinstance(source, str) or "(" not in source:
            return cls(source)
        name, parameters = parse_spec(source, "grouping")
        if name != "grouping" or not parameters.keys() <= {"by", "rule"}:
            raise ConfigurationError(f"{source!r:.80} is not a grouping, expected such as {cls()}")
        return cls(**parameters)

    def key(self, chunk: Chunk) -> GroupKey | None:
        """What chunks of one group have in common; None for a chunk that has no such thing."""
        fields = _DOCUMENT_FIELDS if self.by == _DOCUMENT else (self.by,)
        for field in fields:
            value = value_of(chunk, field)
            if value is not None:
                return field, value
        return None


@dataclass(frozen=True, slots=True)
class Group:
    """Hits that belong together.

    Attributes:
        hits: Best first, with the ranks that they had among all hits.
        score: By the grouping's rule; None if the best hit has no score.
        key: What they have in common, None for a hit that is alone for want of it.
    """

    hits: tuple[Hit, ...]
    score: float | None
    key: GroupKey | None

    @property
    def best(self) -> Hit:
        """The best hit, which stands for the group."""
        return self.hits[0]

    def to_dict(self) -> dict[str, Any]:
        """The group as JSON values; of the hits their ids."""
        return {
            "field": None if self.key is None else self.key[0],
            "value": None if self.key is None else self.key[1][1],
            "score": self.score,
            "ids": [hit.id for hit in self.hits],
        }


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups, best first, and what was done.

    Attributes:
        step: The grouping in its text form.
        groups: The groups that are left.
        hits: The best hit of each, ranks numbered from 1.
        before: How many hits there were.
        found: How many groups there were before the cut.
        notes: What a reader of the groups should know.
    """

    step: str
    groups: tuple[Group, ...]
    hits: tuple[Hit, ...]
    before: int
    found: int
    notes: tuple[str, ...] = ()

    @property
    def after(self) -> int:
        """How many groups are left."""
        return len(self.groups)


def group_hits(
    hits: Sequence[Hit], grouping: Grouping | str = _DOCUMENT, *, top_k: int | None = None
) -> Grouped:
    """Hits that belong together as one result.

    Groups are in the order of their scores, equal ones in the order of their best hits. The order
    of the given hits is final for the rule ``best``, since it is what a reranker or a diversity
    step decided. Scores of different kinds are never compared or added: a group counts the scores
    of the kind that its best hit has, and groups whose best hit was reranked stay before others.

    Args:
        hits: Best first. They are not changed.
        grouping: What belongs together. A chunk without the field is a group of its own.
        top_k: How many groups to keep, >= 1; None for all.

    Raises:
        ConfigurationError: A bad grouping or ``top_k``.

    Example:
        >>> chunks = [Chunk(text, document_id=text[0]) for text in ("a1", "b1", "a2")]
        >>> hits = [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(chunks, start=1)]
        >>> grouped = group_hits(hits, "document")
        >>> [[hit.chunk.content for hit in group.hits] for group in grouped.groups]
        [['a1', 'a2'], ['b1']]
    """
    grouping = Grouping.parse(grouping)
    if top_k is not None and (type(top_k) is not int or top_k < 1):
        raise ConfigurationError(f"top_k of groups is {top_k!r}, expected an int >= 1, or None")
    members: dict[Hashable, list[Hit]] = {}
    alone = 0
    for position, hit in enumerate(hits):
        key = grouping.key(hit.chunk)
        alone += key is None
        # A tuple of one is no key that a grouping gives.
        members.setdefault((position,) if key is None else key, []).append(hit)
    groups = [
        Group(tuple(held), _score(held, grouping.rule), grouping.key(held[0].chunk))
        for held in members.values()
    ]
    notes = []
    if alone:
        notes.append(f"{alone} hits have no {grouping.by}: each is a group of its own")
    if grouping.rule != "best":
        if any((hit.score or 0.0) < 0 for hit in hits) and grouping.rule == "sum":
            notes.append("some scores are negative: their sum is lower for larger groups")
        groups = _by_score(groups)
    kept = tuple(groups[:top_k])
    best = ranked([group.best for group in kept])
    return Grouped(str(grouping), kept, best, len(hits), len(groups), tuple(notes))


def _score(members: Sequence[Hit], rule: GroupRule) -> float | None:
    best = members[0]
    if best.score is None or rule == "best":
        return best.score
    alike = [
        hit.score for hit in members if hit.score_kind == best.score_kind and hit.score is not None
    ]
    total = math.fsum(alike)
    return total if rule == "sum" else total / len(alike)


def _by_score(groups: Sequence[Group]) -> list[Group]:
    """By score among neighbors that have scores of one kind; where there is none, as it is."""
    ordered: list[Group] = []
    for (_, scored), alike in groupby(groups, _kind):
        members = list(alike)
        if scored:
            members.sort(key=lambda group: group.score or 0.0, reverse=True)
        ordered += members
    return ordered


def _kind(group: Group) -> tuple[ScoreKind, bool]:
    return group.best.score_kind, group.score is not None
