"""Sources: what a service searches, whatever was given for it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from plait.collection import CollectionRetriever
from plait.errors import ConfigurationError
from plait.hybrid import HybridRetriever, Leg
from plait.hybrid.leg import as_retriever
from plait.refining import Fetch
from plait.retriever import Retriever

__all__ = ["as_hybrid", "collection_of", "documents_of"]


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


def collection_of(source: Any) -> str | None:
    """Name of the collection that is searched, None if it is none."""
    if isinstance(source, CollectionRetriever) or callable(getattr(source, "retriever", None)):
        name = getattr(source, "name", None)
        return name if isinstance(name, str) else None
    return None


def documents_of(source: Any, hybrid: HybridRetriever) -> Fetch:
    """What gives a document's chunks: the collection, or the first leg that keeps chunks.

    Raises:
        ConfigurationError: Nothing does.
    """
    for holder in (source, hybrid, *(leg.retriever for leg in hybrid.legs)):
        document = getattr(holder, "document", None)
        if callable(document):
            fetch: Fetch = document
            return fetch
    raise ConfigurationError(
        "expand needs the chunks of a document, and nothing that is searched gives them; set "
        "documents= to a function from a document id to its chunks in reading order"
    )
