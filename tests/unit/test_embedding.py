"""What an embedder is, and the cache of recent queries."""

import dataclasses
import json
import threading
from hashlib import sha256

import numpy as np
import pytest

from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedding import (
    CachedEmbedder,
    EmbedderIdentity,
    QueryCache,
    check_embedder,
    text_key,
)
from plait.errors import ConfigurationError, EmbeddingError


def identity(**changes):
    return dataclasses.replace(EmbedderIdentity("m", "sha256:1", dim=3), **changes)


OTHERS = [
    {"weights": "sha256:2"},
    {"dim": 4},
    {"pooling": "cls"},
    {"normalize": False},
    {"max_tokens": 128},
    {"query_prefix": "query: "},
    {"passage_prefix": "passage: "},
]


class Counting(HashEmbedder):
    """Counts the queries that reach it."""

    def __init__(self, dim=8, **options):
        super().__init__(dim, **options)
        self.asked = []

    def embed_query(self, text):
        self.asked.append(text)
        return super().embed_query(text)


class TestIdentity:
    def test_the_model_is_a_name_to_show_and_not_part_of_what_it_is(self):
        assert identity(model="a copy elsewhere") == identity()
        assert hash(identity(model="a copy elsewhere")) == hash(identity())
        assert text_key(identity(model="a copy elsewhere"), "x") == text_key(identity(), "x")

    @pytest.mark.parametrize("change", OTHERS, ids=lambda change: next(iter(change)))
    def test_everything_else_makes_another_embedder_and_another_key(self, change):
        assert identity(**change) != identity()
        assert text_key(identity(**change), "x") != text_key(identity(), "x")

    def test_round_trip_through_json(self):
        full = identity(max_tokens=256, query_prefix="q: ", pooling="mean")
        stored = json.loads(json.dumps(full.to_dict()))
        assert EmbedderIdentity.from_dict(stored) == full
        assert EmbedderIdentity.from_dict(stored).model == "m"

    @pytest.mark.parametrize(
        "stored",
        [{}, None, [], {**identity().to_dict(), "more": 1}, {"model": "m", "weights": "w"}],
    )
    def test_a_stored_form_with_other_fields_is_refused(self, stored):
        with pytest.raises(ConfigurationError, match="identity of an embedder"):
            EmbedderIdentity.from_dict(stored)

    @pytest.mark.parametrize(
        "change",
        [
            {"dim": 0}, {"dim": True}, {"dim": 2.0}, {"dim": None}, {"max_tokens": 0},
            {"max_tokens": "9"}, {"normalize": 1}, {"model": ""}, {"weights": ""},
            {"query_prefix": None}, {"pooling": 3},
        ],
        ids=str,
    )  # fmt: skip
    def test_fields_out_of_range_are_refused_by_name(self, change):
        with pytest.raises(ConfigurationError, match=next(iter(change))):
            identity(**change)

    def test_prefixes_are_part_of_what_is_sent(self):
        named = identity(query_prefix="query: ", passage_prefix="passage: ")
        assert named.as_query("x") == "query: x"
        assert named.as_passage("x") == "passage: x"


class TestTextKey:
    def test_is_the_same_in_every_process(self):
        """Stores keep it, so its form must not change."""
        fields = (
            '{"dim": 3, "max_tokens": null, "normalize": true, "passage_prefix": "", '
            '"pooling": "", "query_prefix": "", "weights": "sha256:1"}'
        )
        expected = sha256(sha256(fields.encode()).digest() + b"x").digest()
        assert text_key(identity(), "x") == expected
        assert len(expected) == 32

    def test_texts_differ_by_what_is_sent(self):
        assert text_key(identity(), "query: x") != text_key(identity(), "x")
        assert text_key(identity(), "") != text_key(identity(), " ")


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


class TestCheckEmbedder:
    def test_what_has_all_parts_passes(self):
        embedder = HashEmbedder(8)
        assert check_embedder(embedder) is embedder

    def test_the_dimension_is_not_asked_for(self):
        """It may load a model."""

        def fail(texts):
            raise AssertionError(texts)

        check_embedder(CallableEmbedder(fail, name="lazy"))

    def test_attributes_of_the_object_count(self):
        class Plain:
            def __init__(self):
                self.identity, self.spec, self.dim = identity(), None, 3

            def embed_passages(self, texts, *, progress=None):
                return np.ones((len(texts), 3), np.float32)

            def embed_query(self, text):
                return np.ones(3, np.float32)

        plain = Plain()
        assert check_embedder(plain) is plain

    @pytest.mark.parametrize(
        ("given", "hint"),
        [
            (len, r"CallableEmbedder\(function, name="),
            ("minilm", r"parse_embedder\('minilm'\)"),
            (HashEmbedder, "expected an object"),
            (None, "expected an object"),
        ],
    )
    def test_anything_else_is_refused_with_what_to_do(self, given, hint):
        with pytest.raises(ConfigurationError, match=hint):
            check_embedder(given)
