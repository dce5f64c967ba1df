"""Sources: what a service searches, whatever was given for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from plait.errors import ConfigurationError, QueryError
from plait.hybrid import HybridRetriever, Leg
from plait.hybrid.leg import as_retriever
from plait.refining import Fetch
from plait.retriever import Retriever
from plait.types import FloatVector

__all__ = [
    "Vectors",
    "as_hybrid",
    "check_named",
    "collection_of",
    "documents_of",
    "embedders_of",
    "vectors_of",
]

Vectors: TypeAlias = Callable[[Sequence[str]], Mapping[str, FloatVector]]
"""Gives the vectors of chunks by id, without those that it does not have."""


def as_hybrid(source: Any) -> HybridRetriever:
    """A hybrid as it is, that behind a collection, or a hybrid of what was given.

    A single retriever becomes its only leg, so that variants of a question are fused in one way
    whatever is searched. How many hits it returns unasked stays as it is.

    Raises:
        ConfigurationError: None of these.
    """
    if isinstance(source, str):
        raise ConfigurationError(
            f"the retriever is {source!r:.80}, expected a collection or a retriever; for a folder "
            f"write plait.open({source!r:.80}), or plait.rag({source!r:.80}) for a builder"
        )
    if isinstance(source, list | tuple | Mapping):
        return HybridRetriever(source)
    if isinstance(source, Leg):
        return HybridRetriever([source])
    retriever = as_retriever(source)
    if isinstance(retriever, HybridRetriever):
        return retriever
    return HybridRetriever([retriever], top_k=_own_top_k(retriever))


def _own_top_k(retriever: Retriever) -> int:
    """How many hits a retriever returns when a call does not say."""
    method = retriever.retrieve if retriever.is_sync() else retriever.aretrieve
    parameter = inspect.signature(method).parameters.get("top_k")
    for value in (getattr(retriever, "top_k", None), parameter and parameter.default):
        if type(value) is int and value >= 1:
            return value
    return 5


def collection_of(retriever: Retriever) -> str | None:
    """Name of the collection that is searched; None if it is none, or not it alone."""
    name = getattr(retriever, "collection", None)
    if isinstance(name, str):
        return name
    if isinstance(retriever, HybridRetriever) and len(retriever.legs) == 1:
        return collection_of(retriever.legs[0].retriever)
    return None


def embedders_of(retriever: Retriever) -> tuple[str, ...]:
    """What the embedders of the legs that run are called: their text forms and models."""
    if isinstance(retriever, HybridRetriever):
        weights = retriever.fusing().weights
        running = [leg.retriever for leg in retriever.legs if weights[str(leg.name)]]
        return tuple(name for each in running for name in embedders_of(each))
    inner = getattr(retriever, "retriever", None)
    if isinstance(inner, Retriever):  # a service as a leg
        return embedders_of(inner)
    embedder = getattr(retriever, "embedder", None)
    if embedder is None:
        return ()
    return tuple(name for name in (embedder.spec, embedder.identity.model) if name)


def check_named(retriever: Retriever, collection: str | None, embedder: str | None) -> None:
    """Refuse a request for another collection or embedder than those that are searched.

    Raises:
        QueryError: It names one.
    """
    searched = collection_of(retriever)
    if collection not in (None, searched):
        raise QueryError(
            f"the request names the collection {collection!r}, and this service searches "
            + (f"the collection {searched!r}" if searched else "no collection")
        )
    if embedder is not None and embedder not in (known := embedders_of(retriever)):
        raise QueryError(
            f"the request names the embedder {embedder!r}, and this service searches with "
            + (" or ".join(map(repr, known)) or "none")
        )


def documents_of(retriever: Retriever) -> Fetch:
    """What gives a document's chunks: the collection, or the first leg that keeps chunks.

    Raises:
        ConfigurationError: Nothing does.
    """
    for held in _searched(retriever):
        document: Fetch | None = getattr(held, "document", None)
        if callable(document):
            return document
    raise ConfigurationError(
        "expand needs the chunks of a document, and nothing that is searched gives them; set "
        "documents= to a function from a document id to its chunks in reading order"
    )


def vectors_of(retriever: Retriever) -> Vectors | None:
    """What gives chunks' vectors: the collection, or the first leg that keeps some; None if none
    does.
    """
    for held in _searched(retriever):
        vectors: Vectors | None = getattr(held, "vectors", None)
        if callable(vectors):
            return vectors
    return None


def _searched(retriever: Retriever) -> Iterator[Retriever]:
    """A retriever and those inside it: the legs of a hybrid, what a service searches."""
    yield retriever
    inner = getattr(retriever, "retriever", None)
    inside = [inner] if isinstance(inner, Retriever) else []
    if isinstance(retriever, HybridRetriever):
        inside = [leg.retriever for leg in retriever.legs]
    for each in inside:
        yield from _searched(each)
