"""Dense retrieval: whatever the history, a fresh build; whatever the data, the exact answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from plait.dense import DenseRetriever, DenseView, FlatIndex, MemoryVectors, parse_metric
from plait.embedders import HashEmbedder
from plait.table import ChunkTable
from plait.types import Chunk, Query

METRICS = st.sampled_from(["cosine", "dot", "euclidean"])
NAMES = st.sampled_from(list("abcdefgh"))

# Few values, so that ties, copies and parallel vectors are common; never all zeros.
vectors = st.tuples(
    st.sampled_from([1.0, -1.0, 0.1, 3.0]),
    st.sampled_from([0.0, 1.0, 0.1, 1e-7]),
    st.sampled_from([0.0, 1.0, -2.0]),
)
chunks = st.builds(
    lambda id, vector, lang: Chunk(
        f"text of {id}", id=id, embedding=vector, metadata={"lang": lang}
    ),
    NAMES,
    vectors,
    st.sampled_from(["de", "en"]),
)
writes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(chunks, max_size=6)),
        st.tuples(st.just("delete"), st.lists(NAMES, max_size=3)),
        st.tuples(st.just("filter"), st.sampled_from(["de", "en"])),
        st.tuples(st.just("clear"), st.none()),
    ),
    max_size=12,
)
queries = vectors.map(lambda vector: Query(embedding=vector))


def seen(result):
    return [(hit.id, hit.score, hit.chunk, hit.rank) for hit in result], result.total


def apply(history, retriever, there):
    """The history on a retriever, and on a dict of what must be there after it."""
    for action, what in history:
        if action == "add":
            last = {chunk.id: chunk for chunk in what}
            assert retriever.add(what) == len(last)
            there |= last
        elif action == "delete":
            gone = set(what) & set(there)
            assert retriever.delete(ids=what) == len(gone)
            for name in gone:
                del there[name]
        elif action == "filter":
            gone = {name for name, chunk in there.items() if chunk.metadata["lang"] == what}
            assert retriever.delete(filter={"lang": what}) == len(gone)
            for name in gone:
                del there[name]
        else:
            assert retriever.clear() == len(there)
            there.clear()
        assert retriever.count() == len(there)


@given(writes, METRICS, queries, st.integers(1, 10))
def test_any_history_equals_a_fresh_build(history, metric, query, top_k):
    retriever, there = DenseRetriever(metric=metric), {}
    apply(history, retriever, there)
    fresh = DenseRetriever(list(there.values()), metric=metric)
    assert seen(retriever.retrieve(query, top_k=top_k)) == seen(fresh.retrieve(query, top_k=top_k))
    assert {name: retriever.get(name) for name in "abcdefgh"} == {
        name: there.get(name) for name in "abcdefgh"
    }


@given(
    st.lists(chunks, max_size=8),
    METRICS,
    queries,
    st.integers(1, 20),
    st.sampled_from(["de", "en", "fr"]),
)
def test_what_the_filter_keeps_out_is_never_returned(given_chunks, metric, query, top_k, lang):
    retriever = DenseRetriever(given_chunks, metric=metric)
    result = retriever.retrieve(query, top_k=top_k, filter={"lang": lang})
    kept = {chunk.id: chunk for chunk in given_chunks}
    kept = {name for name, chunk in kept.items() if chunk.metadata["lang"] == lang}
    assert {hit.id for hit in result} <= kept
    assert len(result) == min(top_k, len(kept))
    assert result.total == len(kept)


@given(st.lists(chunks, max_size=8), METRICS, st.lists(queries, max_size=4), st.integers(1, 9))
def test_many_are_each(given_chunks, metric, asked, top_k):
    retriever = DenseRetriever(given_chunks, metric=metric)
    many = retriever.retrieve_many(asked, top_k=top_k)
    assert [seen(result) for result in many] == [
        seen(retriever.retrieve(query, top_k=top_k)) for query in asked
    ]


@given(st.lists(chunks, max_size=8), METRICS, queries)
def test_a_result_is_a_prefix_of_a_longer_one(given_chunks, metric, query):
    retriever = DenseRetriever(given_chunks, metric=metric)
    whole = seen(retriever.retrieve(query, top_k=20))[0]
    for top_k in range(1, len(whole) + 1):
        assert seen(retriever.retrieve(query, top_k=top_k))[0] == whole[:top_k]


@st.composite
def matrices(draw):
    """Rows of any size float32 can multiply, some copied or moved by one float32 step."""
    dim = draw(st.integers(1, 40))
    values = st.floats(-1e6, 1e6, width=32).filter(lambda value: value == 0 or abs(value) > 1e-6)
    rows = draw(arrays(np.float32, (draw(st.integers(1, 12)), dim), elements=values))
    rows[~rows.any(axis=1)] = 1.0
    copies = draw(st.lists(st.integers(0, len(rows) - 1), max_size=12))
    twins = rows[copies]
    twins[::2] = np.nextafter(twins[::2], np.float32(np.inf))
    twins[~twins.any(axis=1)] = 1.0
    return np.concatenate([rows, twins])


@settings(max_examples=200)
@given(matrices(), METRICS, st.integers(1, 6), st.data())
def test_the_exact_best_whatever_blas_says_and_however_it_is_cut(rows, name, top_k, data):
    metric = parse_metric(name)
    query = rows[data.draw(st.integers(0, len(rows) - 1))].copy()
    query[data.draw(st.integers(0, len(query) - 1))] += np.float32(0.5)
    if not query.any():
        query[:] = 1.0
    cut = data.draw(st.integers(0, len(rows)))
    index = FlatIndex(metric).added(rows[:cut]).added(rows[cut:])
    ids = data.draw(st.permutations([f"{number:03}" for number in range(len(rows))]))
    table = ChunkTable()
    table.add(ids, [{}] * len(rows))
    part = MemoryVectors(table.view(), index)
    ranking = DenseView((part,), metric, part.dim).rank(query, top_k=top_k)
    alone = [float(np.float32(metric.scores(row[np.newaxis], query)[0]) + 0.0) for row in rows]
    sign = -1 if metric.higher_is_better else 1
    expected = sorted(zip(ids, alone, strict=True), key=lambda each: (sign * each[1], each[0]))
    assert list(zip(ranking.ids, ranking.scores, strict=True)) == expected[:top_k]


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(1, 64), st.booleans())
def test_hashing_any_text_gives_a_direction(texts, dim, normalize):
    embedder = HashEmbedder(dim, normalize=normalize)
    made = embedder.embed_passages(texts)
    assert made.shape == (len(texts), dim)
    assert np.isfinite(made).all()
    lengths = np.linalg.norm(made.astype(float), axis=1)
    assert (lengths > 0.1).all()
    if normalize:
        assert lengths == pytest.approx(1, abs=1e-6)
    for text, vector in zip(texts, made, strict=True):
        np.testing.assert_array_equal(embedder.embed_query(text), vector)
