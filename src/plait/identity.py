"""Which hits of several rankings are the same.

Two hits are the same if they agree on the strongest key that both carry:

1. id, if it was given by the user (ids that plait made count as the keys they were made from)
2. document id + index
3. source path + index
4. source uri + index
5. source name + section + index
6. content, unless it is empty

Keys of different kinds never meet: the id ``"doc#1"`` is not index 1 of the document ``"doc"``.
Groups are built in that order: hits with one id form a group; a hit without id joins the one group
that has its document id + index, and so on down. If two groups qualify it stays alone, so hits with
different ids never end up together, and the order of the rankings does not matter.

A ranking may bring ids without chunks. Such a bare id is a user's id, unless no chunk at hand bears
it as a user's id while one bears it as a made id: then it means that chunk, because both legs read
the id from one index. If chunks that bear the made id are in several groups, the bare id is alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias, cast

from plait.errors import ConfigurationError
from plait.types import Chunk, Ranking

__all__ = ["IdentityKey", "group"]

IdentityKey: TypeAlias = Callable[[Chunk], Hashable]


def group(
    rankings: Sequence[Ranking], key: IdentityKey | None = None
) -> tuple[tuple[str, ...], ...]:
    """Name every hit so that two hits have one name exactly if they are the same.

    Args:
        rankings: The rankings, with different leg names.
        key: Replaces the rule above: called with each chunk, and chunks with equal keys are the
            same. A hit for which it returns None, or whose chunk no ranking brings, goes by the
            rule above, among its like.

    Returns:
        One tuple of names per ranking, a name per hit: the id where the user gave one, else the
        id that plait makes or made. Names do not depend on the order of the rankings.

    Raises:
        ConfigurationError: ``key`` failed or returned something that cannot be hashed; the message
            names the leg and the position.

    Example:
        >>> dense = Ranking("dense", (None,), (0.9,), (Chunk("cats purr"),))
        >>> bm25 = Ranking("bm25", ("c1",), (2.5,), (Chunk("cats purr", id="c1"),))
        >>> group([dense, bm25])
        (('c1',), ('c1',))
    """
    if key is None and all(map(_all_given, rankings)):
        return tuple(cast("tuple[str, ...]", ranking.ids) for ranking in rankings)
    copies = [
        _Copy(
            rank=position + 1,
            leg=ranking.leg,
            id=identity,
            chunk=ranking.chunks[position] if ranking.chunks else None,
        )
        for ranking in rankings
        for position, identity in enumerate(ranking.ids)
    ]
    if key is None:
        units = _by_rule(copies)
    else:
        units, rest = _by_key(copies, key)
        units += _by_rule(rest)
    _name(units)
    names = {copy: unit.name for unit in units for copy in unit.copies}
    named = iter([names[copy] for copy in copies])
    return tuple(tuple(islice(named, len(ranking))) for ranking in rankings)


def _all_given(ranking: Ranking) -> bool:
    """Whether every hit has an id that plait did not make."""
    return None not in ranking.ids and not any(
        chunk is not None and chunk.id_made for chunk in ranking.chunks
    )


def _document(chunk: Chunk) -> Hashable:
    return None if chunk.document_id is None else _indexed(chunk, chunk.document_id)


def _path(chunk: Chunk) -> Hashable:
    return None if chunk.source_path is None else _indexed(chunk, chunk.source_path)


def _uri(chunk: Chunk) -> Hashable:
    return None if chunk.source_uri is None else _indexed(chunk, chunk.source_uri)


def _section(chunk: Chunk) -> Hashable:
    if chunk.source_name is None or chunk.section is None:
        return None
    return _indexed(chunk, chunk.source_name, chunk.section)


def _content(chunk: Chunk) -> Hashable:
    return chunk.content or None


def _indexed(chunk: Chunk, *source: str) -> Hashable:
    return None if chunk.index is None else (*source, chunk.index)


_LEVELS = (_document, _path, _uri, _section, _content)


@dataclass(slots=True, eq=False)
class _Copy:
    """A hit as one leg returned it."""

    rank: int
    leg: str
    id: str | None
    chunk: Chunk | None

    @property
    def made(self) -> bool:
        return self.chunk is not None and (self.id is None or self.chunk.id_made)


@dataclass(slots=True, eq=False)
class _Unit:
    """Copies that are the same; ``keys[level]`` holds the values that they carry at a level."""

    owner: str | None = None
    copies: list[_Copy] = field(default_factory=list)
    keys: tuple[set[Hashable], ...] = field(default_factory=lambda: tuple(set() for _ in _LEVELS))
    name: str = ""

    @property
    def levels(self) -> int:
        """Bit 0 for a user's id, bit n for the n-th of the other keys."""
        bits = 0 if self.owner is None else 1
        for level, values in enumerate(self.keys, start=1):
            if values:
                bits |= 1 << level
        return bits

    def take(self, other: _Unit) -> None:
        if other.owner is not None:
            self.owner = other.owner
        self.copies += other.copies
        for mine, theirs in zip(self.keys, other.keys, strict=True):
            mine |= theirs
        other.copies = []

    def add(self, copy: _Copy, values: Sequence[Hashable]) -> None:
        self.copies.append(copy)
        for mine, value in zip(self.keys, values, strict=True):
            if value is not None:
                mine.add(value)


