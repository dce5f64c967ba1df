"""The stages that compute: they cut and order hits, and make a context of them.

Order and context may take long, or be code of one's own: they are calls, so that no event loop
waits for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from plait.context import ContextBuilder
from plait.errors import ContractError
from plait.execution import Call
from plait.pipeline.calling import attempted, required, required_runner, runner, why
from plait.pipeline.sources import Vectors
from plait.pipeline.state import Done, State, Steps
from plait.refining import (
    Diversity,
    Grouping,
    Refined,
    Threshold,
    apply_threshold,
    group_hits,
)
from plait.refining.refined import ranked
from plait.types import Hit

__all__ = ["Assembling", "Cutting", "Diversifying", "Joining", "Top"]


class Cutting:
    """Only hits that reach the thresholds of one stage."""

    def __init__(self, thresholds: Sequence[Threshold], *, after_reranking: bool) -> None:
        self._thresholds = tuple(thresholds)
        self._after_reranking = after_reranking
        self.name = "rerank_threshold" if after_reranking else "threshold"

    def __call__(self, state: State) -> Done:
        """The hits that reach every threshold, and a note for each that cut some."""
        if self._after_reranking and not state.reranked:
            # Nobody has judged the hits; that is no reason to drop them all.
            return Done(state, ("not applied: the hits were not reranked",), "skipped")
        hits, highest = state.hits, state.found.score_bound
        notes: list[str] = []
        for threshold in self._thresholds:
            left = apply_threshold(hits, threshold, score_bound=highest)
            hits = left.hits
            notes += left.notes
            if threshold.score == "fused" and highest is not None and threshold.limit > highest:
                notes.append(f"{threshold} cannot be reached: the highest score is {highest:.6g}")
        return Done(replace(state, hits=hits), tuple(notes))


class Joining:
    """Hits that belong together as one."""

    name = "group"

    def __init__(self, grouping: Grouping) -> None:
        self._grouping = grouping

    def __call__(self, state: State) -> Done:
        """Groups, best first, and the best hit of each."""
        grouped = group_hits(state.hits, self._grouping)
        return Done(replace(state, hits=grouped.hits, groups=grouped.groups), grouped.notes)


class Diversifying:
    """Hits in an order in which they do not repeat each other."""

    name = "diversify"

    def __init__(self, diversity: Diversity, vectors: Vectors | None) -> None:
        self._diversity: Callable[[Sequence[Hit]], Any] = diversity
        self._vectors = vectors if getattr(diversity, "reads_embeddings", False) else None
        self._runner = runner("diversity")

    def __call__(self, state: State) -> Steps[Done]:
        """The same hits in that order; on failure in the order they had."""
        arrange = partial(self._arranged, state.hits)
        answer = yield from attempted(Call(self._runner, arrange, None, state.deadline.left()))
        if answer.error is not None:
            note = f"the hits are in the order they had: {why(answer)}"
            return Done(state, (note,), "degraded")
        return Done(replace(state, hits=answer.value.hits), answer.value.notes)

    def _arranged(self, hits: Sequence[Hit]) -> Refined:
        given = self._embedded(hits)
        arranged = self._diversity(given)
        if not isinstance(arranged, Refined):
            raise self._refused(f"returned {type(arranged).__name__}, expected Refined")
        rows = {id(hit.chunk): row for row, hit in enumerate(given)}
        order = [rows.get(id(hit.chunk), -1) for hit in arranged.hits]
        if -1 in order or len(set(order)) < len(order):
            raise self._refused("returned a hit that it was not given, or one twice")
        return replace(arranged, hits=ranked([hits[row] for row in order]))

    def _embedded(self, hits: Sequence[Hit]) -> Sequence[Hit]:
        """The hits with the vectors under which they are indexed, if all of them have one."""
        if self._vectors is None or all(hit.chunk.embedding is not None for hit in hits):
            return hits
        found = self._vectors([hit.id for hit in hits if hit.id is not None])
        if not all(hit.id in found for hit in hits):
            return hits
        return [
            replace(hit, chunk=replace(hit.chunk, embedding=found[str(hit.id)])) for hit in hits
        ]

    def _refused(self, what: str) -> ContractError:
        return ContractError(f"the diversity {self._diversity!r:.60} {what}", self.name)


class Top:
    """The first of them."""

    name = "top"

    def __call__(self, state: State) -> Done:
        """As many as the result has."""
        top = state.final
        return Done(replace(state, hits=state.hits[:top], groups=state.groups[:top]))


class Assembling:
    """The context."""

    name = "context"

    def __init__(self, builder: ContextBuilder) -> None:
        self._builder = builder
        self._runner = required_runner("context")

    def __call__(self, state: State) -> Steps[Done]:
        """The context of the passages, or of the hits where nothing was expanded."""
        build = partial(self._builder.build, state.request.query, state.passages or state.shown)
        context = yield from required(Call(self._runner, build, None))
        return Done(replace(state, context=context), context.notes)
