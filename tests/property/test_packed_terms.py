"""The packed index, compiled and in NumPy, says what the index in memory says, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plait.bits import full, has, of_mask, ordinals
from plait.filters import Filter
from plait.kernels import native
from plait.lexical import Bm25, LexicalIndex, LexicalView, MemoryTerms, PackedTerms
from plait.storage import MemoryArrays
from plait.table import Bits, Ordinals, TableView
from plait.text import Analyzer

WORDS = Analyzer(tokenizer="whitespace")
VARIANTS = st.sampled_from(
    [
        Bm25(),
        Bm25(k1=0.0),
        Bm25(b=0.0),
        Bm25(b=1.0, k1=3.0),
        Bm25(variant="robertson"),
        Bm25(variant="atire"),
        Bm25(variant="bm25l"),
        Bm25(variant="bm25plus"),
        Bm25(variant="okapi"),
    ]
)
TEXTS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "é", "rare"]), max_size=12).map(" ".join),
    max_size=60,
)
QUERIES = st.lists(st.sampled_from(["a", "b", "c", "d", "é", "rare", "x"]), max_size=6).map(
    " ".join
)


@dataclass(frozen=True)
class FakeRows:
    """Rows named by number; every filter lets the even ones pass."""

    size: int
    alive: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def count(self) -> int:
        return int(self.alive.sum())

    def names(self, rows: Ordinals, /) -> list[str]:
        return [f"{row:05}" for row in rows.tolist()]

    def allowed(self, keep: Filter | None, /) -> Bits | None:
        if keep is None:
            return None if self.alive.all() else of_mask(self.alive)
        return of_mask(self.alive & (np.arange(self.size) % 2 == 0))

    def rows(self, ids: Any, keep: Filter | None = None, /) -> Ordinals:
        wanted = np.array([int(each) for each in ids if int(each) < self.size], dtype=np.int64)
        allowed = self.allowed(keep)
        return wanted if allowed is None else wanted[has(allowed, wanted)]


def memory(texts: Sequence[str], dead: Sequence[int]) -> MemoryTerms:
    table = TableView([], [], np.zeros(0, np.bool_), 0).grown(
        [f"{row:05}" for row in range(len(texts))], [{"n": row % 2} for row in range(len(texts))]
    )
    index = LexicalIndex().added(WORDS.count(texts))
    gone = np.array(dead, dtype=np.int64)
    return MemoryTerms(table.without(gone), index.removed(gone))


def packed(texts: Sequence[str], dead: Sequence[int] = ()) -> PackedTerms:
    rows = FakeRows(len(texts), np.ones(len(texts), np.bool_))
    part = PackedTerms.over_arrays(MemoryArrays(PackedTerms.build(WORDS.count(texts))), rows)
    if dead:
        alive = rows.alive.copy()
        alive[list(dead)] = False
        part = part.without(np.array(dead)).over(FakeRows(len(texts), alive))
    return part


def answers(part: Any, bm25: Bm25, query: str, top_k: int) -> Any:
    view = LexicalView((part,), WORDS, bm25)
    keep = Filter.parse({"n": 0})
    some = [f"{row:05}" for row in range(0, 60, 3)]
    rankings = [view.rank(query, top_k=top_k), view.rank(query, top_k=top_k, filter=keep)]
    return (
        [(each.ids, each.scores, each.coverage) for each in rankings],
        view.score(query, some),
        view.score(query, some, filter=keep),
        view.weights(query),
    )


@given(TEXTS, QUERIES, VARIANTS, st.integers(1, 20), st.data())
@example(["a b"] * 60, "a b", Bm25(), 3, None)
@example(["a " * 300, "a " * 70_000, "b a"], "a b", Bm25(), 2, None)
def test_they_say_the_same(texts: list[str], query: str, bm25: Bm25, top_k: int, data: Any) -> None:
    some = st.lists(st.integers(0, max(0, len(texts) - 1)), unique=True, max_size=len(texts))
    dead = data.draw(some) if data is not None and texts else []
    expected = answers(memory(texts, dead), bm25, query, top_k)
    assert answers(packed(texts, dead), bm25, query, top_k) == expected
    with native.without():
        assert answers(packed(texts, dead), bm25, query, top_k) == expected


@given(TEXTS, st.lists(st.integers(0, 2), min_size=60, max_size=60), QUERIES, VARIANTS)
def test_merging_makes_what_building_makes(
    texts: list[str], choice: list[int], query: str, bm25: Bm25
) -> None:
    """Rows spread over two parts, some of them dropped, in one order."""
    kept = [row for row in range(len(texts)) if choice[row] < 2]
    parts = [[row for row in range(len(texts)) if choice[row] == part] for part in (0, 1)]
    source = np.array([choice[row] for row in kept], dtype=np.int32)
    ordinal = np.array([parts[choice[row]].index(row) for row in kept], dtype=np.int64)
    merged = PackedTerms.merge(
        [packed([texts[row] for row in part]) for part in parts], source, ordinal
    )
    built = PackedTerms.build(WORDS.count([texts[row] for row in kept]))
    assert list(merged) == list(built)
    made = MemoryArrays(merged)
    for name, array in built.items():
        assert np.array_equal(made[name], array), name
        assert made[name].dtype == array.dtype, name


def many(draw: np.random.Generator, count: int) -> list[str]:
    """Texts whose common words span many blocks and windows of documents."""
    words = draw.zipf(1.3, size=(count, 12)) % 500
    return [" ".join(f"w{word}" for word in row[: draw.integers(0, 13)]) for row in words.tolist()]


@pytest.mark.parametrize("variant", ["lucene", "atire", "bm25plus", "bm25l"])
def test_many_documents_with_pruning(variant: str) -> None:
    draw = np.random.default_rng(5)
    texts = many(draw, 20_000)
    dead = draw.choice(20_000, 300, replace=False).tolist()
    bm25 = Bm25(variant=variant)
    here, there = packed(texts, dead), memory(texts, dead)
    for top_k in (1, 10, 200):
        for _ in range(15):
            query = " ".join(f"w{word}" for word in draw.integers(1, 300, draw.integers(1, 8)))
            view = LexicalView((here,), WORDS, bm25)
            expected = LexicalView((there,), WORDS, bm25).rank(query, top_k=top_k)
            found = view.rank(query, top_k=top_k)
            assert (found.ids, found.scores) == (expected.ids, expected.scores)
            with native.without():
                slow = view.rank(query, top_k=top_k)
            assert (slow.ids, slow.scores) == (expected.ids, expected.scores)


def test_parts_add_up() -> None:
    texts = many(np.random.default_rng(6), 3000)
    whole = LexicalView((memory(texts, ()),), WORDS, Bm25())

    class Named(FakeRows):
        def names(self, rows: Ordinals, /) -> list[str]:
            return [f"{row + 1000:05}" for row in rows.tolist()]

    first = packed(texts[:1000])
    arrays = MemoryArrays(PackedTerms.build(WORDS.count(texts[1000:])))
    second = PackedTerms.over_arrays(arrays, Named(2000, np.ones(2000, np.bool_)))
    parts = LexicalView((first, second), WORDS, Bm25())
    for query in ("w1 w2 w3", "w7", "w40 w9 w40", "nothing"):
        expected, found = whole.rank(query, top_k=50), parts.rank(query, top_k=50)
        assert (found.ids, found.scores) == (expected.ids, expected.scores)


def test_bits_of_everything() -> None:
    assert ordinals(full(130)).tolist() == list(range(130))
