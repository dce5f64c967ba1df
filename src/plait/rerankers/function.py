"""CallableReranker: a plain function as a reranker."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plait.errors import ConfigurationError
from plait.execution import run_coroutine, run_in_thread
from plait.rerankers.reranker import Reranker
from plait.types import Chunk

__all__ = ["CallableReranker"]


class CallableReranker(Reranker):
    """A function ``(query, chunks) -> answer``, sync or async, as a reranker.

    Args:
        function: Takes the text of the query and the chunks, and returns what ``to_reranking``
            takes, or an awaitable of it.
        name: What results and errors call it; None for the name of the function.

    Raises:
        ConfigurationError: Not callable, or it cannot be given two arguments.

    Example:
        >>> from plait.types import Hit
        >>> longest = CallableReranker(lambda query, chunks: [len(c.content) for c in chunks])
        >>> longest.decide("?", [Hit(Chunk("ab"), 0.5, 1), Hit(Chunk("abcd"), 0.4, 2)]).scores
        (4.0, 2.0)
    """

    def __init__(
        self, function: Callable[[str, Sequence[Chunk]], Any], *, name: str | None = None
    ) -> None:
        if not callable(function):
            raise ConfigurationError(
                f"reranker is {function!r:.80}, expected a Reranker or a function (query, chunks)"
            )
        try:
            inspect.signature(function).bind("query", ())
        except TypeError as error:
            raise ConfigurationError(
                f"the reranker {function!r:.80} cannot be given (query, chunks): {error}"
            ) from error
        except ValueError:
            pass  # a function in C without a signature
        called = getattr(function, "__name__", type(function).__name__)
        self.name = name or ("reranker" if called == "<lambda>" else called)
        self._function = function
        call = getattr(function, "__call__", None)  # noqa: B004 (an object's async __call__)
        self._async = any(map(inspect.iscoroutinefunction, (function, call)))

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> Any:
        """What the function returns."""
        answer = self._function(query, chunks)
        return run_coroutine(_awaited(answer)) if inspect.isawaitable(answer) else answer

    async def arerank(self, query: str, chunks: Sequence[Chunk]) -> Any:
        """What the function returns; a sync one runs in a thread."""
        if self._async:
            return await self._function(query, chunks)
        return await run_in_thread(self.rerank, query, chunks)

    @property
    def only_async(self) -> bool:
        """Whether the function is async."""
        return self._async

    def describe(self) -> Mapping[str, Any]:
        """The function's name."""
        return {"type": "callable", "name": self.name}


async def _awaited(answer: Any) -> Any:
    return await answer
