"""HashEmbedder: vectors without a model, from the letters of a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.embedders.embedder import TextEmbedder, blank_vector, parameters
from plait.embedding import EmbedderIdentity, FloatMatrix
from plait.spec import format_spec

__all__ = ["HashEmbedder"]

Features: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]

_WORD = re.compile(r"\w+")
_KEPT_LENGTH = 64  # letters; what is longer is no word that comes again, and its features are large


class HashEmbedder(TextEmbedder):
    """Vectors from hashed words and letter trigrams: lexical, not semantic.

    Texts are close if they share words or parts of words; it knows nothing of meaning: "cancel my
    plan" and "end my subscription" share only "my". It needs no model and no dependency, and
    the same text gives the same bytes in every process: for tests, examples, and where nothing
    else is to be had.

    Each word, folded for case and width (NFKC), adds a signed count to a bucket, and each of its
    trigrams half a count (feature hashing: Weinberger et al. 2009, with BLAKE2b). Text without a
    word, or whose counts cancel out, gets ``blank_vector``.

    Args:
        dim: Length of the vectors, >= 1; below some hundreds, unrelated words share buckets.
        normalize: Scale the vectors to length 1.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.

    Raises:
        ConfigurationError: A bad parameter.

    Example:
        >>> embedder = HashEmbedder(dim=256)
        >>> cat, cats, pay = embedder.embed_passages(["a cat purrs", "cats purr", "pay the bill"])
        >>> bool(cat @ cats > cat @ pay)
        True
        >>> embedder.identity.model
        'hash (lexical, not semantic)'
    """

    def __init__(
        self,
        dim: int = 256,
        *,
        normalize: bool = True,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        self._identity = EmbedderIdentity(
            "hash (lexical, not semantic)",
            "code:hash-1",  # counts up if the vectors of some text change
            dim=dim,
            pooling="sum",
            normalize=normalize,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
        )

    @property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is."""
        return self._identity

    @property
    def spec(self) -> str:
        """``hash(dim=256)`` and what else differs from the defaults."""
        changed = parameters(self._identity, normalize=True)
        return format_spec("hash", dim=self._identity.dim, **changed)

    def _vectors(self, sent: Sequence[str]) -> FloatMatrix:
        return np.stack([self._vector(text) for text in sent])

    def _vector(self, text: str) -> NDArray[np.float32]:
        dim = self._identity.dim
        words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
        if words:
            features = (
                _kept(word) if len(word) <= _KEPT_LENGTH else _features(word) for word in words
            )
            hashes, weights = zip(*features, strict=True)
            hashed = np.concatenate(hashes)
            signs = np.where(hashed & 1, 1.0, -1.0)
            vector = np.bincount(
                (hashed >> 1) % dim, weights=np.concatenate(weights) * signs, minlength=dim
            ).astype(np.float32)
            if vector.any():
                return vector
        return blank_vector(dim)


def _features(word: str) -> Features:
    """The hashes and the weights of a word and of its trigrams."""
    framed = f" {word} "
    trigrams = [framed[start : start + 3] for start in range(len(framed) - 2)]
    hashes = [
        int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little") >> 1
        for feature in (word, *trigrams)
    ]
    weights = np.full(len(hashes), 0.5)  # halves: sums are exact in any order
    weights[0] = 1.0
    return np.array(hashes, dtype=np.int64), weights


_kept = lru_cache(maxsize=2**16)(_features)
