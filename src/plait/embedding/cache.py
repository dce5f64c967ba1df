"""CachedEmbedder: an embedder that keeps the vectors of recent queries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from plait.embedding.contract import Embedder, Progress, check_embedder
from plait.embedding.identity import EmbedderIdentity, text_key
from plait.embedding.vectors import FloatMatrix, check_vectors
from plait.errors import ConfigurationError, EmbeddingError
from plait.types import FloatVector

__all__ = ["CachedEmbedder", "QueryCache"]


class QueryCache:
    """The most recently used vectors by ``text_key``; any number of embedders may share one.

    Args:
        size: How many vectors are kept, >= 1.
    """

    def __init__(self, size: int = 1024) -> None:
        if type(size) is not int or size < 1:
            raise ConfigurationError(f"the size of a cache is {size!r}, expected an int >= 1")
        self.size = size
        self._vectors: OrderedDict[bytes, FloatVector] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, key: bytes) -> FloatVector | None:
        """The vector under this key, read-only; None if it is not kept."""
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, key: bytes, vector: FloatVector) -> FloatVector:
        """Keep a read-only copy of the vector, and return it."""
        kept = vector.copy()
        kept.setflags(write=False)
        with self._lock:
            self._vectors[key] = kept
            self._vectors.move_to_end(key)
            if len(self._vectors) > self.size:
                self._vectors.popitem(last=False)
        return kept


class CachedEmbedder:
    """An embedder whose vectors are checked, and that keeps those of its recent queries.

    What one's own embedder gives is looked at here, so that a fault of the model is an
    ``EmbeddingError`` and not taken for a mistake in the query or in a chunk.

    Args:
        embedder: The embedder that is asked for what is not kept.
        cache: Where the vectors are kept; None makes one of 1024 vectors.
    """

    def __init__(self, embedder: Embedder, cache: QueryCache | None = None) -> None:
        self.embedder = check_embedder(embedder)
        self._cache = QueryCache() if cache is None else cache

    @property
    def identity(self) -> EmbedderIdentity:
        """That of the embedder."""
        return self.embedder.identity

    @property
    def spec(self) -> str | None:
        """That of the embedder."""
        return self.embedder.spec

    @property
    def dim(self) -> int:
        """That of the embedder."""
        return self.embedder.dim

    def embed_passages(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> FloatMatrix:
        """What the embedder says.

        Raises:
            EmbeddingError: Not one finite vector of ``dim`` for each text.
        """
        made = self.embedder.embed_passages(texts, progress=progress)
        return check_vectors(made, texts, self.embedder.identity)

    def embed_query(self, text: str) -> FloatVector:
        """The kept vector of this query, or what the embedder says; read-only.

        Raises:
            EmbeddingError: Not one finite vector of ``dim``, or only zeros, which say nothing of
                what is near under any metric.
        """
        identity = self.embedder.identity
        key = text_key(identity, identity.as_query(text))
        kept = self._cache.get(key)
        if kept is None:
            made = check_vectors([self.embedder.embed_query(text)], [text], identity)[0]
            if not made.any():
                raise EmbeddingError(
                    f"embedder {identity.model!r} gave only zeros for the query {text!r:.80}: it "
                    "sees nothing in it"
                )
            kept = self._cache.put(key, made)
        return kept
