"""WordLlama: a static model, the mean of one vector for each token; instant, less exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plait.embedders.embedder import TextEmbedder, blank_vector, parameters
from plait.embedding import EmbedderIdentity, FloatMatrix
from plait.inference import OncePerProcess, PackagedFiles, native_call, require
from plait.spec import format_spec

__all__ = ["WordLlama"]

_BLOCK = 2**13  # tokens whose vectors are held at once: 8 MB
_PURPOSE = "the embedder 'static'"
_FILES = PackagedFiles(
    distribution="wordllama",
    version="0.4.0.post1",
    extra="static",
    purpose=_PURPOSE,
    names=(
        "wordllama/weights/l2_supercat_256.safetensors",
        "wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    ),
    expected="sha256:4d243a4b2daee65802d68699e288b9347fd45097303dc232205a660a82b5171e",
)


@dataclass(frozen=True, slots=True)
class _Model:
    """One vector for each token, float32 of shape (tokens, dim), and the tokenizer."""

    table: FloatMatrix
    tokenizer: Any


class WordLlama(TextEmbedder):
    """WordLlama l2_supercat (MIT), 256 dimensions: the mean of its token vectors, length 1.

    Thousands of passages a second, at some cost in quality; reads texts of any length to the end.
    The files come inside the package wordllama, which is not imported; their hash is checked when
    they are loaded, which happens at the first use and needs no network. Empty text has no token
    and gets ``blank_vector``.

    Args:
        query_prefix: Put before a query; the model was trained without one.
        passage_prefix: Put before a passage.

    Raises:
        MissingDependencyError: A package is not installed; says the pip line.
        ConfigurationError: The package has changed its inside; says the pip line.
    """

    batch_size = 256

    def __init__(self, *, query_prefix: str = "", passage_prefix: str = "") -> None:
        for module in ("safetensors", "tokenizers"):
            require(module, extra="static", purpose=_PURPOSE)
        _FILES.find()
        self._identity = EmbedderIdentity(
            "WordLlama l2_supercat",
            _FILES.expected,
            dim=256,
            pooling="mean",
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
        )
        self._model: OncePerProcess[_Model] = OncePerProcess(_load)

    @property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is; known without reading the files."""
        return self._identity

    @property
    def spec(self) -> str:
        """``static``, and its prefixes if it has any."""
        return format_spec("static", **parameters(self._identity))

    @property
    def max_tokens(self) -> int | None:
        """None: the whole text is read."""
        return None

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage, its prefix included."""
        sent = self._identity.as_passage(text)
        with native_call:
            return len(self._model.get().tokenizer.encode(sent, add_special_tokens=False).ids)

    def _vectors(self, sent: Sequence[str]) -> FloatMatrix:
        model = self._model.get()
        with native_call:
            encoded = model.tokenizer.encode_batch_fast(list(sent), add_special_tokens=False)
        vectors = np.empty((len(sent), self._identity.dim), dtype=np.float32)
        for row, encoding in enumerate(encoded):
            ids = encoding.ids
            vectors[row] = _mean(model.table, ids) if ids else blank_vector(256)
        return vectors


def _mean(table: FloatMatrix, ids: Sequence[int]) -> NDArray[np.float64]:
    """The mean of the rows: in float64 and by blocks, so that a book is as exact as a page."""
    total = np.zeros(table.shape[1], dtype=np.float64)
    for start in range(0, len(ids), _BLOCK):
        total += table[ids[start : start + _BLOCK]].sum(axis=0, dtype=np.float64)
    return total / len(ids)


def _load() -> _Model:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    weights, tokenizer = _FILES.verify()
    with native_call:
        table = load_file(weights)["embedding.weight"].astype(np.float32)
        return _Model(table, Tokenizer.from_file(str(tokenizer)))
