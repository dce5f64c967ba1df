"""Making vectors in batches that are committed as they are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from plait.collection.rows import is_sound, vector_key
from plait.collection.store import Store
from plait.collection.vectors import BATCH, embed
from plait.dense.metric import COSINE
from plait.embedders import HashEmbedder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "default.plait")
    yield made
    made.close()


@pytest.mark.parametrize("count", [0, 1, BATCH, BATCH + 1, 2 * BATCH + 3])
def test_all_but_the_last_batch_are_committed(count: int, store: Store) -> None:
    embedder = HashEmbedder(dim=4)
    texts = {vector_key(f"text {n}"): f"text {n}" for n in range(count)}
    with store.writing() as writing:
        space = writing.space_for(embedder.identity, embedder.spec, 4)
    told: list[int] = []
    last = embed(store, space, embedder, texts, COSINE, told.append)
    with store.reading() as reading:
        committed = reading.embedded(texts, space, verify=True)
        assert reading.state().generation == 0
    assert committed.isdisjoint(row.key for row in last)
    assert committed | {row.key for row in last} == set(texts)
    assert len(committed) == max(0, (count - 1) // BATCH * BATCH)
    assert sum(told) == count
    assert all(is_sound(row.key, row.data, row.checksum) for row in last)
