"""CallableRetriever: a plain function as a leg, and what options a leg takes for one query."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from plait.errors import ConfigurationError
from plait.execution import run_coroutine
from plait.filters import FilterLike
from plait.retriever import RankingRetriever, Retriever
from plait.types import Query, QueryLike

__all__ = ["CallableRetriever", "option_names"]


class CallableRetriever(Retriever):
    """A callable seen as a retriever. See ``Leg`` for what it is given and may return.

    Args:
        function: The callable.
        source: The object whose method it is, which writes reach; None for the callable itself.

    Raises:
        ConfigurationError: It cannot be given the text of the query.
    """

    def __init__(self, function: Callable[..., Any], source: Any = None) -> None:
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            names: list[str] = []
        else:
            names = _named(signature)
            try:
                signature.bind_partial("text")
            except TypeError as error:
                raise ConfigurationError(
                    f"the leg {function!r:.80} cannot be given the query's text as its first "
                    f"argument: {error}"
                ) from error
        self._function = function
        self.source = function if source is None else source
        # The first parameter is given the text, whatever its name is.
        self._extra = tuple(name for name in names[1:] if name in ("query", "top_k", "filter"))
        self.options = frozenset(names[1:]) - {"query", "top_k", "filter"}
        self.filters = "filter" in self._extra
        name = getattr(function, "__name__", type(function).__name__)
        self.name = "leg" if name == "<lambda>" else name
        call = getattr(function, "__call__", None)  # noqa: B004 (an object's async __call__)
        self.runs_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)

    def unanswerable(self, query: Query) -> str | None:
        """A callable is given the text, so it needs one unless it asks for the query."""
        if query.text is None and "query" not in self._extra:
            return "needs text, and the query has none"
        return None

    def __call__(self, query: QueryLike, top_k: int, filter: FilterLike, **options: Any) -> Any:
        """What the callable returns; an awaitable if it ``runs_async``."""
        asked = Query.of(query)
        given = {"query": asked, "top_k": top_k, "filter": filter}
        extra = {name: given[name] for name in self._extra}
        answer = self._function(asked.text, **extra, **options)
        if not self.runs_async and inspect.iscoroutine(answer):
            # A function that looks sync and returns a coroutine, such as a lambda around one.
            return run_coroutine(answer)
        return answer

    def describe(self) -> Mapping[str, Any]:
        """The callable's name."""
        return {"type": "callable", "name": self.name}


def option_names(retriever: Retriever) -> frozenset[str]:
    """The retriever's own options for one query, beside query, top_k and filter."""
    if isinstance(retriever, CallableRetriever):
        return retriever.options
    if isinstance(retriever, RankingRetriever):
        method: Callable[..., Any] = retriever.rank
    else:
        method = retriever.retrieve if retriever.is_sync() else retriever.aretrieve
    return frozenset(_named(inspect.signature(method))) - {"query", "top_k", "filter"}


def _named(signature: inspect.Signature) -> list[str]:
    """Names of the parameters, without ``*args`` and ``**kwargs``."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name, each in signature.parameters.items() if each.kind not in variable]
