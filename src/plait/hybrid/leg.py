"""Leg: a retriever placed in a hybrid, with its weight, its window and how it may fail."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal, get_args

from plait.errors import ConfigurationError
from plait.fusion import check_weight
from plait.hybrid.callable import CallableRetriever
from plait.retriever import Retriever, RetrieverKind

__all__ = ["Leg", "as_retriever", "check_seconds", "name_legs"]


@dataclass(frozen=True, slots=True)
class Leg:
    """A retriever in a hybrid.

    Args:
        name: Name of the leg, unique in the hybrid; None takes the retriever's. Without ``"@"``,
            which stands between a leg and a variant of the query in reports.
        retriever: A ``Retriever``, an object with ``retrieve`` or ``aretrieve``, or a callable
            (sync or async) that returns ids, ``(id, score)`` pairs, chunks or hits, best first.
            A callable is given the text, and ``query``, ``top_k`` and ``filter`` if it has
            parameters of these names.
        weight: >= 0 and finite, used as given; 0: the leg is indexed but not run.
        fetch_k: Candidates asked of this leg, >= 1; None takes the hybrid's.
        timeout: Seconds from submission, > 0; None for no limit. A leg that is late is dropped.
        required: A failure of this leg fails the query.
        retries: How often a transient failure is tried again, >= 0.
        retry_on: Exception types that are transient, beside errors whose ``.transient`` is true.
        max_late: With so many queries whose late calls still run the leg is not asked again, >= 1.
        max_failures: Queries in a row in which the leg failed that open its circuit, >= 1; None
            never does.
        probe_after: Seconds until an open circuit lets one call through, > 0.
        post_filter: The leg cannot filter: its hits are filtered when they arrive, and hits
            without metadata are dropped while a filter is set.
        ids_only: Hits of this leg may stay without content.
        higher_is_better: False if the leg's scores are distances; None takes the retriever's.
        score_range: Theoretical (lowest, highest) score; None takes the retriever's.
        order: ``"position"`` if the order does not follow the scores; None takes the retriever's.
        kind: ``"dense"``, ``"lexical"`` or ``"other"``; None takes the retriever's. A variant of
            the query that is made for dense retrieval is searched by dense legs only.

    Raises:
        ConfigurationError: A value out of its range.

    Example:
        >>> Leg("faq", lambda text: ["faq-1", "faq-2"], weight=0.5, timeout=0.2, ids_only=True).name
        'faq'
    """

    name: str | None
    retriever: Any
    weight: float = 1.0
    fetch_k: int | None = None
    timeout: float | None = None
    required: bool = False
    retries: int = 0
    retry_on: tuple[type[BaseException], ...] = ()
    max_late: int = 4
    max_failures: int | None = 5
    probe_after: float = 30.0
    post_filter: bool = False
    ids_only: bool = False
    higher_is_better: bool | None = None
    score_range: tuple[float | None, float | None] | None = None
    order: Literal["score", "position"] | None = None
    kind: RetrieverKind | None = None

    def __post_init__(self) -> None:
        if self.name is not None and (
            not isinstance(self.name, str) or not self.name or "@" in self.name
        ):
            raise ConfigurationError(
                f"Leg.name is {self.name!r}, expected a non-empty str without '@', or None"
            )
        check_weight(self.name, self.weight)
        for field, least in (("fetch_k", 1), ("retries", 0), ("max_late", 1), ("max_failures", 1)):
            value = getattr(self, field)
            if value is None and field in ("fetch_k", "max_failures"):
                continue
            if type(value) is not int or value < least:
                raise ConfigurationError(
                    f"Leg.{field} of {self.name!r} is {value!r}, expected an int >= {least}"
                )
        check_seconds(self.timeout, f"Leg.timeout of {self.name!r}")
        if self.probe_after is None:
            raise ConfigurationError(
                f"Leg.probe_after of {self.name!r} is None, expected seconds > 0; "
                "max_failures=None never opens the circuit"
            )
        check_seconds(self.probe_after, f"Leg.probe_after of {self.name!r}")
        _check_errors(self.retry_on, f"Leg.retry_on of {self.name!r}")
        _check_range(self.score_range, f"Leg.score_range of {self.name!r}")
        if self.order not in (None, "score", "position"):
            raise ConfigurationError(
                f"Leg.order of {self.name!r} is {self.order!r}, expected 'score' or 'position'"
            )
        if self.kind not in (None, *get_args(RetrieverKind)):
            raise ConfigurationError(
                f"Leg.kind of {self.name!r} is {self.kind!r}, expected 'dense', 'lexical' or "
                "'other', or None for the retriever's own"
            )


def check_seconds(seconds: Any, what: str) -> None:
    """Refuse a time limit that is not a finite number > 0; None is no limit."""
    if seconds is None:
        return
    if not _is_number(seconds) or not 0 < seconds < math.inf:
        raise ConfigurationError(f"{what} is {seconds!r}, expected seconds > 0, or None")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _check_errors(kinds: Any, what: str) -> None:
    if not (
        isinstance(kinds, tuple)
        and all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds)
    ):
        raise ConfigurationError(f"{what} is {kinds!r}, expected a tuple of exception types")


def _check_range(ends: Any, what: str) -> None:
    if ends is None:
        return
    if isinstance(ends, tuple) and len(ends) == 2:
        low, high = (
            unset if end is None else end
            for end, unset in zip(ends, (-math.inf, math.inf), strict=True)
        )
        if _is_number(low) and _is_number(high) and low < high:
            return
    raise ConfigurationError(
        f"{what} is {ends!r}, expected a tuple (lowest, highest), None for an end that is "
        "unbounded or unknown"
    )


def as_retriever(source: Any) -> Retriever:
    """A retriever as it is, that of a collection, or a callable or an object seen as one.

    Raises:
        ConfigurationError: None of these.
    """
    if isinstance(source, Retriever):
        if not (source.is_sync() or source.is_async() or isinstance(source, CallableRetriever)):
            raise ConfigurationError(
                f"{type(source).__name__} has neither retrieve nor aretrieve; it writes one of them"
            )
        _check_methods(source)
        return source
    if isinstance(source, type):
        raise ConfigurationError(
            f"a leg is the class {source.__name__}, expected an instance of it: "
            f"{source.__name__}(...)"
        )
    behind = getattr(source, "retriever", None)
    if callable(behind):
        return as_retriever(behind())  # a collection
    method = getattr(source, "retrieve", None) or getattr(source, "aretrieve", None)
    if callable(method):
        retriever = CallableRetriever(method, source)
        retriever.name = getattr(source, "name", None) or type(source).__name__.lower()
        return retriever
    if callable(source):
        return CallableRetriever(source)
    raise ConfigurationError(
        f"a leg is {type(source).__name__} ({source!r:.60}), expected a Retriever, a Leg or a "
        "callable from the query's text to ids, (id, score) pairs, chunks or hits"
    )


def _check_methods(retriever: Retriever) -> None:
    """Refuse a retriever that would fail at every query, and be degraded every time."""
    for name, written in (("retrieve", retriever.is_sync()), ("aretrieve", retriever.is_async())):
        if not written:
            continue
        method = getattr(retriever, name)
        try:
            inspect.signature(method).bind("text", top_k=1, filter=None)
        except TypeError as error:
            raise ConfigurationError(
                f"{type(retriever).__name__}.{name} takes {inspect.signature(method)}, "
                f"expected (query, *, top_k, filter): {error}"
            ) from error
        if name == "retrieve" and inspect.iscoroutinefunction(method):
            raise ConfigurationError(
                f"{type(retriever).__name__}.retrieve is async; name it aretrieve"
            )


def name_legs(legs: Any) -> tuple[Leg, ...]:
    """Legs with their names and retrievers settled, from a list or a mapping name -> leg.

    Names in a list come from the retriever, numbered when they repeat: ``dense``, ``dense_2``.

    Raises:
        ConfigurationError: Not a list or mapping, no legs, a name given twice.
    """
    if isinstance(legs, Mapping):
        entries = [_named(name, leg) for name, leg in legs.items()]
    elif isinstance(legs, Sequence) and not isinstance(legs, str):
        entries = [leg if isinstance(leg, Leg) else Leg(None, leg) for leg in legs]
    else:
        raise ConfigurationError(
            f"legs is {type(legs).__name__}, expected a list of retrievers such as [dense, bm25], "
            "or a mapping from name to retriever"
        )
    if not entries:
        raise ConfigurationError("a hybrid needs at least one leg, got none")
    settled = [_settled(leg) for leg in entries]
    given = [leg.name for leg in settled if leg.name is not None]
    taken = set(given)
    if len(taken) < len(given):
        twice = sorted(name for name in taken if given.count(name) > 1)
        raise ConfigurationError(f"legs share the name {twice[0]!r}; every leg needs its own")
    named = []
    for leg in settled:
        name = leg.name
        if name is None:
            name = _free_name(leg.retriever.name, taken)
            taken.add(name)
        named.append(replace(leg, name=name))
    return tuple(named)


def _settled(leg: Leg) -> Leg:
    retriever = as_retriever(leg.retriever)
    return replace(leg, retriever=retriever, kind=leg.kind or retriever.kind)


def _named(name: Any, leg: Any) -> Leg:
    if not isinstance(leg, Leg):
        return Leg(name, leg)
    if leg.name not in (None, name):
        raise ConfigurationError(f"the leg under {name!r} calls itself {leg.name!r}; give one name")
    return replace(leg, name=name)


def _free_name(wanted: str, taken: Iterable[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
