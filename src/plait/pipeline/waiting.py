"""The stages that wait for something: planning, retrieval, reranking, expansion, the model.

Each yields a call and is sent the answer. What fails in planning, reranking or expansion leaves the
state as it was, and the result is degraded; a mistake of the caller is raised by the call itself.
What is only async is called so from sync code too: then a call that is late is cancelled.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from plait.errors import ContractError, ModelTimeoutError, QueryError
from plait.execution import Answer, Call
from plait.hybrid import Asked, HybridRetriever
from plait.models import LanguageModel, checked_answer
from plait.pipeline.calling import attempted, required, required_runner, runner, value, why
from plait.pipeline.prompt import AnswerPrompt
from plait.pipeline.state import Done, State, Steps
from plait.planning import Planned, Planner
from plait.refining import Expansion, Fetch, expand
from plait.rerankers import Reranker, apply_reranking
from plait.types import alone

__all__ = ["Answering", "Expanding", "Planning", "Reranking", "Retrieving"]

_PLANNING_SHARE = 0.5
_LEAST = 0.001  # seconds: a deadline that has passed is still a deadline


class Planning:
    """From the question to its variants."""

    name = "plan"

    def __init__(self, planner: Planner, retriever: HybridRetriever, timeout: float | None) -> None:
        self._planner = planner
        self._retriever = retriever
        self._timeout = timeout
        self._runner = runner("planner", planner.name)
        self._checking = required_runner("check")

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
        yield from required(Call(self._checking, check, None))
        # Half of the time at most, since retrieval is what the request is about.
        limit = state.deadline.left(self._timeout, share=_PLANNING_SHARE)
        given = (request.query, request.history)
        plan = None if planner.only_async else partial(planner.plan, *given, timeout=limit)
        aplan = partial(planner.aplan, *given, timeout=limit)
        answer = yield from attempted(Call(self._runner, plan, aplan, limit))
        planned = answer.value
        if answer.error is None and not isinstance(planned, Planned):
            answer = _refused(planner.name, planned)
        if answer.error is not None:
            note = f"only the original query was searched: {why(answer)}"
            return Done(replace(state, planner_calls=None), (note,), "degraded")
        left = replace(state, variants=planned.variants, planner_calls=planned.calls)
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
        self._runner = required_runner("retrieval")

    def __call__(self, state: State) -> Steps[Done]:
        """The fused hits of all variants; a failure of retrieval ends the request.

        Variants that cannot be searched are the planner's failure: then the question is.
        """
        notes: tuple[str, ...] = ()
        try:
            found = yield from required(self._call(state))
        except QueryError as error:
            if all(variant.is_original for variant in state.variants):
                raise
            state = replace(state, variants=alone(state.request.query))
            found = yield from required(self._call(state))
            notes = (f"only the original query was searched: {error}",)
        failed = [f"leg {leg.name!r} failed: {leg.error}" for leg in found.legs if leg.error]
        left = replace(state, found=found, hits=found.hits)
        degraded = found.degraded or bool(notes)
        return Done(left, (*notes, *found.notes, *failed), "degraded" if degraded else "ok")

    def _call(self, state: State) -> Call:
        request, hybrid = state.request, self._retriever
        seconds = state.deadline.left(hybrid.deadline)
        ask: Asked = {
            "top_k": state.depth,
            "filter": request.filter,
            "fetch_k": request.fetch_k,
            "deadline": seconds if seconds is None else max(seconds, _LEAST),
        }
        return Call(
            self._runner,
            partial(hybrid.retrieve_variants, state.variants, **ask),
            partial(hybrid.aretrieve_variants, state.variants, **ask),
        )


class Reranking:
    """The first hits in the order of a reranker, which is final."""

    name = "rerank"

    def __init__(self, reranker: Reranker, rerank_k: int, timeout: float | None) -> None:
        self._reranker = reranker
        self._rerank_k = rerank_k
        self._timeout = timeout
        self._runner = runner("reranker", reranker.name)

    def __call__(self, state: State) -> Steps[Done]:
        """The hits in the reranker's order; on failure in the order they had."""
        text, reranker = state.request.query.text, self._reranker
        if text is None:
            return Done(state, ("not reranked: the query has no text",), "skipped")
        if not state.hits:
            return Done(state, status="skipped")
        given: Any = {"rerank_k": self._rerank_k}
        decide = (
            None if reranker.only_async else partial(reranker.decide, text, state.hits, **given)
        )
        adecide = partial(reranker.adecide, text, state.hits, **given)
        limit = state.deadline.left(self._timeout)
        answer = yield from attempted(Call(self._runner, decide, adecide, limit))
        if answer.error is not None:
            note = f"the hits are in fused order: {why(answer)}"
            return Done(state, (note,), "degraded")
        hits = apply_reranking(state.hits, answer.value)
        return Done(replace(state, hits=hits, reranked=True), answer.value.notes)


class Expanding:
    """From hits to passages: what stands around them in their documents."""

    name = "expand"

    def __init__(self, expansion: Expansion, documents: Fetch) -> None:
        self._expansion = expansion
        self._documents = documents
        self._runner = runner("expansion")

    def __call__(self, state: State) -> Steps[Done]:
        """Passages; on failure the hits alone."""
        reading = partial(
            expand, state.shown, self._documents, self._expansion, filter=state.request.filter
        )
        answer = yield from attempted(Call(self._runner, reading, None, state.deadline.left()))
        if answer.error is not None:
            note = f"the hits were not expanded: {why(answer)}"
            return Done(state, (note,), "degraded")
        return Done(replace(state, passages=answer.value.passages), answer.value.notes)


class Answering:
    """What a language model says to the question, given the context."""

    name = "answer"

    def __init__(self, model: LanguageModel, prompt: AnswerPrompt, timeout: float | None) -> None:
        self._model = model
        self._prompt = prompt
        self._timeout = timeout
        self._runner = required_runner("model")

    def __call__(self, state: State) -> Steps[Done]:
        """The answer; the model is not asked about nothing, and its failure ends the request."""
        context, request, model = state.context, state.request, self._model
        if context is None or not context.citations:
            return Done(state, ("the model was not asked: nothing was found",), "skipped")
        prompt = self._prompt(str(request.query.text), context, request.history)
        given: Any = {"system": self._prompt.system}
        complete = None if model.only_async else partial(model.complete, prompt, **given)
        acomplete = partial(model.acomplete, prompt, **given)
        answer = yield Call(self._runner, complete, acomplete, self._timeout)
        if answer.status == "timeout":
            raise ModelTimeoutError(
                f"model {model.name!r} gave no answer within {self._timeout} s, its model_timeout",
                transient=True,
            ) from answer.error
        return Done(replace(state, answer=checked_answer(value(answer), model.name)))
