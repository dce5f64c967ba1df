"""The stages that wait for nothing: they cut and order hits, and make a context of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from plait.context import ContextBuilder
from plait.errors import StageError
from plait.pipeline.state import Done, State
from plait.refining import (
    Diversity,
    Grouping,
    Refined,
    Threshold,
    apply_threshold,
    group_hits,
)
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
        hits = state.hits
        notes: list[str] = []
        for threshold in self._thresholds:
            left = apply_threshold(hits, threshold, score_bound=state.found.score_bound)
            hits = left.hits
            notes += left.notes
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

    def __init__(self, diversity: Diversity) -> None:
        self._diversity: Callable[[Sequence[Hit]], Any] = diversity

    def __call__(self, state: State) -> Done:
        """The same hits in that order."""
        arranged = self._diversity(state.hits)
        if not isinstance(arranged, Refined):
            raise StageError(
                f"the diversity {self._diversity!r:.60} returned {type(arranged).__name__}, "
                "expected Refined",
                self.name,
            )
        return Done(replace(state, hits=arranged.hits), arranged.notes)


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

    def __call__(self, state: State) -> Done:
        """The context of the passages, or of the hits where nothing was expanded."""
        context = self._builder.build(state.request.query, state.passages or state.shown)
        return Done(replace(state, context=context), context.notes)
