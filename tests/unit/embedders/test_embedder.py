"""What all of plait's embedders share: prefixes, batches, progress, checked vectors."""

import numpy as np
import pytest

from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedders.embedder import TextEmbedder, blank_vector, parameters
from plait.embedding import EmbedderIdentity
from plait.errors import ConfigurationError, EmbeddingError


class Letters(TextEmbedder):
    """Counts of a, b and c; keeps the batches it was given."""

    batch_size = 2

    def __init__(self, **changes):
        self.batches = []
        options = {"normalize": False} | changes
        self._identity = EmbedderIdentity("letters", "code:1", dim=3, **options)

    @property
    def identity(self):
        return self._identity

    def _vectors(self, sent):
        self.batches.append(list(sent))
        return [[text.count(letter) for letter in "abc"] for text in sent]


class TestPassages:
    def test_in_the_order_of_the_texts(self):
        vectors = Letters().embed_passages(["aaab", "c", "bb", "a"])
        assert vectors.dtype == np.float32
        assert vectors.tolist() == [[3, 1, 0], [0, 0, 1], [0, 2, 0], [1, 0, 0]]

    def test_texts_of_like_length_share_a_batch(self):
        letters = Letters()
        letters.embed_passages(["aaaa", "b", "ccc", "ab"])
        assert letters.batches == [["b", "ab"], ["ccc", "aaaa"]]

    def test_equal_texts_are_embedded_once(self):
        letters = Letters()
        vectors = letters.embed_passages(["a", "b", "a", "a"])
        assert letters.batches == [["a", "b"]]
        assert vectors[0].tolist() == vectors[2].tolist() == vectors[3].tolist() == [1, 0, 0]

    def test_progress_is_told_after_each_batch_and_ends_at_all(self):
        said = []
        Letters().embed_passages(
            ["a", "b", "a", "cc", "bbb"], progress=lambda *step: said.append(step)
        )
        assert said == [(3, 5), (5, 5)]

    def test_no_texts(self):
        said = []
        vectors = Letters().embed_passages([], progress=lambda *step: said.append(step))
        assert (vectors.shape, vectors.dtype, said) == ((0, 3), np.float32, [])

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            ("a text", "texts is str, expected a list of str"),
            (None, "texts is NoneType"),
            (["a", 3], r"texts\[1\] is int, expected str"),
            (["a", None], r"texts\[1\] is NoneType"),
            (["\ud800"], r"texts\[0\] holds a lone surrogate"),
        ],
    )
    def test_what_is_not_text_is_refused(self, texts, message):
        letters = Letters()
        with pytest.raises(ConfigurationError, match=message):
            letters.embed_passages(texts)
        assert letters.batches == []


class TestQueries:
    def test_a_vector_of_its_own(self):
        vector = Letters().embed_query("abba")
        assert (vector.tolist(), vector.dtype, vector.shape) == ([2, 2, 0], np.float32, (3,))

    @pytest.mark.parametrize("text", [None, 3, ["a"], "\ud800"])
    def test_what_is_not_text_is_refused(self, text):
        with pytest.raises(ConfigurationError, match="the query"):
            Letters().embed_query(text)

    def test_prefixes_differ_for_queries_and_passages(self):
        letters = Letters(query_prefix="aa", passage_prefix="b")
        assert letters.embed_query("c").tolist() == [2, 0, 1]
        assert letters.embed_passages(["c"]).tolist() == [[0, 1, 1]]
        assert letters.batches == [["aac"], ["bc"]]


class TestScaling:
    def test_to_length_one_when_asked(self):
        assert Letters(normalize=True).embed_query("aaabbbb").tolist() == [
            float(np.float32(3 / 5)),
            float(np.float32(4 / 5)),
            0,
        ]

    def test_not_otherwise(self):
        assert Letters().embed_query("aaabbbb").tolist() == [3, 4, 0]

    def test_zeros_cannot_be_scaled(self):
        with pytest.raises(EmbeddingError, match="'letters' gave only zeros for the text 'xyz'"):
            Letters(normalize=True).embed_passages(["a", "xyz"])
        assert Letters().embed_query("xyz").tolist() == [0, 0, 0]

    def test_huge_values_do_not_overflow(self):
        huge = CallableEmbedder(lambda texts: [[3e30, 4e30]] * len(texts), name="huge", dim=2)
        assert huge.embed_query("x").tolist() == pytest.approx([3 / 5, 4 / 5], rel=1e-6)


class TestChecks:
    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ([[1.0, 2.0]] * 3, r"of shape \(3, 2\) for 2 texts, expected .* \(2, 2\)"),
            ([[1.0, 2.0]], r"of shape \(1, 2\) for 2 texts"),
            ([[1.0, 2.0, 3.0]] * 2, r"of shape \(2, 3\)"),
            ([1.0, 2.0], r"of shape \(2,\)"),
            (None, "object of shape"),
            ([["a", "b"]] * 2, "<U1 of shape"),
            ([[1.0, 2.0], [1.0]], "vectors of different lengths"),
            ([[1.0, 2.0], [float("nan"), 1.0]], "NaN or infinite values for the text 'bb'"),
            ([[1.0, 2.0], [1e300, 1.0]], "NaN or infinite values for the text 'bb'"),
        ],
    )
    def test_an_answer_that_is_no_matrix_of_vectors(self, answer, message):
        embedder = CallableEmbedder(lambda texts: answer, name="bad", dim=2)
        with pytest.raises(EmbeddingError, match=f"embedder 'bad' gave .*{message}"):
            embedder.embed_passages(["a", "bb"])


class TestBlank:
    @pytest.mark.parametrize("dim", [1, 3, 384])
    def test_every_value_is_the_same_and_the_length_is_one(self, dim):
        vector = blank_vector(dim)
        assert vector.tolist() == [float(np.float32(1 / dim**0.5))] * dim
        assert float(np.linalg.norm(vector.astype(float))) == pytest.approx(1, abs=1e-6)


class TestParameters:
    def test_only_what_differs_from_the_defaults(self):
        identity = EmbedderIdentity("m", "w", dim=3, pooling="cls", query_prefix="query: ")
        assert parameters(identity, pooling="mean", normalize=True) == {
            "pooling": "cls",
            "query_prefix": "query: ",
        }
        assert parameters(HashEmbedder(8).identity, normalize=True) == {}


def test_repr_is_the_text_form_or_the_name():
    assert repr(HashEmbedder(8)) == "HashEmbedder('hash(dim=8)')"
    assert repr(Letters()) == "Letters('letters')"