def _by_key(copies: Iterable[_Copy], key: IdentityKey) -> tuple[list[_Unit], list[_Copy]]:
    """Units of copies with equal keys, and the copies that have no key."""
    units: dict[Hashable, _Unit] = defaultdict(_Unit)
    rest: list[_Copy] = []
    key_of: dict[str, Hashable] = {}
    # Best copies first: a bare id means the best chunk that another leg brings under that id.
    for copy in sorted(copies, key=_standing):
        if copy.chunk is None:
            rest.append(copy)
            continue
        try:
            value = key(copy.chunk)
            hash(value)
        except Exception as error:
            raise ConfigurationError(
                f"leg {copy.leg!r}: the identity key failed on the hit at position {copy.rank} "
                f"(id {copy.id!r}): {type(error).__name__}: {error}; "
                "it takes a Chunk and returns a hashable value, or None where it does not apply"
            ) from error
        if value is None:
            rest.append(copy)
            continue
        units[value].copies.append(copy)
        if copy.id is not None:
            key_of.setdefault(copy.id, value)
    keyless = []
    for copy in rest:
        if copy.chunk is None and copy.id in key_of:
            units[key_of[copy.id]].copies.append(copy)
        else:
            keyless.append(copy)
    return list(units.values()), keyless


def _by_rule(copies: Iterable[_Copy]) -> list[_Unit]:
    owned: dict[str, _Unit] = {}
    loose: dict[tuple[Hashable, ...], _Unit] = {}
    made: dict[str, list[_Copy]] = defaultdict(list)
    bare: list[tuple[str, _Copy]] = []
    anonymous: list[_Unit] = []
    for copy in copies:
        if copy.chunk is None:
            bare.append((cast("str", copy.id), copy))
            continue
        values = tuple(level(copy.chunk) for level in _LEVELS)
        if copy.made:
            if copy.id is not None:
                made[copy.id].append(copy)
            if any(value is not None for value in values):
                # Copies with the same keys are one from the start.
                loose.setdefault(values, _Unit()).add(copy, values)
            else:
                anonymous.append(_Unit(copies=[copy]))
        else:
            identity = cast("str", copy.id)
            owned.setdefault(identity, _Unit(owner=identity)).add(copy, values)
    pending: dict[str, list[_Copy]] = defaultdict(list)
    for identity, copy in bare:
        if identity in made and identity not in owned:
            pending[identity].append(copy)
        else:
            owned.setdefault(identity, _Unit(owner=identity)).copies.append(copy)
    units = [*owned.values(), *loose.values(), *anonymous]
    for level in range(len(_LEVELS)):
        units = _merge_level(units, level)
    if pending:
        unit_of = {copy: unit for unit in units for copy in unit.copies}
        for identity, waiting in pending.items():
            homes = {unit_of[copy] for copy in made[identity]}
            if len(homes) == 1:
                homes.pop().copies += waiting
            else:
                units.append(_Unit(copies=waiting))
    return units


def _merge_level(units: list[_Unit], level: int) -> list[_Unit]:
    """Merge what agrees on the key of this level and has no stronger one in common."""
    sharing: dict[Hashable, list[_Unit]] = defaultdict(list)
    for unit in units:
        for value in unit.keys[level]:
            sharing[value].append(unit)
    stronger = (1 << (level + 1)) - 1
    links: list[list[_Unit]] = []
    for bucket in sharing.values():
        if len(bucket) > 1:
            links += _same(bucket, stronger)
    for component in _connected(links):
        # Two of one level here would be merged against what that level says: none is.
        if _disjoint([unit.levels & stronger for unit in component]):
            for other in component[1:]:
                component[0].take(other)
    return [unit for unit in units if unit.copies]


def _same(bucket: Sequence[_Unit], stronger: int) -> list[list[_Unit]]:
    """Which units that agree on one value are the same; lists of two or more."""
    by_levels: dict[int, list[_Unit]] = defaultdict(list)
    for unit in bucket:
        by_levels[unit.levels & stronger].append(unit)
    plain = by_levels.pop(0, [])
    for other in plain[1:]:  # this is their strongest key, so they are one whatever else there is
        plain[0].take(other)
    clusters: list[list[_Unit]] = []
    waiting = sorted(by_levels)
    while waiting:
        reached = [waiting.pop()]
        for levels in reached:
            reached += [other for other in waiting if not other & levels]
            waiting = [other for other in waiting if other & levels]
        near = [unit for levels in reached for unit in by_levels[levels]]
        if _disjoint([unit.levels & stronger for unit in near]):
            clusters.append(near)
        else:
            clusters += ([unit] for unit in near)
    if plain and len(clusters) == 1:
        clusters[0].append(plain[0])
    return [cluster for cluster in clusters if len(cluster) > 1]


def _disjoint(levels: Sequence[int]) -> bool:
    union = 0
    for bits in levels:
        if union & bits:
            return False
        union |= bits
    return True


def _connected(links: Iterable[list[_Unit]]) -> list[list[_Unit]]:
    """Lists of units that hang together through the links."""
    component_of: dict[_Unit, list[_Unit]] = {}
    for link in links:
        merged: list[_Unit] = []
        for unit in link:
            known = component_of.get(unit, [unit])
            if known is not merged:
                merged += known
                for member in known:
                    component_of[member] = merged
    return list({id(component): component for component in component_of.values()}.values())


def _name(units: Iterable[_Unit]) -> None:
    """Give every unit a name of its own, the same whatever the order of the rankings."""
    taken = set()
    unnamed = []
    for unit in units:
        if unit.owner is None:
            unnamed.append((min(unit.copies, key=_standing), unit))
        else:
            unit.name = unit.owner
            taken.add(unit.name)
    for best, unit in sorted(unnamed, key=lambda entry: _standing(entry[0])):
        name = best.id
        if name is None and best.chunk is not None:
            name = best.chunk.with_id().id
        unit.name = cast("str", name)
        while unit.name in taken:
            unit.name += "'"
        taken.add(unit.name)


def _standing(copy: _Copy) -> tuple[int, str]:
    """Better copies first; no two are equal, since a leg has one hit at a rank."""
    return copy.rank, copy.leg
