"""However rows lie in parts, and whatever died in them, the answers are those of a fresh build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from plait.bits import has, of_mask
from plait.filters import Filter
from plait.kernels import native
from plait.lexical import (
    Bm25,
    LexicalIndex,
    LexicalPart,
    LexicalView,
    MemoryTerms,
    PackedTerms,
)
from plait.lexical.bm25 import VARIANTS
from plait.storage import MemoryArrays
from plait.table import Bits, Ordinals, TableView
from plait.text import Analyzer

WORDS = Analyzer(tokenizer="whitespace")
EVEN = Filter.parse({"even": True})
TERMS = st.sampled_from(["a", "b", "c", "é", "rare", "a b"])
TEXTS = st.lists(TERMS, max_size=9).map(" ".join)
QUERIES = st.lists(TERMS | st.just("unknown"), max_size=5).map(" ".join)
SETTINGS = st.builds(
    lambda variant, k1, b: Bm25(k1, b, variant),
    st.sampled_from(sorted(VARIANTS)),
    st.sampled_from([0.0, 1.5]),
    st.sampled_from([0.0, 0.75, 1.0]),
)


@dataclass(frozen=True)
class Row:
    """A chunk, the part it is in, and whether it has died there."""

    text: str
    part: int
    dead: bool


ROWS = st.lists(st.builds(Row, TEXTS, st.integers(0, 3), st.booleans()), max_size=40)


@dataclass(frozen=True)
class ListRows:
    """Rows whose ids are even or odd numbers, which the filter asks for."""

    ids: Sequence[str]
    alive: NDArray[np.bool_]

    @property
    def size(self) -> int:
        return len(self.ids)

    @property
    def count(self) -> int:
        return int(self.alive.sum())

    def names(self, ordinals: Ordinals, /) -> list[str]:
        return [self.ids[row] for row in ordinals.tolist()]

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        if keep is None:
            return None if self.alive.all() else of_mask(self.alive)
        passing = [keep.matches({"even": int(id) % 2 == 0}) for id in self.ids]
        return of_mask(self.alive & np.array(passing, dtype=np.bool_))

    def rows(self, ids: Iterable[str], keep: Filter | None = None, /) -> Ordinals:
        found = np.array([self.ids.index(id) for id in ids if id in self.ids], dtype=np.int64)
        allowed = self.allowed(keep)
        return found if allowed is None else found[has(allowed, found)]


def numbered(rows: Sequence[Row]) -> list[tuple[str, Row]]:
    return [(f"{number:03}", row) for number, row in enumerate(rows)]


def packed(rows: Sequence[tuple[str, Row]]) -> PackedTerms:
    ids = [id for id, _ in rows]
    whole = ListRows(ids, np.ones(len(ids), dtype=np.bool_))
    arrays = MemoryArrays(PackedTerms.build(WORDS.count(row.text for _, row in rows)))
    part = PackedTerms.over_arrays(arrays, whole)
    alive = np.array([not row.dead for _, row in rows], dtype=np.bool_)
    dead = np.flatnonzero(~alive)
    for some in (dead[::2], dead[1::2]):  # in two steps, as commits come
        part = part.without(some)
    return part.over(ListRows(ids, alive))


def tail(rows: Sequence[tuple[str, Row]], batch: int) -> MemoryTerms:
    table, index = TableView([], [], np.zeros(0, dtype=np.bool_), 0), LexicalIndex()
    for start in range(0, len(rows), batch):
        some = rows[start : start + batch]
        metadata = [{"even": int(id) % 2 == 0} for id, _ in some]
        table = table.grown([id for id, _ in some], metadata)
        index = index.added(WORDS.count(row.text for _, row in some))
    dead = np.flatnonzero(np.array([row.dead for _, row in rows], dtype=np.bool_))
    return MemoryTerms(table.without(dead), index.removed(dead))


def answers(
    parts: tuple[LexicalPart, ...], bm25: Bm25, query: str, top_k: int, ids: Sequence[str]
) -> Any:
    view = LexicalView(parts, WORDS, bm25)
    rankings = [view.rank(query, top_k=top_k, filter=keep) for keep in (None, EVEN)]
    return (
        [(each.ids, each.scores, each.coverage) for each in rankings],
        [view.score(query, ids, filter=keep) for keep in (None, EVEN)],
        view.weights(query),
        view.count,
    )


@settings(max_examples=150, deadline=None)
@given(ROWS, SETTINGS, QUERIES, st.integers(1, 12), st.integers(1, 7))
def test_any_layout_gives_the_answers_of_a_fresh_build(
    rows: list[Row], bm25: Bm25, query: str, top_k: int, batch: int
) -> None:
    named = numbered(rows)
    ids = [id for id, _ in named]
    alive = [(id, row) for id, row in named if not row.dead]
    expected = answers((tail(alive[::-1], len(named) + 1),), bm25, query, top_k, ids)
    lying = [[each for each in named if each[1].part == part] for part in range(4)]
    parts = (*map(packed, lying[:3]), tail(lying[3], batch))
    assert answers(parts, bm25, query, top_k, ids) == expected
    with native.without():
        assert answers(parts, bm25, query, top_k, ids) == expected


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_merging_drops_what_died(rows: list[Row]) -> None:
    named = numbered(rows)
    lying = [[each for each in named if each[1].part == part] for part in range(4)]
    alive = [(id, row) for id, row in named if not row.dead]
    source = np.array([row.part for _, row in alive], dtype=np.int32)
    ordinal = np.array([lying[each[1].part].index(each) for each in alive], dtype=np.int64)
    merged = PackedTerms.merge([packed(part) for part in lying], source, ordinal)
    built = PackedTerms.build(WORDS.count(row.text for _, row in alive))
    assert list(merged) == list(built)
    made = MemoryArrays(merged)
    for name, array in built.items():
        assert np.array_equal(made[name], array), name
        assert made[name].dtype == array.dtype, name
