"""A state in which some chunks are others answers as a collection of these would."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from plait.collection import Collection
from plait.embedders import CallableEmbedder
from plait.errors import ConfigurationError
from plait.hybrid import HybridRetriever
from plait.types import Chunk

Make = Callable[..., Collection]

TEXTS = {
    "a": "cats purr at night",
    "b": "dogs bark at cats",
    "c": "birds sing",
    "d": "fish swim and swim",
    "gone": "cats cats cats",
}
CHANGED = [
    Chunk("birds bark", id="b", title="Loud birds", metadata={"changed": True}),
    Chunk("a newword for cats", id="d", metadata={"changed": True}),
]
QUERIES = ("cats", "birds bark", "newword swim", "dogs", "nothing of it")


def chunks(texts: dict[str, str]) -> list[Chunk]:
    return [Chunk(text, id=name) for name, text in texts.items()]


@pytest.fixture
def filled(kb: Collection) -> Collection:
    """With a replaced and a deleted chunk in its history."""
    kb.add([Chunk("an older text about newword", id="a")])
    kb.add(chunks(TEXTS))
    kb.delete(ids=["gone"])
    return kb


def answers(hybrid: HybridRetriever, **given: Any) -> list[Any]:
    """What the legs return, to the last bit, and what the fusion makes of it."""
    return [
        (
            [
                (each.leg, each.ids, each.scores, each.total, each.coverage)
                for each in hybrid.rankings(query, fetch_k=3, **given)
            ],
            [(hit.id, hit.score) for hit in hybrid.retrieve(query, **given)],
        )
        for query in QUERIES
    ]


def fresh(make: Make, changed: Iterable[Chunk], **given: Any) -> HybridRetriever:
    kb = make("fresh", **given)
    kept = {name: text for name, text in TEXTS.items() if name != "gone"}
    kb.add(chunks(kept))
    kb.add(changed)
    return kb.retriever()


@pytest.mark.parametrize("metric", ["cosine", "dot", "euclidean"])
def test_it_equals_a_collection_of_these_chunks(make: Make, metric: str) -> None:
    kb = make(metric=metric)
    kb.add(chunks(TEXTS))
    kb.delete(ids=["gone"])
    with kb.snapshot() as view:
        before = answers(view.retriever())
        changed = view.exchanging(CHANGED)
        assert answers(changed) == answers(fresh(make, CHANGED, metric=metric))
        assert answers(changed) != before
        assert answers(view.retriever()) == before


def test_filters_see_the_metadata_of_the_others(filled: Collection) -> None:
    with filled.snapshot() as view:
        found = view.exchanging(CHANGED).rankings("cats", filter={"changed": True})
        assert [set(each.ids) for each in found] == [{"b", "d"}, {"d"}]
        assert all(
            not each.ids for each in view.retriever().rankings("x", filter={"changed": True})
        )


def test_nothing_is_written(filled: Collection, make: Make) -> None:
    before = dict(filled.describe())
    with filled.snapshot() as view:
        view.exchanging(CHANGED).retrieve("cats")
        assert view.get("b") == Chunk("dogs bark at cats", id="b")
    assert dict(filled.describe()) == before
    assert answers(make().retriever()) == answers(filled.retriever())


def test_the_collection_goes_on_unharmed(filled: Collection, make: Make) -> None:
    with filled.snapshot() as view:
        changed = view.exchanging(CHANGED)
        before = answers(changed)
        filled.add([Chunk("newword and cats", id="e"), Chunk("dogs", id="a")])
        filled.delete(ids=["c"])
        assert answers(changed) == before
        second = view.exchanging(CHANGED[:1])
        assert answers(second) != before
        assert answers(changed) == before
    other = make("again")
    other.add([Chunk("dogs", id="a"), *chunks({k: TEXTS[k] for k in "bd"})])
    other.add([Chunk("newword and cats", id="e")])
    assert answers(filled.retriever()) == answers(other.retriever())


def test_contents_are_those_of_the_snapshot(filled: Collection) -> None:
    with filled.snapshot() as view:
        hits = view.exchanging(CHANGED).retrieve("newword", legs=["bm25"]).hits
        assert [(hit.id, hit.chunk.content) for hit in hits] == [("d", "fish swim and swim")]


def test_exchanging_nothing_changes_nothing(filled: Collection) -> None:
    with filled.snapshot() as view:
        assert answers(view.exchanging([])) == answers(view.retriever())
        same = [view.chunks(["a"])["a"]]
        assert answers(view.exchanging(same)) == answers(view.retriever())


def test_all_of_them_can_be_exchanged(kb: Collection, make: Make) -> None:
    kb.add(chunks(TEXTS))
    turned = dict(zip(TEXTS, reversed(TEXTS.values()), strict=True))
    other = make("turned")
    other.add(chunks(turned))
    with kb.snapshot() as view:
        assert answers(view.exchanging(chunks(turned))) == answers(other.retriever())


def test_by_words_only(make: Make) -> None:
    kb = make(embedder=None)
    kb.add(chunks({name: text for name, text in TEXTS.items() if name != "gone"}))
    with kb.snapshot() as view:
        assert answers(view.exchanging(CHANGED)) == answers(fresh(make, CHANGED, embedder=None))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([Chunk("text", id="new")], "there is no chunk 'new'"),
        ([Chunk("text", id="gone")], "there is no chunk 'gone'"),
        ([Chunk("text")], "there is no chunk None"),
        ([CHANGED[0], CHANGED[1], CHANGED[0]], "chunk 'b' is given twice"),
        (["b"], "chunks hold str, expected Chunk values"),
    ],
)
def test_what_cannot_be_exchanged(filled: Collection, wrong: list[Any], said: str) -> None:
    with filled.snapshot() as view, pytest.raises(ConfigurationError, match=said):
        view.exchanging(wrong)


def test_vectors_that_were_brought_along_cannot_be_made(make: Make) -> None:
    kb = make(embedder=None)
    kb.add([Chunk("cats", id="a", embedding=[1.0, 2.0])])
    with kb.snapshot() as view, pytest.raises(ConfigurationError, match=r"kb\.reembed"):
        view.exchanging([Chunk("dogs", id="a")])


def test_a_vector_that_cannot_be_compared_names_its_chunk(make: Make) -> None:
    def blind(texts: list[str]) -> list[list[float]]:
        return [[float(text.count("a")), 0.0] for text in texts]

    kb = make(embedder=CallableEmbedder(blind, name="blind", normalize=False))
    kb.add([Chunk("cats", id="a"), Chunk("rats", id="b")])
    with kb.snapshot() as view, pytest.raises(ConfigurationError, match="chunk 'b': the vector is"):
        view.exchanging([Chunk("bats", id="a"), Chunk("dogs", id="b")])
