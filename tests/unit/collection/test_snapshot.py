"""A snapshot answers the same, whatever is written after it was taken."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from plait.collection import Collection
from plait.errors import ConfigurationError, LockedError, QueryError, StoreError
from plait.types import Chunk, Query

Make = Callable[..., Collection]
TEXTS = ["cats purr", "dogs bark", "cats and dogs", "birds sing to cats", "fish swim"]


@pytest.fixture
def filled(kb: Collection) -> Collection:
    kb.add([Chunk(text, id=str(n), metadata={"n": n}) for n, text in enumerate(TEXTS)])
    return kb


def change(kb: Collection) -> None:
    kb.add([Chunk("cats cats cats", id="new"), Chunk("other", id="0")])
    kb.delete(ids=["2"])


def test_it_keeps_answering_the_same(filled: Collection, make: Make) -> None:
    with filled.snapshot() as view:
        before = view.search("cats dogs", top_k=5), view.search("cats", filter={"n": {"$lt": 3}})
        for kb in (filled, make()):
            change(kb)
            assert view.search("cats dogs", top_k=5).hits == before[0].hits
            assert view.search("cats", filter={"n": {"$lt": 3}}).hits == before[1].hits
        filled.clear()
        filled.reembed("hash(dim=8)")
        assert view.search("cats dogs", top_k=5).hits == before[0].hits
        assert asyncio.run(view.asearch("cats dogs", top_k=5)).hits == before[0].hits
        assert view.get("0") == Chunk("cats purr", id="0", metadata={"n": 0})
        assert view.get("new") is None
        assert view.count() == 5
        assert view.search("cats").generation == view.generation == before[0].generation
    assert filled.count() == 0


def test_its_pages_agree(filled: Collection) -> None:
    with filled.snapshot() as view:
        pages = []
        for offset in range(0, 5, 2):
            pages += view.search("cats dogs birds fish", top_k=2, offset=offset).hits
            change(filled)
        assert pages == list(view.search("cats dogs birds fish", top_k=5).hits)


def test_mistakes_are_those_of_search(filled: Collection) -> None:
    with filled.snapshot() as view:
        for wrong in ({"top_k": 0}, {"offset": -1}, {"fetch_k": 2}):
            with pytest.raises(QueryError):
                view.search("cats", **wrong)  # type: ignore[arg-type]


def test_closed_it_says_so(filled: Collection) -> None:
    view = filled.snapshot()
    view.close()
    view.close()
    calls: list[Callable[[], Any]] = [lambda: view.get("0"), lambda: view.search("cats")]
    for call in calls:
        with pytest.raises(StoreError, match="is closed"):
            call()


def test_it_outlives_its_collection(filled: Collection) -> None:
    with filled.snapshot() as view:
        filled.close()
        assert view.search("cats")[0].chunk.content.startswith("cats")


def test_compact_cannot_empty_the_log_under_it(make: Make) -> None:
    kb = make(lock_timeout=0.05)
    kb.add([Chunk("cats", id="a")])
    with kb.snapshot() as view:
        kb.clear()
        with pytest.raises(LockedError, match="close snapshots"):
            kb.compact()
        assert view.search("cats")[0].id == "a"
    kb.compact()


def test_it_knows_how_much_each_term_tells(kb: Collection) -> None:
    kb.add([Chunk("a cat", id="a"), Chunk("a dog", id="b")])
    with kb.snapshot() as view:
        kb.add([Chunk("a bird", id="c")])
        weights = view.term_weights("a cat bird")
    # ln(1 + (N - n + 0.5) / (n + 0.5)) with N = 2
    assert weights == {"a": math.log(1 + 0.5 / 2.5), "cat": math.log(1 + 1.5 / 1.5)}


def test_it_lists_its_chunks_and_gives_them(filled: Collection) -> None:
    with filled.snapshot() as view:
        change(filled)
        assert view.ids() == ["0", "1", "2", "3", "4"]
        found = view.chunks(["2", "gone", "0"])
        assert {id: chunk.content for id, chunk in found.items()} == {
            "0": "cats purr",
            "2": "cats and dogs",
        }
    with filled.snapshot() as view:
        assert view.ids() == ["0", "1", "3", "4", "new"]
        assert view.chunks([]) == {}


class TestRanking:
    """One leg alone, ids and scores."""

    def test_it_is_what_the_leg_gives_the_hybrid(self, kb: Collection) -> None:
        kb.add([Chunk(f"cats {n}", id=str(n), metadata={"even": n % 2 == 0}) for n in range(9)])
        with kb.snapshot() as snapshot:
            for leg in ("dense", "bm25"):
                (expected,) = snapshot.retriever().rankings("cats 3", fetch_k=4, legs=[leg])
                found = snapshot.ranking(leg, "cats 3", top_k=4)
                assert (found.ids, found.scores) == (expected.ids, expected.scores)
                even = snapshot.ranking(leg, "cats 3", top_k=9, filter={"even": True})
                assert set(even.ids) == {"0", "2", "4", "6", "8"}

    def test_what_cannot_be_asked(self, kb: Collection) -> None:
        kb.add([Chunk("cats", id="a")])
        with kb.snapshot() as snapshot:
            with pytest.raises(
                ConfigurationError, match="no leg 'sparse' here; there is dense, bm25"
            ):
                snapshot.ranking("sparse", "cats")
            with pytest.raises(QueryError, match="needs a query with text"):
                snapshot.ranking("bm25", Query(embedding=[1.0] * 32))
            with pytest.raises(QueryError, match="top_k is 0"):
                snapshot.ranking("bm25", "cats", top_k=0)
