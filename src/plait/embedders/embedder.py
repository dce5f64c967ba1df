"""TextEmbedder: what plait's embedders share. Prefixes, batches, progress, checked vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from plait.embedding import EmbedderIdentity, FloatMatrix, Progress, check_vectors
from plait.errors import ConfigurationError, EmbeddingError
from plait.types import FloatVector
from plait.types.checks import check_text

__all__ = ["TextEmbedder", "blank_vector", "parameters"]


def blank_vector(dim: int) -> FloatVector:
    """The vector of a text that an embedder sees nothing in: every value 1/sqrt(dim).

    It has length 1, so that a blank passage can be indexed under any metric and a folder with one
    blank file is indexed all the same; it is close to other blank texts and to little else.
    """
    return np.full(dim, dim**-0.5, dtype=np.float32)


def parameters(identity: EmbedderIdentity, **defaults: Any) -> dict[str, Any]:
    """The fields of an identity that differ from the defaults of its class, for a text form."""
    defaults = {**defaults, "query_prefix": "", "passage_prefix": ""}
    given = {name: getattr(identity, name) for name in defaults}
    return {name: value for name, value in given.items() if value != defaults[name]}


class TextEmbedder(ABC):
    """Base of plait's embedders: a subclass writes ``identity`` and ``_vectors``.

    Equal texts get equal vectors. Texts of like length share a batch, so that a model that
    pads does little work in vain.
    """

    batch_size: int = 64

    @property
    @abstractmethod
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is."""

    @property
    def spec(self) -> str | None:
        """The text form that ``parse_embedder`` rebuilds it from, None if there is none."""
        return None

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return self.identity.dim

    @abstractmethod
    def _vectors(self, sent: Sequence[str]) -> Any:
        """Raw vectors of texts as sent, one for each; scaled and checked by the caller."""

    def embed_passages(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> FloatMatrix:
        """Vectors of passages.

        Args:
            texts: The passages; none is fine.
            progress: Called after each batch with (texts done, texts in all).

        Returns:
            Float32 of shape (len(texts), dim), in the order of the texts.

        Raises:
            ConfigurationError: Something that is not text.
            EmbeddingError: The model gave something that is not a usable vector.
        """
        identity = self.identity
        sent = [identity.as_passage(text) for text in _checked_texts(texts)]
        counts = Counter(sent)
        distinct = sorted(counts, key=len)
        places: dict[str, int] = {text: row for row, text in enumerate(distinct)}
        vectors = np.empty((len(distinct), identity.dim), dtype=np.float32)
        done = 0
        for start in range(0, len(distinct), self.batch_size):
            batch = distinct[start : start + self.batch_size]
            vectors[start : start + len(batch)] = self._finished(batch, identity)
            done += sum(counts[text] for text in batch)
            if progress is not None:
                progress(done, len(sent))
        ordered: FloatMatrix = vectors[[places[text] for text in sent]]
        return ordered

    def embed_query(self, text: str) -> FloatVector:
        """Vector of a query, float32 of shape (dim,).

        Raises:
            ConfigurationError: Something that is not text.
            EmbeddingError: The model gave something that is not a usable vector.
        """
        check_text(text, "the query")
        identity = self.identity
        vector: FloatVector = self._finished([identity.as_query(text)], identity)[0]
        return vector

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec or self.identity.model!r})"

    def _finished(self, sent: Sequence[str], identity: EmbedderIdentity) -> FloatMatrix:
        vectors = check_vectors(self._vectors(sent), sent, identity)
        return _scaled(vectors, sent, identity) if identity.normalize else vectors


def _checked_texts(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ConfigurationError(
            f"texts is {type(texts).__name__}, expected a list of str; put one text in a list"
        )
    given = list(texts)
    for position, text in enumerate(given):
        check_text(text, f"texts[{position}]")
    return given


def _scaled(vectors: FloatMatrix, sent: Sequence[str], identity: EmbedderIdentity) -> FloatMatrix:
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    if not lengths.all():
        raise EmbeddingError(
            f"embedder {identity.model!r} gave only zeros for the text "
            f"{sent[int(np.argmin(lengths))]!r:.80}: that has no direction and cannot be scaled to "
            "length 1; let it give some fixed vector for texts that it sees nothing in"
        )
    scaled: FloatMatrix = (wide / lengths).astype(np.float32)
    return scaled
