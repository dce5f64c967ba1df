"""WordLlama: a static model, from the files inside a package."""

import threading

import numpy as np
import pytest

from plait.embedders import WordLlama, parse_embedder, static
from plait.embedders.embedder import blank_vector
from plait.errors import ConfigurationError
from plait.inference import PackagedFiles

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder():
    return WordLlama()


def test_is_known_without_being_loaded():
    embedder = WordLlama()
    assert (embedder.dim, embedder.max_tokens, embedder.spec) == (256, None, "static")
    assert (embedder.identity.pooling, embedder.identity.normalize) == ("mean", True)
    assert not embedder._model._made


def test_closeness_of_meaning(embedder):
    query = embedder.embed_query("how do I cancel my plan")
    same, other = embedder.embed_passages(["cancelling a subscription", "the cat purrs loudly"])
    assert query @ same > query @ other + 0.2


def test_vectors_have_length_one_also_without_a_token(embedder):
    vectors = embedder.embed_passages(["a", "longer text with more words", "", " ", "退款 🎉"])
    assert (vectors.shape, vectors.dtype) == ((5, 256), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors[2], blank_vector(256))


def test_a_vector_depends_on_nothing_but_the_text(embedder):
    texts = ["short", "a text of some words more", "word " * 3000, ""]
    for text, vector in zip(texts, embedder.embed_passages(texts), strict=True):
        np.testing.assert_array_equal(embedder.embed_query(text), vector)


def test_a_text_is_read_to_its_end(embedder):
    whole = "word " * 5000
    assert not np.array_equal(embedder.embed_query(whole), embedder.embed_query(f"{whole} cat"))


def test_the_mean_of_a_long_text_is_exact():
    table = np.array([[1.0, 0.0], [2.0**-25, 1.0]], dtype=np.float32)  # 1 + 2**-25 is 1 in float32
    for count in (1, 20_000):
        mean = static._mean(table, [0] + [1] * count)
        assert mean.tolist() == [(1 + count * 2.0**-25) / (1 + count), count / (1 + count)]


def test_tokens_are_counted_with_the_prefix(embedder):
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("word word") == 2
    assert WordLlama(passage_prefix="word ").count_tokens("word") == 2


def test_prefixes_are_sent_and_make_another_embedder(embedder):
    prefixed = WordLlama(query_prefix="query: ")
    np.testing.assert_array_equal(prefixed.embed_query("plan"), embedder.embed_query("query: plan"))
    assert prefixed.identity != embedder.identity
    assert parse_embedder(prefixed.spec).identity == prefixed.identity
    assert parse_embedder("static").identity == embedder.identity


def test_other_files_in_the_package_are_refused_when_it_is_loaded(monkeypatch):
    fields = {name: getattr(static._FILES, name) for name in PackagedFiles.__slots__}
    monkeypatch.setattr(static, "_FILES", PackagedFiles(**(fields | {"expected": "sha256:0"})))
    with pytest.raises(ConfigurationError, match=r"wordllama 0\.4\.0\.post1 has other files"):
        WordLlama().embed_query("x")


def test_32_threads(embedder):
    texts = [f"question number {number}" for number in range(32)]
    expected = embedder.embed_passages(texts)
    found = [None] * 32

    def ask(number):
        found[number] = embedder.embed_query(texts[number])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.stack(found), expected)
