"""Reranker: what puts the best of the fused hits in a new order.

One's own writes ``rerank`` or ``arerank`` and gets the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from plait.errors import ConfigurationError, QueryError
from plait.execution import run_coroutine, run_in_thread
from plait.rerankers.reranking import Reranking, to_reranking
from plait.types import Chunk, Hit

__all__ = ["NoReranker", "PassageText", "Reranker", "TextReranker"]

PassageText: TypeAlias = Callable[[Chunk], str]


class Reranker:
    """Base of rerankers. Subclass it and write ``rerank`` or ``arerank``.

    Both take ``(query, chunks)``, the text of the query and the chunks in fused order, and return
    what ``to_reranking`` takes: a score for each chunk, or ``(position, score)`` pairs, chunks or
    ``(chunk, score)`` pairs, best first, or a ``Reranking``. What goes wrong they raise.

    Attributes:
        name: What results and errors call it.

    Example:
        >>> class Shortest(Reranker):
        ...     name = "shortest"
        ...     def rerank(self, query, chunks):
        ...         return sorted(chunks, key=lambda chunk: len(chunk.content))
        >>> hits = [Hit(Chunk("long text"), 0.5, 1), Hit(Chunk("text"), 0.4, 2)]
        >>> Shortest().decide("?", hits).order
        (1, 0)
    """

    name: str = "reranker"

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> Any:
        """Judge the chunks; works inside a running event loop too."""
        self._check_written()
        return run_coroutine(self.arerank(query, chunks))

    async def arerank(self, query: str, chunks: Sequence[Chunk]) -> Any:
        """Judge the chunks without blocking the event loop."""
        self._check_written()
        return await run_in_thread(self.rerank, query, chunks)

    def decide(self, query: str, hits: Sequence[Hit], *, rerank_k: int = 50) -> Reranking:
        """What the reranker makes of the first hits; ``apply_reranking`` puts it to them.

        Args:
            query: The text of the query.
            hits: The hits in fused order. Without any, the reranker is not asked.
            rerank_k: How many of them it is given, >= 1.

        Raises:
            QueryError: A blank query or a bad ``rerank_k``.
            ContractError: An answer that is none; see ``to_reranking``.
        """
        chunks = _candidates(query, hits, rerank_k)
        return to_reranking(self.rerank(query, chunks) if chunks else (), chunks, self.name)

    async def adecide(self, query: str, hits: Sequence[Hit], *, rerank_k: int = 50) -> Reranking:
        """``decide`` without blocking the event loop."""
        chunks = _candidates(query, hits, rerank_k)
        return to_reranking(await self.arerank(query, chunks) if chunks else (), chunks, self.name)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the order, as JSON values, without secrets."""
        return {"type": type(self).__name__, "name": self.name}

    @property
    def only_async(self) -> bool:
        """Whether it writes ``arerank`` alone, so that a call which is late can be cancelled."""
        return type(self).rerank is Reranker.rerank

    def _check_written(self) -> None:
        cls = type(self)
        if cls.rerank is Reranker.rerank and cls.arerank is Reranker.arerank:
            raise ConfigurationError(
                f"{type(self).__name__} has neither rerank nor arerank; "
                "a reranker writes one of them"
            )


def _candidates(query: str, hits: Sequence[Hit], rerank_k: int) -> tuple[Chunk, ...]:
    if not isinstance(query, str) or not query.strip():
        raise QueryError(f"query is {query!r:.60}, expected text: a reranker reads it")
    if type(rerank_k) is not int or rerank_k < 1:
        raise QueryError(f"rerank_k is {rerank_k!r}, expected an int >= 1")
    return tuple(hit.chunk for hit in hits[:rerank_k])


class NoReranker(Reranker):
    """Leaves every hit where it is, without a rerank score.

    Example:
        >>> NoReranker().decide("?", [Hit(Chunk("text"), 0.5, 1)]).order
        ()
    """

    name = "none"

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> Reranking:  # noqa: ARG002
        """Nothing is placed."""
        return Reranking((), reranker=self.name)


class TextReranker(Reranker):
    """Base of rerankers that read text: the query and a passage for each chunk.

    Args:
        name: What results and errors call it.
        text: The passage of a chunk; None for what is indexed of it: title, section and content
            (``Chunk.index_text``), so that a passage is judged under its headings.

    Raises:
        ConfigurationError: No name, or a ``text`` that cannot be called.
    """

    def __init__(self, name: str, *, text: PassageText | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise ConfigurationError(f"name is {name!r:.60}, expected a non-empty str")
        if text is not None and not callable(text):
            raise ConfigurationError(
                f"text is {text!r:.60}, expected a function from a Chunk to its passage, or None"
            )
        self.name = name
        self._text: PassageText = attrgetter("index_text") if text is None else text

    def passages(self, chunks: Sequence[Chunk]) -> list[str]:
        """The text of each chunk that the reranker reads.

        Raises:
            ConfigurationError: ``text=`` gave something else than a str.
        """
        texts = [self._text(chunk) for chunk in chunks]
        for position, text in enumerate(texts):
            if not isinstance(text, str):
                raise ConfigurationError(
                    f"reranker {self.name!r}: text= gave {type(text).__name__} for chunk "
                    f"{position}, expected str"
                )
        return texts
