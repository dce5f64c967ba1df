"""From metadata to columns: each value a number, and the values sorted in a dictionary."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, count, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.columns.codes import FALSE, FIRST, MAPPING, NULL, TRUE, Path, smallest
from plait.columns.integers import has_float, to_text
from plait.storage import Names

__all__ = ["MOST", "Level", "build"]

MOST = 1024
"""Columns of a segment. Values under further paths are loose."""

_BATCH = 1 << 14  # metadata that is read at once
_SPARSE = 8  # a column that one row in so many has is kept as a list of rows
_PLAIN = frozenset({str, int, float})
_NUMBER = frozenset({int, float})
_SCALAR = _PLAIN | {bool}
_FIXED: dict[Any, int] = {(None,): NULL, (): MAPPING, (False,): FALSE, (True,): TRUE}

_Arrays: TypeAlias = dict[str, NDArray[Any]]
_Spread: TypeAlias = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]
"""From places of metadata to the rows that have it, and which of the places each of them has."""


def build(metadata: Iterable[str], prefix: str) -> _Arrays:
    """The arrays for the metadata of rows, as JSON; equal texts of a batch are read once."""
    level = Level()
    remaining = iter(metadata)
    while batch := list(itertools.islice(remaining, _BATCH)):
        texts: defaultdict[str, int] = defaultdict(count().__next__)
        places = np.fromiter(map(texts.__getitem__, batch), dtype=np.int64, count=len(batch))
        level.add(json.loads(f"[{','.join(texts)}]"), places)
    return level.arrays(prefix)


class Level:
    """The columns of some rows while these are added.

    Attributes:
        size: How many rows there are.
    """

    def __init__(self, room: Iterator[int] | None = None) -> None:
        self.size = 0
        self._room = iter(range(MOST)) if room is None else room
        self._columns: dict[Path, _Values] = {}
        self._loose: defaultdict[Path, list[tuple[int, str]]] = defaultdict(list)

    def add(self, metadata: Sequence[Mapping[str, Any]], places: NDArray[np.int64]) -> None:
        """The next rows.

        Args:
            metadata: What rows have.
            places: Which of these each row has, shape (rows,).
        """
        order = np.argsort(places, kind="stable")
        bounds = np.searchsorted(places[order], np.arange(len(metadata) + 1))
        first = self.size

        def spread(having: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            counts = bounds[having + 1] - bounds[having]
            before = np.cumsum(counts) - counts
            at = np.arange(counts.sum()) + np.repeat(bounds[having] - before, counts)
            return first + order[at], np.repeat(np.arange(len(having)), counts)

        self._add_under((), range(len(metadata)), metadata, spread)
        self.size += len(places)

    def put(
        self,
        path: Path,
        values: Sequence[Any],
        rows: NDArray[np.int64],
        which: NDArray[np.int64],
    ) -> None:
        """The values under a path, of rows that are below ``size`` in the end.

        Args:
            path: Its keys.
            values: Some values; of mappings nothing but that they are there.
            rows: The rows that have one, each once, shape (n,).
            which: Which of the values each has, shape (n,).
        """
        if not len(rows):
            return
        column = self._columns.get(path)
        if column is None and next(self._room, None) is not None:
            column = self._columns[path] = _Values(self._room, reached="." not in path[-1])
        if column is None:
            texts = ["{}" if type(each) is dict else json.dumps(each) for each in values]
            loose = (
                (row, texts[at]) for row, at in zip(rows.tolist(), which.tolist(), strict=True)
            )
            self._loose[path].extend(loose)
        else:
            column.put(values, rows, which)

    def arrays(self, prefix: str) -> _Arrays:
        """The arrays of all rows, see ``plait.columns.fields``."""
        made = self._loose_arrays(f"{prefix}.loose") if self._loose else {}
        directory = json.dumps(list(self._columns)).encode()
        made[f"{prefix}.paths"] = np.frombuffer(directory, dtype=np.uint8)
        for number, column in enumerate(self._columns.values()):
            made |= column.arrays(f"{prefix}.{number}", self.size)
        return made

    def _add_under(
        self,
        path: Path,
        places: Iterable[int],
        mappings: Iterable[Mapping[str, Any]],
        spread: _Spread,
    ) -> None:
        """Mappings that stand under a path, by the place of the metadata that they are part of."""
        found: dict[str, tuple[list[int], list[Any]]] = {}
        for place, mapping in zip(places, mappings, strict=True):
            for key, value in mapping.items():
                if key not in found:
                    found[key] = ([], [])
                having, values = found[key]
                having.append(place)
                values.append(value)
        for key, (having, values) in found.items():
            inner = (*path, key)
            self.put(inner, values, *spread(np.array(having)))
            if "." not in key:  # else no field reaches into it
                nested = [at for at, value in enumerate(values) if type(value) is dict]
                if nested:
                    places, mappings = [having[at] for at in nested], [values[at] for at in nested]
                    self._add_under(inner, places, mappings, spread)

    def _loose_arrays(self, name: str) -> _Arrays:
        """The arrays of what is under paths without a column, see ``plait.columns.loose``."""
        named = sorted((json.dumps(path), sorted(held)) for path, held in self._loose.items())
        held = list(chain.from_iterable(held for _, held in named))
        texts = [text.encode() for _, text in held]
        return {
            **Names.build([path for path, _ in named], f"{name}.paths"),
            f"{name}.starts": _offsets([len(held) for _, held in named]),
            f"{name}.rows": np.array([row for row, _ in held], dtype=np.uint32),
            f"{name}.ends": _offsets([len(text) for text in texts]),
            f"{name}.texts": np.frombuffer(b"".join(texts), dtype=np.uint8),
        }


class _Values:
    """One column while rows are added.

    Values are known by keys, each with a provisional number: texts and numbers by themselves, what
    would equal one of these by a tuple, and a list by the numbers of what is plain in it, as bytes,
    and the JSON of the mappings in it. Lists in a list are left out: no field reaches into them.

    Args:
        room: For how many further columns there is room.
        reached: Whether a field can reach into the mappings of a list here.
    """

    def __init__(self, room: Iterator[int], *, reached: bool) -> None:
        self._reached = reached
        self._rows: list[NDArray[np.uint32]] = []
        self._numbers: list[NDArray[np.uint32]] = []
        self._known: defaultdict[Any, int] = defaultdict(count(FIRST).__next__, _FIXED)
        self._inner = Level(room)
        self._owners: list[int] = []

    def put(self, values: Sequence[Any], rows: NDArray[np.int64], which: NDArray[np.int64]) -> None:
        """What some rows have, as ``Level.put``."""
        self._rows.append(rows.astype(np.uint32))
        self._numbers.append(self._numbered(values)[which])

    def arrays(self, name: str, size: int) -> _Arrays:
        """The arrays of a column, see ``plait.columns.column``."""
        keys = list(self._known)[len(_FIXED) :]
        texts = sorted([key for key in keys if type(key) is str])
        floats = sorted([key for key in keys if type(key) in _NUMBER and has_float(key)])
        integers = sorted([key for key in keys if type(key) is int and not has_float(key)])
        lists: list[Any] = [key for key in keys if type(key) is bytes or type(key) is tuple]
        final = np.arange(FIRST + len(keys), dtype=np.uint32)
        ordered = chain(texts, floats, integers, lists)
        final[self._looked_up(ordered, len(keys))] = np.arange(FIRST, FIRST + len(keys))
        plain = [key[0] if type(key) is tuple else key for key in lists]
        items = final[np.frombuffer(b"".join(plain), dtype=np.uint32)]
        ends = _offsets([len(each) // items.itemsize for each in plain])
        first_list = FIRST + len(keys) - len(lists)
        made = {
            **Names.build(texts, f"{name}.texts"),
            f"{name}.numbers": np.array(floats, dtype=np.float64),
            **Names.build(map(to_text, integers), f"{name}.integers"),
            f"{name}.lists": ends.astype(smallest(len(items))),
            f"{name}.items": items.astype(smallest(first_list)),
        }
        if self._owners:
            made[f"{name}.owners"] = final[self._owners] - np.uint32(first_list)
            made |= self._inner.arrays(f"{name}.inner")
        rows, codes = np.concatenate(self._rows), final[np.concatenate(self._numbers)]
        codes = codes.astype(smallest(len(final)))
        if len(rows) * _SPARSE <= size:
            order = np.argsort(rows)
            return made | {f"{name}.rows": rows[order], f"{name}.codes": codes[order]}
        whole = np.zeros(size, dtype=codes.dtype)
        whole[rows] = codes
        return made | {f"{name}.codes": whole}

    def _numbered(self, values: Sequence[Any]) -> NDArray[np.uint32]:
        """The provisional numbers of values."""
        keys = values
        if not _PLAIN.issuperset(map(type, values)):
            lists = iter(self._list_keys([each for each in values if type(each) is list]))
            keys = [
                each
                if type(each) in _PLAIN
                else next(lists)
                if type(each) is list
                else ()
                if type(each) is dict
                else (each,)
                for each in values
            ]
        return self._looked_up(keys, len(values))

    def _looked_up(self, keys: Iterable[Any], length: int) -> NDArray[np.uint32]:
        return np.fromiter(map(self._known.__getitem__, keys), dtype=np.uint32, count=length)

    def _list_keys(self, lists: list[list[Any]]) -> list[Any]:
        kinds = set(map(type, chain.from_iterable(lists)))
        plain = lists
        if not kinds <= _SCALAR:
            plain = [[item for item in each if type(item) in _SCALAR] for each in lists]
        numbers = self._numbered(list(chain.from_iterable(plain)))
        octets, width = numbers.tobytes(), numbers.itemsize
        bounds = accumulate(map(len, plain), initial=0)
        keys: list[Any] = [octets[low * width : high * width] for low, high in pairwise(bounds)]
        if self._reached and not kinds <= _SCALAR:
            self._add_mappings(lists, keys)
        return keys

    def _add_mappings(self, lists: list[list[Any]], keys: list[Any]) -> None:
        """Take what mappings are in lists, and tell the keys of these lists by it."""
        found: list[Mapping[str, Any]] = []
        for place, each in enumerate(lists):
            mappings = [item for item in each if type(item) is dict]
            if mappings:
                key = keys[place] = (keys[place], json.dumps(mappings, sort_keys=True))
                if key not in self._known:
                    found.extend(mappings)
                    self._owners.extend([self._known[key]] * len(mappings))
        self._inner.add(found, np.arange(len(found)))


def _offsets(lengths: Sequence[int]) -> NDArray[np.uint64]:
    return np.fromiter(accumulate(lengths, initial=0), dtype=np.uint64, count=len(lengths) + 1)
