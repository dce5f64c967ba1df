"""Flow: a request through its stages, and what comes out at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from plait.context import Context
from plait.pipeline.recording import Recording
from plait.pipeline.result import RagResult
from plait.pipeline.state import Stage, State, Steps
from plait.pipeline.trace import Trace
from plait.telemetry import span
from plait.types import SearchResult

__all__ = ["ranking_of", "result_of", "through"]


def through(stages: Sequence[Stage], start: State) -> Steps[tuple[State, Recording]]:
    """The state behind these stages, and what each of them did; under one span."""
    recording = Recording()
    with span("plait.rag", {"plait.request_id": recording.request_id}) as note:
        state = yield from recording.through(stages, start)
        note({"plait.degraded": recording.degraded, "plait.hits": len(state.hits)})
    recording.finish(len(state.hits))
    return state, recording


def ranking_of(state: State, recording: Recording) -> SearchResult:
    """The hits of a state as the result of a retriever."""
    found = state.found
    return replace(
        found,
        query=state.request.query,
        hits=state.hits,
        # Where stages have dropped hits, or made groups of them, the pool is what they left.
        total=found.total if recording.passed == len(found.hits) else recording.passed,
        degraded=recording.degraded,
        # Behind a reranker the score is not the fused one, and has no bound that is known.
        score_bound=None if state.reranked else found.score_bound,
        notes=recording.notes,
    )


def result_of(
    state: State, recording: Recording, settings: Callable[[], Mapping[str, Any]]
) -> RagResult:
    """The result of a request, with its trace if that is wanted."""
    found, trace = state.found, None
    if state.request.trace:
        trace = Trace(
            request_id=recording.request_id,
            elapsed_ms=recording.elapsed_ms,
            stages=tuple(recording.reports),
            variants=state.variants,
            planner_calls=state.planner_calls,
            legs=found.legs,
            fusion=found.fusion,
            score_bound=found.score_bound,
            fetch_k=found.fetch_k,
            generation=found.generation,
            settings=settings(),
        )
    context = state.context or Context("")
    return RagResult(ranking_of(state, recording), context, state.groups, trace)
