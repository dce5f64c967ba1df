"""Embedder: what plait asks of an object that embeds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from plait.embedding.identity import EmbedderIdentity
from plait.embedding.vectors import FloatMatrix
from plait.errors import ConfigurationError
from plait.types import FloatVector

__all__ = ["CountsTokens", "Embedder", "Progress", "check_embedder"]

Progress: TypeAlias = Callable[[int, int], None]


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
