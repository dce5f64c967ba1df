"""RagRequest: what one request asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

from plait.errors import QueryError
from plait.filters import Filter, FilterLike
from plait.planning import HistoryLike, Message, as_history
from plait.types import Query, QueryLike

__all__ = ["Asking", "RagRequest"]


class Asking(TypedDict, total=False):
    """What a request may say, beside the query; see ``RagRequest``."""

    top_k: int | None
    final_top_k: int | None
    filter: FilterLike
    fetch_k: int | None
    collection: str | None
    embedder: str | None
    history: HistoryLike
    trace: bool


@dataclass(frozen=True, slots=True)
class RagRequest:
    """What one request asks for, checked when it is built.

    Args:
        query: Text or a ``Query``. Planners and rerankers read its text.
        top_k: Hits of the result, >= 1; with ``final_top_k`` beside it, hits that are retrieved,
            of which ``final_top_k`` are left at the end. With grouping it counts groups. None takes
            the service's.
        final_top_k: Hits of the result, >= 1 and at most ``top_k``.
        filter: Only chunks whose metadata passes; see ``plait.filters``.
        fetch_k: Candidates asked of each leg for each variant, >= 1; None takes the service's.
        collection: The collection that is meant. One that the service does not search is refused.
        embedder: The embedder that is meant, by its text form or its model's name. One that no leg
            searches with is refused.
        history: Earlier turns of the conversation, oldest first: ``(role, text)`` pairs, mappings
            with ``role`` and ``content``, or ``Message`` values.
        trace: Whether the result says what every stage did.

    Raises:
        QueryError: A value out of its range, before any work.

    Example:
        >>> RagRequest("how do refunds work", top_k=20, final_top_k=4).final
        4
    """

    query: Query
    top_k: int | None = None
    final_top_k: int | None = None
    filter: FilterLike = None
    fetch_k: int | None = None
    collection: str | None = None
    embedder: str | None = None
    history: tuple[Message, ...] = ()
    trace: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "query", Query.of(self.query))
        object.__setattr__(self, "history", as_history(self.history))
        for name in ("top_k", "final_top_k", "fetch_k"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise QueryError(f"{name} is {value!r}, expected an int >= 1")
        if self.top_k is not None and (self.final_top_k or 0) > self.top_k:
            raise QueryError(
                f"final_top_k is {self.final_top_k}, but only top_k={self.top_k} hits are "
                "retrieved; it is at most top_k"
            )
        Filter.parse(self.filter)
        for name in ("collection", "embedder"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise QueryError(f"{name} is {value!r:.80}, expected a name or None")
        if type(self.trace) is not bool:
            raise QueryError(f"trace is {self.trace!r}, expected True or False")

    @classmethod
    def of(cls, query: QueryLike | RagRequest, **given: Unpack[Asking]) -> RagRequest:
        """A request from a query, or the same request, with what is given beside it.

        Raises:
            QueryError: A value out of its range, or a name that a request does not have.
        """
        known = Asking.__annotations__
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise QueryError(f"a request has no {', '.join(unknown)}; it has {', '.join(known)}")
        if isinstance(query, RagRequest):
            return replace(query, **given) if given else query  # type: ignore[arg-type]
        return cls(query, **given)  # type: ignore[arg-type]

    @property
    def final(self) -> int | None:
        """Hits of the result, None if the request does not say."""
        return self.top_k if self.final_top_k is None else self.final_top_k

    @property
    def retrieved(self) -> int | None:
        """Hits that are retrieved, None if the request does not say."""
        return None if self.final_top_k is None else self.top_k
