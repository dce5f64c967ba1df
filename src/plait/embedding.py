"""What an embedder is: its contract, its identity, and a cache of its recent queries.

Vectors of two embedders never compare. The identity says which ones do: it is stored with an
index, checked when the index is opened, and part of every cache key.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError, EmbeddingError
from plait.types import FloatVector

__all__ = [
    "CachedEmbedder",
    "CountsTokens",
    "Embedder",
    "EmbedderIdentity",
    "FloatMatrix",
    "Progress",
    "QueryCache",
    "as_numbers",
    "check_embedder",
    "check_vectors",
    "text_key",
]

FloatMatrix: TypeAlias = NDArray[np.float32]
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedder made a vector. Equal identities: the vectors compare.

    ``model`` is for reading only and does not count in a comparison: the same weights from a
    package, a folder or the hub are the same embedder. Quantized weights are other weights.

    Attributes:
        model: Name to show.
        weights: ``sha256:`` and the hash of the files that decide the vectors (weights and
            tokenizer), or an endpoint's model and revision, or the name of a callable.
        dim: Length of the vectors, >= 1.
        pooling: How token vectors become one: ``"mean"``, ``"cls"``, ``""`` if not known.
        normalize: Whether the vectors are scaled to length 1.
        max_tokens: Tokens read of a text, the rest is cut off; None for all.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.

    Example:
        >>> here = EmbedderIdentity("MiniLM", "sha256:60c7", dim=384)
        >>> there = EmbedderIdentity("my copy of MiniLM", "sha256:60c7", dim=384)
        >>> here == there
        True
        >>> EmbedderIdentity.from_dict(here.to_dict()) == here
        True
    """

    model: str = field(compare=False)
    weights: str
    dim: int
    pooling: str = ""
    normalize: bool = True
    max_tokens: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        for name in ("dim", "max_tokens"):
            value = getattr(self, name)
            if not (value is None and name == "max_tokens") and (
                type(value) is not int or value < 1
            ):
                raise ConfigurationError(f"an embedder's {name} is {value!r}, expected an int >= 1")
        if type(self.normalize) is not bool:
            raise ConfigurationError(f"normalize is {self.normalize!r}, expected True or False")
        for name in ("model", "weights", "pooling", "query_prefix", "passage_prefix"):
            value = getattr(self, name)
            if not isinstance(value, str) or (not value and name in ("model", "weights")):
                raise ConfigurationError(f"an embedder's {name} is {value!r}, expected a str")

    def to_dict(self) -> dict[str, Any]:
        """The identity as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> EmbedderIdentity:
        """The identity from what ``to_dict`` gave.

        Raises:
            ConfigurationError: A field that is missing, unknown or of the wrong type.
        """
        known = {each.name for each in fields(cls)}
        if not isinstance(stored, Mapping) or set(stored) != known:
            raise ConfigurationError(
                f"the identity of an embedder is {stored!r:.200}, expected a mapping with the "
                f"fields {', '.join(sorted(known))}"
            )
        return cls(**stored)

    def as_query(self, text: str) -> str:
        """The text of a query as it is sent to the model."""
        return self.query_prefix + text

    def as_passage(self, text: str) -> str:
        """The text of a passage as it is sent to the model."""
        return self.passage_prefix + text


@lru_cache(maxsize=64)
def _identity_key(identity: EmbedderIdentity) -> bytes:
    counted = {name: value for name, value in identity.to_dict().items() if name != "model"}
    return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).digest()


def text_key(identity: EmbedderIdentity, sent: str) -> bytes:
    """The key of one embedding in a cache, 32 bytes.

    Args:
        identity: Who embeds; embedders that differ in anything that counts share no key.
        sent: The text as it is sent, prefix included: ``identity.as_passage(text)``.

    Example:
        >>> small = EmbedderIdentity("hash", "code:1", dim=64)
        >>> large = EmbedderIdentity("hash", "code:1", dim=128)
        >>> text_key(small, "cats purr") == text_key(large, "cats purr")
        False
    """
    return hashlib.sha256(_identity_key(identity) + sent.encode()).digest()


class Embedder(Protocol):
    """What turns texts into vectors that compare by closeness of meaning.

    ``plait.embedders`` has some; one's own needs these five and may add ``CountsTokens``.
    Every vector must be finite, and fit for the metric: cosine needs vectors that are not zero.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is."""
        ...

    @property
    def spec(self) -> str | None:
        """The text form that ``plait.embedders.parse_embedder`` rebuilds it from, None if none."""
        ...

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        ...

    def embed_passages(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> FloatMatrix:
        """Vectors of passages, float32 of shape (len(texts), dim), in their order."""
        ...

    def embed_query(self, text: str) -> FloatVector:
        """Vector of a query, float32 of shape (dim,)."""
        ...


class CountsTokens(Protocol):
    """An embedder that knows how much of a text it reads."""

    @property
    def max_tokens(self) -> int | None:
        """Tokens read of one passage, the rest is cut off; None for all."""
        ...

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage, its prefix and the model's own marks included, before any cut."""
        ...


_NEEDS = ("identity", "spec", "dim", "embed_passages", "embed_query")


def check_embedder(embedder: Any) -> Embedder:
    """The embedder, or an error that says what it lacks."""
    # Looked up without being asked: reading a dimension may load a model.
    missing = object()
    if not isinstance(embedder, type) and all(
        inspect.getattr_static(embedder, name, missing) is not missing for name in _NEEDS
    ):
        return embedder  # type: ignore[no-any-return]
    hint = ""
    if callable(embedder) and not isinstance(embedder, type):
        hint = "; wrap a function as plait.embedders.CallableEmbedder(function, name=...)"
    elif isinstance(embedder, str):
        hint = f"; build it with plait.embedders.parse_embedder({embedder!r})"
    raise ConfigurationError(
        f"embedder is {embedder!r:.80}, expected an object with identity, spec, dim, "
        f"embed_passages and embed_query{hint}"
    )


def as_numbers(raw: Any, model: str) -> NDArray[Any]:
    """What a model gave, as an array of whatever shape.

    Raises:
        EmbeddingError: Vectors of different lengths.
    """
    try:
        return np.asarray(raw)
    except ValueError as error:
        raise EmbeddingError(
            f"embedder {model!r} gave vectors of different lengths: {error}"
        ) from error


def check_vectors(raw: Any, sent: Sequence[str], identity: EmbedderIdentity) -> FloatMatrix:
    """What a model gave, as float32 of shape (len(sent), dim).

    Raises:
        EmbeddingError: Another shape, NaN or infinite values; names the first such text.
    """
    numbers = as_numbers(raw, identity.model)
    wanted = (len(sent), identity.dim)
    if numbers.dtype.kind not in "fiu" or numbers.shape != wanted:
        raise EmbeddingError(
            f"embedder {identity.model!r} gave {numbers.dtype} of shape {numbers.shape} for "
            f"{len(sent)} texts, expected real numbers of shape {wanted}"
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite: refused below
        vectors: FloatMatrix = np.asarray(numbers, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise EmbeddingError(
            f"embedder {identity.model!r} gave NaN or infinite values for the text "
            f"{sent[bad[0]]!r:.80}"
        )
    return vectors


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
