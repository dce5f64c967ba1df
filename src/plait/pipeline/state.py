"""State: what is known of a request, from stage to stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, TypeVar

from plait.context import Context
from plait.execution import Answer, Call
from plait.pipeline.request import RagRequest
from plait.refining import Group
from plait.types import Hit, Passage, SearchResult, Variant

__all__ = ["Deadline", "Done", "Stage", "StageStatus", "State", "Steps"]

T = TypeVar("T")

Steps: TypeAlias = Generator[Call, Answer, T]
"""Work that waits for calls: it yields a call, is sent the answer, and returns a value."""

StageStatus: TypeAlias = Literal["ok", "degraded", "skipped"]


class Deadline:
    """The time that a request has.

    Args:
        seconds: From now, None for no limit.
        clock: Seconds that only go forward.

    Example:
        >>> now = 10.0
        >>> deadline = Deadline(2.0, clock=lambda: now)
        >>> now = 11.5
        >>> deadline.left(5.0), deadline.left(0.1), Deadline(None).left(5.0)
        (0.5, 0.1, 5.0)
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = None if seconds is None else clock() + seconds

    def left(self, limit: float | None = None, *, share: float = 1.0) -> float | None:
        """Seconds that something with a limit of its own may take; 0 if time is up.

        Args:
            limit: Its own limit, None for none.
            share: How much of the time that is left it may take.
        """
        if self._at is None:
            return limit
        left = max(0.0, self._at - self._clock()) * share
        return left if limit is None else min(limit, left)


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a request. Each stage returns the next one.

    Attributes:
        request: What is asked.
        final: Hits, or groups, of the result.
        depth: Hits to retrieve.
        deadline: The time that there is.
        variants: What is searched.
        planner_calls: How often planning asked a language model, None if nobody can say.
        found: What retrieval returned.
        hits: The hits as they stand, best first.
        groups: The same as groups, if they are grouped.
        reranked: Whether a reranker has had its say.
        passages: The hits with what stands around them, if they were expanded.
        context: The context, once it is made.
        answer: What the language model said, once it was asked.
    """

    request: RagRequest
    final: int
    depth: int
    deadline: Deadline
    variants: tuple[Variant, ...] = ()
    planner_calls: int | None = 0
    found: SearchResult = field(default=SearchResult())
    hits: tuple[Hit, ...] = ()
    groups: tuple[Group, ...] = ()
    reranked: bool = False
    passages: tuple[Passage, ...] = ()
    context: Context | None = None
    answer: str | None = None

    @property
    def shown(self) -> tuple[Hit, ...]:
        """The hits that a context is made of: those of all groups, if there are groups."""
        return tuple(hit for group in self.groups for hit in group.hits) or self.hits


@dataclass(frozen=True, slots=True)
class Done:
    """What a stage leaves.

    Attributes:
        state: The state behind it.
        notes: What a reader of the result should know.
        status: ``ok``; ``degraded``, it failed and the request goes on without it; ``skipped``.
    """

    state: State
    notes: tuple[str, ...] = ()
    status: StageStatus = "ok"


class Stage(Protocol):
    """One step of a request. One that waits for something returns the steps to what it leaves."""

    @property
    def name(self) -> str:
        """What traces and spans call it."""
        ...

    def __call__(self, state: State) -> Done | Steps[Done]:
        """What it makes of a state."""
        ...
