"""The cache of recent queries, and the check of what one's own embedder gives."""

import threading

import numpy as np
import pytest

from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedding import (
    CachedEmbedder,
    QueryCache,
)
from plait.errors import ConfigurationError, EmbeddingError


class Counting(HashEmbedder):
    """Counts the queries that reach it."""

    def __init__(self, dim=8, **options):
        super().__init__(dim, **options)
        self.asked = []

    def embed_query(self, text):
        self.asked.append(text)
        return super().embed_query(text)


class TestCachedEmbedder:
    def test_a_repeated_query_is_embedded_once(self):
        inner = Counting()
        cached = CachedEmbedder(inner)
        first, second = cached.embed_query("cats purr"), cached.embed_query("cats purr")
        assert inner.asked == ["cats purr"]
        np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(first, HashEmbedder(8).embed_query("cats purr"))

    def test_what_is_kept_cannot_be_changed_through_what_is_returned(self):
        cached = CachedEmbedder(Counting())
        with pytest.raises(ValueError, match="read-only"):
            cached.embed_query("cats purr")[0] = 9

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (HashEmbedder(64), HashEmbedder(128)),
            (HashEmbedder(64, normalize=False), HashEmbedder(64, normalize=True)),
            (HashEmbedder(64), HashEmbedder(64, query_prefix="query: ")),
            (
                CallableEmbedder(lambda texts: [[1.0, 2.0]] * len(texts), name="a", dim=2),
                CallableEmbedder(lambda texts: [[2.0, 1.0]] * len(texts), name="b", dim=2),
            ),
        ],
        ids=["dim", "normalize", "prefix", "name"],
    )
    def test_embedders_that_share_a_cache_do_not_share_vectors(self, one, other):
        cache = QueryCache()
        for _ in range(2):
            for embedder in (one, other):
                kept = CachedEmbedder(embedder, cache).embed_query("cats purr")
                np.testing.assert_array_equal(kept, embedder.embed_query("cats purr"))
        assert len(cache) == 2

    def test_equal_embedders_share_vectors(self):
        cache, inner = QueryCache(), Counting()
        CachedEmbedder(HashEmbedder(8), cache).embed_query("x")
        CachedEmbedder(inner, cache).embed_query("x")
        assert inner.asked == []

    def test_the_least_recently_used_goes_first(self):
        inner = Counting()
        cached = CachedEmbedder(inner, QueryCache(2))
        for text in ("a", "b", "a", "c", "a", "b"):
            cached.embed_query(text)
        assert inner.asked == ["a", "b", "c", "b"]

    def test_stands_for_its_embedder(self):
        inner = HashEmbedder(8)
        cached = CachedEmbedder(inner)
        assert (cached.identity, cached.spec, cached.dim) == (inner.identity, inner.spec, 8)
        said = []
        vectors = cached.embed_passages(["a"], progress=lambda *step: said.append(step))
        np.testing.assert_array_equal(vectors, inner.embed_passages(["a"]))
        assert said == [(1, 1)]

    @pytest.mark.parametrize(
        "given",
        [
            None,
            "text",
            [1.0] * 7,
            [[1.0] * 8],
            [float("nan")] * 8,
            [float("inf")] * 8,
            [True] * 8,
            ["1"] * 8,
            [[1.0], [1.0, 2.0]] * 4,
            iter([1.0] * 8),
        ],
    )
    def test_what_is_not_one_finite_vector_of_each_text_is_a_fault_of_the_embedder(self, given):
        class Sick(HashEmbedder):
            def embed_query(self, text):
                return given

            def embed_passages(self, texts, *, progress=None):
                return [given] * len(texts)

        cached = CachedEmbedder(Sick(8))
        with pytest.raises(EmbeddingError, match="embedder 'hash"):
            cached.embed_query("cats")
        with pytest.raises(EmbeddingError, match="embedder 'hash"):
            cached.embed_passages(["cats", "dogs"])

    def test_numbers_of_any_kind_are_taken_as_float32(self):
        class Plain(HashEmbedder):
            def embed_query(self, text):
                return [1, 2, 3]

            def embed_passages(self, texts, *, progress=None):
                return [np.array([1, 2, 3], dtype=np.float16)] * len(texts)

        cached = CachedEmbedder(Plain(3))
        for made in (cached.embed_query("cats"), cached.embed_passages(["cats"])[0]):
            assert (made.dtype, made.tolist()) == (np.float32, [1.0, 2.0, 3.0])

    @pytest.mark.parametrize("size", [0, -1, True, 1.0, None])
    def test_a_cache_holds_at_least_one(self, size):
        with pytest.raises(ConfigurationError, match="size of a cache"):
            QueryCache(size)

    def test_32_threads(self):
        cached = CachedEmbedder(HashEmbedder(16), QueryCache(4))
        texts = [f"text {number}" for number in range(8)]
        expected = {text: HashEmbedder(16).embed_query(text).tobytes() for text in texts}
        wrong = []

        def ask():
            for text in texts * 20:
                if cached.embed_query(text).tobytes() != expected[text]:
                    wrong.append(text)

        threads = [threading.Thread(target=ask) for _ in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
