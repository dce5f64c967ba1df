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
    if key is None and _ids_decide(rankings):
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


def _ids_decide(rankings: Sequence[Ranking]) -> bool:
    """Whether hits are the same exactly if their ids are equal, so that no other key is needed.

    So it is if plait made none of the ids, or made all of them in one way: from the document and
    the index, which then is the strongest key of every chunk, or from content that is all there is.
    """
    if any(None in ranking.ids for ranking in rankings):
        return False
    chunks = [chunk for ranking in rankings for chunk in ranking.chunks if chunk is not None]
    made = sum(chunk.id_made for chunk in chunks)
    if made == 0:
        return True
    if made < len(chunks):
        return False
    indexes = {chunk.index for chunk in chunks}
    return indexes == {None} or (
        None not in indexes and all(chunk.document_id is not None for chunk in chunks)
    )


def _keys(chunk: Chunk) -> tuple[Hashable, ...]:
    """What identifies a chunk beside its id, strongest first; None where it carries no such key."""
    content = chunk.content or None
    index = chunk.index
    if index is None:
        return (None, None, None, None, content)
    document, path, uri = chunk.document_id, chunk.source_path, chunk.source_uri
    name, section = chunk.source_name, chunk.section
    return (
        None if document is None else (document, index),
        None if path is None else (path, index),
        None if uri is None else (uri, index),
        None if name is None or section is None else (name, section, index),
        content,
    )


_KINDS = 5


@dataclass(slots=True, eq=False)
class _Copy:
    """A hit as one leg returned it."""

    rank: int
    leg: str
    id: str | None
    chunk: Chunk | None


@dataclass(slots=True, eq=False)
class _Unit:
    """Copies that are the same.

    ``levels`` says which keys they carry: bit 0 for a user's id, bit n for the n-th other key.
    ``into`` is the unit that has taken this one.
    """

    owner: str | None = None
    copies: list[_Copy] = field(default_factory=list)
    levels: int = 0
    name: str = ""
    into: _Unit | None = None

    def root(self) -> _Unit:
        unit = self
        while unit.into is not None:
            unit = unit.into
        return unit

    def take(self, other: _Unit) -> None:
        self.owner = self.owner or other.owner
        self.copies += other.copies
        self.levels |= other.levels
        other.into = self


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
    """Units by the rule at the top of this module."""
    owned: dict[str, _Unit] = {}
    loose: dict[Hashable, _Unit] = {}
    made: dict[str, list[_Unit]] = defaultdict(list)
    sharing: list[dict[Hashable, list[_Unit]]] = [defaultdict(list) for _ in range(_KINDS)]
    bare: list[_Copy] = []
    for copy in copies:
        chunk = copy.chunk
        if chunk is None:
            bare.append(copy)
            continue
        keys = _keys(chunk)
        if copy.id is not None and not chunk.id_made:
            unit = owned.setdefault(copy.id, _Unit(owner=copy.id, levels=1))
        else:
            # Copies with the same keys are one from the start; without any, the made id is left,
            # and a copy without that is like no other.
            known = keys if any(keys) else copy.id or copy
            unit = loose.setdefault(known, _Unit())
            if copy.id is not None:
                made[copy.id].append(unit)
        unit.copies.append(copy)
        for level, value in enumerate(keys):
            if value is not None:
                unit.levels |= 2 << level
                sharing[level][value].append(unit)
    waiting: dict[str, _Unit] = {}
    for copy in bare:
        identity = cast("str", copy.id)
        if identity in made and identity not in owned:
            waiting.setdefault(identity, _Unit()).copies.append(copy)
        else:
            owned.setdefault(identity, _Unit(owner=identity, levels=1)).copies.append(copy)
    for level, buckets in enumerate(sharing):
        _merge(buckets.values(), stronger=(2 << level) - 1)
    for identity, unit in waiting.items():
        homes = {home.root() for home in made[identity]}
        if len(homes) == 1:
            homes.pop().take(unit)
    units = [*owned.values(), *loose.values(), *waiting.values()]
    return [unit for unit in units if unit.into is None]


def _merge(buckets: Iterable[list[_Unit]], stronger: int) -> None:
    """Merge units that agree on one key and have no stronger one, of the given bits, in common."""
    links: list[list[_Unit]] = []
    for bucket in buckets:
        if len(bucket) > 1:
            units = list(dict.fromkeys(unit.root() for unit in bucket))
            if len(units) > 1:
                links += _same(units, stronger)
    for component in _connected(links):
        # Links through different values may bring together what a stronger key keeps apart.
        if _disjoint([unit.levels & stronger for unit in component]):
            for other in component[1:]:
                component[0].take(other)


def _same(units: Iterable[_Unit], stronger: int) -> list[list[_Unit]]:
    """Which units that agree on one value are the same; lists of two or more."""
    by_levels: dict[int, list[_Unit]] = defaultdict(list)
    for unit in units:
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
    repeats: dict[str, int] = defaultdict(int)
    unnamed = []
    for unit in units:
        if unit.owner is None:
            unnamed.append((min(unit.copies, key=_standing), unit))
        else:
            unit.name = unit.owner
            taken.add(unit.name)
    for best, unit in sorted(unnamed, key=lambda entry: _standing(entry[0])):
        made = best.id or cast("Chunk", best.chunk).made_id()
        unit.name = made
        while unit.name in taken:
            repeats[made] += 1
            unit.name = f"{made}~{repeats[made]}"
        taken.add(unit.name)


def _standing(copy: _Copy) -> tuple[int, str]:
    """Better copies first; no two are equal, since a leg has one hit at a rank."""
    return copy.rank, copy.leg
