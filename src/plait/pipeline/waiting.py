"""The stages that wait for something: planning, retrieval, reranking, expansion, the model.

Each yields a call and is sent the answer. What fails in planning, reranking or expansion leaves the
state as it was, and the result is degraded; a mistake of the caller is raised by the call itself.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

from plait.errors import ContractError
from plait.execution import Answer, Breaker, Call, Runner
from plait.hybrid import Asked, HybridRetriever
from plait.hybrid.outcome import say
from plait.models import LanguageModel
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.state import Done, State, Steps
from plait.planning import Planned, Planner
from plait.refining import Expansion, Fetch, expand
from plait.rerankers import Reranker, apply_reranking

__all__ = ["Answering", "Expanding", "Planning", "Reranking", "Retrieving"]

_PLANNING_SHARE = 0.5
_LEAST = 0.001  # seconds: a deadline that has passed is still a deadline


def _runner(stage: str, named: str | None = None) -> Runner:
    label = f"the {stage}" if named is None else f"{stage} {named!r}"
    return Runner(stage, label=label)


def _unbroken(stage: str) -> Runner:
    """The runner of a stage whose failure ends the request: nothing is gained by not asking it."""
    return Runner(stage, label=stage, max_late=sys.maxsize, breaker=Breaker(threshold=None))


def _why(answer: Answer) -> str:
    """Why there is no value, in one line; late and refused calls say who they are."""
    error = answer.error
    return say(error) if error is not None and answer.status == "error" else str(error)


class Planning:
    """From the question to its variants."""

    name = "plan"

    def __init__(self, planner: Planner, retriever: HybridRetriever, timeout: float | None) -> None:
        self._planner = planner
        self._retriever = retriever
        self._timeout = timeout
        self._runner = _runner("planner", planner.name)
        self._checking = _unbroken("check")

    def __call__(self, state: State) -> Steps[Done]:
        """The variants of the question; on failure the question alone."""
        request, planner = state.request, self._planner
        if request.query.text is None:
            return Done(state, ("not planned: the query has no text",), "skipped")
        # A model is slow and costs something: a mistake in the request is told before it is asked.
        check = partial(
            self._retriever.check,
            request.query,
            top_k=state.depth,
            filter=request.filter,
            fetch_k=request.fetch_k,
        )
        checked = yield Call(self._checking, check, None)
        _value(checked)
        # Half of the time at most, since retrieval is what the request is about.
        limit = state.deadline.left(self._timeout, share=_PLANNING_SHARE)
        given = (request.query, request.history)
        answer = yield Call(
            self._runner,
            partial(planner.plan, *given, timeout=limit),
            partial(planner.aplan, *given, timeout=limit),
            limit,
        )
        planned = answer.value
        if answer.error is None and not isinstance(planned, Planned):
            answer = _refused(planner.name, planned)
        if answer.error is not None:
            note = f"only the original query was searched: {_why(answer)}"
            return Done(state, (note,), "degraded")
        left = replace(state, variants=planned.variants)
        return Done(left, planned.notes, "degraded" if planned.fell_back else "ok")


def _refused(planner: str, planned: Any) -> Answer:
    error = ContractError(
        f"planner {planner!r} returned {type(planned).__name__}, expected Planned", planner
    )
    return Answer("error", error=error)


class Retrieving:
    """From variants to fused hits."""

    name = "retrieve"

    def __init__(self, retriever: HybridRetriever) -> None:
        self._retriever = retriever
        self._runner = _unbroken("retrieval")

    def __call__(self, state: State) -> Steps[Done]:
        """The fused hits of all variants; a failure of retrieval ends the request."""
        request, hybrid = state.request, self._retriever
        seconds = state.deadline.left(hybrid.deadline)
        ask: Asked = {
            "top_k": state.depth,
            "filter": request.filter,
            "fetch_k": request.fetch_k,
            "deadline": seconds if seconds is None else max(seconds, _LEAST),
        }
        answer = yield Call(
            self._runner,
            partial(hybrid.retrieve_variants, state.variants, **ask),
            partial(hybrid.aretrieve_variants, state.variants, **ask),
        )
        found = _value(answer)
        left = replace(state, found=found, hits=found.hits)
        failed = [f"leg {leg.name!r} failed: {leg.error}" for leg in found.legs if leg.error]
        notes = (*found.notes, *failed)
        return Done(left, notes, "degraded" if found.degraded else "ok")


def _value(answer: Answer) -> Any:
    if answer.error is not None:
        raise answer.error
    return answer.value


class Reranking:
    """The first hits in the order of a reranker, which is final."""

    name = "rerank"

    def __init__(self, reranker: Reranker, rerank_k: int, timeout: float | None) -> None:
        self._reranker = reranker
        self._rerank_k = rerank_k
        self._timeout = timeout
        self._runner = _runner("reranker", reranker.name)

    def __call__(self, state: State) -> Steps[Done]:
        """The hits in the reranker's order; on failure in the order they had."""
        text, reranker = state.request.query.text, self._reranker
        if text is None:
            return Done(state, ("not reranked: the query has no text",), "skipped")
        if not state.hits:
            return Done(state, status="skipped")
        limit = state.deadline.left(self._timeout)
        if limit is not None and limit <= 0:
            return Done(state, ("the hits are in fused order: no time was left",), "degraded")
        given: Any = {"rerank_k": self._rerank_k}
        answer = yield Call(
            self._runner,
            partial(reranker.decide, text, state.hits, **given),
            partial(reranker.adecide, text, state.hits, **given),
            limit,
        )
        if answer.error is not None:
            note = f"the hits are in fused order: {_why(answer)}"
            return Done(state, (note,), "degraded")
        hits = apply_reranking(state.hits, answer.value)
        return Done(replace(state, hits=hits, reranked=True), answer.value.notes)


class Expanding:
    """From hits to passages: what stands around them in their documents."""

    name = "expand"

    def __init__(self, expansion: Expansion, documents: Fetch) -> None:
        self._expansion = expansion
        self._documents = documents
        self._runner = _runner("expansion")

    def __call__(self, state: State) -> Steps[Done]:
        """Passages; on failure the hits alone."""
        reading = partial(
            expand, state.shown, self._documents, self._expansion, filter=state.request.filter
        )
        answer = yield Call(self._runner, reading, None)
        if answer.error is not None:
            note = f"the hits were not expanded: {_why(answer)}"
            return Done(state, (note,), "degraded")
        return Done(replace(state, passages=answer.value.passages), answer.value.notes)


class Answering:
    """What a language model says to the question, given the context."""

    name = "answer"

    def __init__(self, model: LanguageModel, prompt: AnswerPrompt) -> None:
        self._model = model
        self._prompt = prompt
        self._runner = _unbroken("model")

    def __call__(self, state: State) -> Steps[Done]:
        """The answer; the model is not asked about nothing, and its failure ends the request."""
        context, request, model = state.context, state.request, self._model
        if context is None or not context.citations:
            return Done(state, ("the model was not asked: nothing was found",), "skipped")
        prompt = self._prompt(str(request.query.text), context, request.history)
        given: Any = {"system": self._prompt.system}
        answer = yield Call(
            self._runner,
            partial(model.complete, prompt, **given),
            partial(model.acomplete, prompt, **given),
        )
        return Done(replace(state, answer=_value(answer)))
