"""Any history of a collection equals a fresh build: chunks, and ids and scores of both legs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.embedders import HashEmbedder
from plait.filters import Filter
from plait.types import Chunk, Query

IDS = [f"c{n}" for n in range(7)]
WORDS = ["cat", "cats", "purr", "E-1042", "退款", "plan", "the"]
QUERIES = ["cat purr", "E1042 plan", "退款", "the the cats", "nothing"]
FILTERS: list[dict[str, Any]] = [{"n": 1}, {"n": {"$ne": 1}}, {"tag": {"$exists": True}}]
HASH = HashEmbedder(dim=16)

chunks = st.builds(
    Chunk,
    content=st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    id=st.sampled_from(IDS),
    metadata=st.fixed_dictionaries({"n": st.integers(0, 2)}, optional={"tag": st.just("x")}),
    title=st.none() | st.sampled_from(WORDS),
    page=st.none() | st.integers(0, 9),
)
steps = st.one_of(
    st.tuples(st.just("add"), st.lists(chunks, min_size=1, max_size=5)),
    st.tuples(st.just("stream"), st.lists(chunks, max_size=5)),
    st.tuples(st.just("delete"), st.lists(st.sampled_from(IDS), max_size=4)),
    st.tuples(st.just("filter"), st.sampled_from(FILTERS)),
    st.sampled_from(["clear", "reopen", "compact", "search", "other", "reembed"]).map(
        lambda name: (name, None)
    ),
)


def answers(kb: Collection) -> list[Any]:
    """Ids, raw scores of both legs and fused scores, to the last bit."""
    found = []
    for query in QUERIES:
        for keep in (None, {"n": {"$gte": 1}}):
            result = kb.search(query, top_k=20, filter=keep)
            found.append(
                [
                    (hit.id, hit.chunk, hit.score, [share.raw_score for share in hit.contributions])
                    for hit in result
                ]
            )
    vector = np.arange(1, kb.describe()["dim"] + 1, dtype=np.float32)
    found.append([(hit.id, hit.score) for hit in kb.search(Query(embedding=vector), top_k=20)])
    return found


def apply(model: dict[str, Chunk], name: str, given: Any) -> None:
    """What a step means."""
    if name in ("add", "stream"):
        model.update((chunk.id, chunk) for chunk in given)
    elif name == "delete":
        for id in given:
            model.pop(id, None)
    elif name == "filter":
        keep = Filter.parse(given)
        for id in [id for id, chunk in model.items() if keep.matches(chunk.metadata)]:
            del model[id]
    elif name == "clear":
        model.clear()


class Walk:
    """A collection on its way through a history, now and then with a second one beside it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.kb = open_collection(folder, embedder=HASH)
        self.other: Collection | None = None
        self.dim = 16

    def step(self, name: str, given: Any) -> None:
        if name == "add":
            assert self.kb.add(given) == len({chunk.id for chunk in given})
        elif name == "stream":
            self.kb.add(iter(given))
        elif name == "delete":
            self.kb.delete(ids=given)
        elif name == "filter":
            self.kb.delete(filter=given)
        elif name == "clear":
            self.kb.clear()
        elif name == "compact":
            self.kb.compact()
        elif name == "search":
            self.kb.search("cat")
        elif name == "reembed":
            self.dim = 24 if self.dim == 16 else 16
            self.kb.reembed(f"hash(dim={self.dim})")
        elif name == "reopen":
            self.kb.close()
            self.kb = open_collection(self.folder)
        else:  # the other one, which knows an older state, goes on with the writing
            self.other = self.other or open_collection(self.folder)
            self.other, self.kb = self.kb, self.other

    def close(self) -> None:
        self.kb.close()
        if self.other is not None:
            self.other.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(history=st.lists(steps, max_size=14))
def test_any_history_equals_a_fresh_build(history: list[tuple[str, Any]]) -> None:
    model: dict[str, Chunk] = {}
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(f"{folder}/walked")
        for name, given in history:
            walk.step(name, given)
            apply(model, name, given)
        fresh = open_collection(f"{folder}/fresh", embedder=f"hash(dim={walk.dim})")
        fresh.add(list(model.values()))
        try:
            check(walk.kb, fresh, model)
            if walk.other is not None:
                check(walk.other, fresh, model)
        finally:
            walk.close()
            fresh.close()


def check(kb: Collection, fresh: Collection, model: Mapping[str, Chunk]) -> None:
    assert kb.count() == len(model)
    assert {id: kb.get(id) for id in IDS} == {id: model.get(id) for id in IDS}
    assert answers(kb) == answers(fresh)


@settings(max_examples=20, deadline=None)
@given(
    given=st.lists(chunks, max_size=6, unique_by=lambda chunk: chunk.id),
    vectors=st.lists(
        st.lists(st.floats(0.5, 2, width=32), min_size=3, max_size=3), min_size=6, max_size=6
    ),
)
def test_vectors_brought_along_come_back_bit_by_bit(
    given: list[Chunk], vectors: list[list[float]]
) -> None:
    brought = [
        replace(chunk, embedding=vector) for chunk, vector in zip(given, vectors, strict=False)
    ]
    with tempfile.TemporaryDirectory() as folder:
        with open_collection(folder, embedder=None) as kb:
            kb.add(brought)
        with open_collection(folder, read_only=True) as kb:
            for chunk in brought:
                found = kb.get(str(chunk.id))
                assert found == chunk
                assert found is not None
                assert found.embedding is not None
                assert chunk.embedding is not None
                assert found.embedding.tobytes() == chunk.embedding.tobytes()
