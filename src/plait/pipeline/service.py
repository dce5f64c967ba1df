"""Rag: from a question to hits, a context with citations, and an answer."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from plait.collection.closing import Closing
from plait.context import ContextBuilder, cite
from plait.errors import ConfigurationError, QueryError
from plait.filters import FilterLike
from plait.hybrid.leg import check_seconds
from plait.pipeline.answer import RagAnswer
from plait.pipeline.driving import arun, run
from plait.pipeline.flow import ranking_of, result_of, through
from plait.pipeline.parts import settle_parts
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.request import Asking, RagRequest
from plait.pipeline.result import RagResult
from plait.pipeline.sources import as_hybrid, check_named, collection_of
from plait.pipeline.state import Deadline, State, Steps
from plait.refining import (
    Diversity,
    Expansion,
    Fetch,
    Grouping,
    Threshold,
)
from plait.retriever import Retriever, check_queries
from plait.types import Query, QueryLike, SearchResult, alone

__all__ = ["Rag"]

_log = logging.getLogger("plait.rag")


class Rag(Retriever, Closing):
    """The way from a question to a context: plan, retrieve, refine, rerank, cut, assemble.

    It is a retriever too: an evaluation runs it like any other, and it may be a leg of a hybrid.

    A planner, a reranker or an expansion that fails or is late is left out, and the result says so
    (``degraded``, ``notes``, ``trace``). Mistakes of the caller are raised before any work.

    Args:
        retriever: A collection, a hybrid, or what may be a leg of one.
        planner: Puts the question in more ways than one; a ``Planner`` or its text form.
        reranker: Puts the best hits in an order that is final; what ``as_reranker`` takes.
        rerank_k: How many hits the reranker is given, whatever ``top_k``, >= 1.
        thresholds: ``Threshold`` values or text forms, such as ``"leg:dense>=0.3"`` or
            ``"rerank>=0.5"``. One that can never pass is refused.
        group: Hits that belong together count as one, such as ``"document"``; or
        diversity: Hits that repeat each other come later, such as ``"mmr"``; not both.
        expand: What stands around a hit goes into the context, such as ``"neighbors"``.
        documents: Gives a document's chunks for ``expand``; None takes the collection's.
        context: Makes the context; None for ``ContextBuilder()``.
        model: Answers in ``ask``; what ``as_model`` takes.
        model_timeout: Seconds for the model in ``ask``, None for as long as it takes itself.
        prompt: What the model is told, an ``AnswerPrompt`` or its system text.
        top_k: Hits of the result, >= 1; None takes the retriever's own.
        fetch_k: Candidates asked of each leg for each variant; None takes the retriever's own.
        deadline: Seconds for everything up to the context; None for no limit. Planning may take
            half of it, and what is left out for want of time is told.
        planner_timeout: Seconds for the planner, None for no limit.
        reranker_timeout: Seconds for the reranker, None for no limit.
        name: Name of the leg when this stands in a hybrid.
        owned: What ``close`` closes: a collection that was opened for this service alone.

    Raises:
        ConfigurationError: A bad value, or parts that do not fit each other.

    Example:
        >>> from plait.lexical import BM25Retriever
        >>> from plait.types import Chunk
        >>> chunks = [Chunk("Refunds take 14 days.", id="faq"), Chunk("Cats purr.", id="cats")]
        >>> result = Rag(BM25Retriever(chunks)).search("how long do refunds take")
        >>> print(result.context)
        [1] faq
        Refunds take 14 days.
        >>> [report.name for report in result.trace.stages]
        ['retrieve', 'top', 'context']
    """

    def __init__(
        self,
        retriever: Any,
        *,
        planner: Any = None,
        reranker: Any = None,
        rerank_k: int = 50,
        thresholds: Sequence[Threshold | str] | Threshold | str = (),
        group: Grouping | str | None = None,
        diversity: Diversity | str | None = None,
        expand: Expansion | str | None = None,
        documents: Fetch | None = None,
        context: ContextBuilder | None = None,
        model: Any = None,
        model_timeout: float | None = None,
        prompt: AnswerPrompt | str | None = None,
        top_k: int | None = None,
        fetch_k: int | None = None,
        deadline: float | None = None,
        planner_timeout: float | None = 10.0,
        reranker_timeout: float | None = 30.0,
        name: str = "rag",
        owned: Closing | None = None,
    ) -> None:
        for value, what in ((rerank_k, "rerank_k"), (top_k, "top_k"), (fetch_k, "fetch_k")):
            unset = value is None and what != "rerank_k"
            if not unset and (type(value) is not int or value < 1):
                raise ConfigurationError(f"{what} is {value!r}, expected an int >= 1")
        for seconds, what in (
            (deadline, "deadline"),
            (planner_timeout, "planner_timeout"),
            (reranker_timeout, "reranker_timeout"),
            (model_timeout, "model_timeout"),
        ):
            check_seconds(seconds, what)
        if not isinstance(name, str) or not name:
            raise ConfigurationError(f"name is {name!r}, expected a non-empty str")
        self.name = name
        self._owned = owned
        self.retriever = as_hybrid(retriever)
        self.collection = collection_of(self.retriever)
        self.parts = settle_parts(
            self.retriever,
            planner=planner,
            planner_timeout=planner_timeout,
            reranker=reranker,
            rerank_k=rerank_k,
            reranker_timeout=reranker_timeout,
            thresholds=thresholds,
            group=group,
            diversity=diversity,
            expand=expand,
            documents=documents,
            context=context,
            model=model,
            model_timeout=model_timeout,
            prompt=prompt,
        )
        self.top_k = self.retriever.top_k if top_k is None else top_k
        self.fetch_k = self.retriever.fetch_k if fetch_k is None else fetch_k
        self.deadline = deadline
        self.filters = self.retriever.filters
        self.kind = self.retriever.kind
        self.order = "position" if self.parts.reorders else "score"
        self._ranking = self.parts.ranking()
        self._assembling = self.parts.assembling()
        self._answering = self.parts.answering()
        for note in self.parts.check_thresholds(self.fetch_k):
            _log.warning("%s: %s", self.name, note)

    def search(self, query: QueryLike | RagRequest, **given: Unpack[Asking]) -> RagResult:
        """Hits and a context for a question; works inside a running event loop too.

        Args:
            query: Text, a ``Query``, or a ``RagRequest``.
            **given: What a ``RagRequest`` holds beside the query.

        Raises:
            QueryError, ConfigurationError: A mistake in the request, before any work.
            RetrievalError: Retrieval failed; see ``HybridRetriever.retrieve``.
        """
        return run(self._search(RagRequest.of(query, **given)))

    async def asearch(self, query: QueryLike | RagRequest, **given: Unpack[Asking]) -> RagResult:
        """``search`` without blocking the event loop; cancelling it cancels what is running."""
        return await arun(self._search(RagRequest.of(query, **given)))

    def ask(self, query: QueryLike | RagRequest, **given: Unpack[Asking]) -> RagAnswer:
        """What the model says to a question, given the context that ``search`` finds.

        If nothing is found the model is not asked, and the answer is empty.

        Raises:
            ConfigurationError: The service has no model.
            ModelError, ServiceError: The model failed; ``ModelTimeoutError`` if it was late.
            QueryError, RetrievalError: As in ``search``.
        """
        return run(self._ask(RagRequest.of(query, **given)))

    async def aask(self, query: QueryLike | RagRequest, **given: Unpack[Asking]) -> RagAnswer:
        """``ask`` without blocking the event loop."""
        return await arun(self._ask(RagRequest.of(query, **given)))

    def retrieve(
        self,
        query: QueryLike,
        *,
        top_k: int | None = None,
        filter: FilterLike = None,
        fetch_k: int | None = None,
    ) -> SearchResult:
        """The hits of ``search`` as the result of a retriever, without making a context.

        Args:
            query: Text or a ``Query``.
            top_k: Hits of the result, >= 1; None takes the service's.
            filter: Only chunks whose metadata passes; see ``plait.filters``.
            fetch_k: Candidates asked of each leg for each variant.

        Raises:
            QueryError, ConfigurationError, RetrievalError: As in ``search``.
        """
        asked = RagRequest.of(query, top_k=top_k, filter=filter, fetch_k=fetch_k)
        return run(self._retrieve(asked))

    async def aretrieve(
        self,
        query: QueryLike,
        *,
        top_k: int | None = None,
        filter: FilterLike = None,
        fetch_k: int | None = None,
    ) -> SearchResult:
        """``retrieve`` without blocking the event loop."""
        asked = RagRequest.of(query, top_k=top_k, filter=filter, fetch_k=fetch_k)
        return await arun(self._retrieve(asked))

    def retrieve_many(
        self,
        queries: Iterable[QueryLike],
        *,
        top_k: int | None = None,
        filter: FilterLike = None,
        fetch_k: int | None = None,
    ) -> list[SearchResult]:
        """Answer several queries as ``retrieve`` does; they are checked before the first is run."""
        given: Any = {"top_k": top_k, "filter": filter, "fetch_k": fetch_k}
        return [self.retrieve(query, **given) for query in check_queries(queries)]

    def unanswerable(self, query: Query) -> str | None:
        """Why the retriever cannot use the form of the query, None if it can."""
        return self.retriever.unanswerable(query)

    def close(self) -> None:
        """Close the collection if it was opened for this service; closing again does nothing."""
        if self._owned is not None:
            self._owned.close()

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the answers, as JSON values, without secrets."""
        return {
            "type": "Rag",
            "name": self.name,
            "collection": self.collection,
            **self.parts.describe(),
            "top_k": self.top_k,
            "fetch_k": self.fetch_k,
            "deadline": self.deadline,
        }

    def _search(self, request: RagRequest) -> Steps[RagResult]:
        """The way of a search."""
        stages = (*self._ranking, *self._assembling)
        state, recording = yield from through(stages, self._start(request))
        return result_of(state, recording, self.describe)

    def _ask(self, request: RagRequest) -> Steps[RagAnswer]:
        """The way of a search, and what the model says to what it found."""
        if not self._answering:
            raise ConfigurationError(
                "there is no model to answer; give the service one: Rag(..., model=...)"
            )
        if request.query.text is None:
            raise QueryError("a model answers questions in words, and this query has no text")
        stages = (*self._ranking, *self._assembling, *self._answering)
        state, recording = yield from through(stages, self._start(request))
        result = result_of(state, recording, self.describe)
        return RagAnswer(cite(state.answer or "", result.context), result)

    def _retrieve(self, request: RagRequest) -> Steps[SearchResult]:
        """The way of a search up to its hits."""
        state, recording = yield from through(self._ranking, self._start(request))
        return ranking_of(state, recording)

    def _start(self, request: RagRequest) -> State:
        """The state before the first stage; what cannot be honored is refused here."""
        check_named(self.retriever, request.collection, request.embedder)
        final = request.final or self.top_k
        fetch_k = request.fetch_k or self.fetch_k
        depth = request.retrieved or max(final, self.parts.needed(fetch_k))
        return State(
            replace(request, fetch_k=fetch_k),
            final=min(final, depth),
            depth=depth,
            deadline=Deadline(self.deadline),
            variants=alone(request.query),
        )
