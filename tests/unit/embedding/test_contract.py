"""What an embedder must have."""

import dataclasses

import numpy as np
import pytest

from plait.embedders import CallableEmbedder, HashEmbedder
from plait.embedding import (
    EmbedderIdentity,
    check_embedder,
)
from plait.errors import ConfigurationError


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
