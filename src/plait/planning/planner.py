"""Planner: in which ways a question is put to the retrievers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from plait.errors import ConfigurationError
from plait.execution import run_coroutine, run_in_thread
from plait.planning.history import HistoryLike
from plait.planning.variants import merged
from plait.types import Query, QueryLike, Variant

__all__ = ["NoPlanner", "Planned", "Planner"]


@dataclass(frozen=True, slots=True)
class Planned:
    """What a planner decided.

    Attributes:
        variants: The ways to put the question, at least one, with different names. Those that
            would be searched alike are made one, with their weights added.
        notes: What the reader of a trace should know, in plain words.
        fell_back: Whether planning failed, so that the question is searched as it was asked.
        calls: How many times a language model was asked.

    Raises:
        ConfigurationError: No variants, or two of one name.
    """

    variants: tuple[Variant, ...]
    notes: tuple[str, ...] = ()
    fell_back: bool = False
    calls: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "variants", merged(self.variants))
        object.__setattr__(self, "notes", tuple(self.notes))
        if not self.variants:
            raise ConfigurationError("Planned.variants is empty, expected at least the question")
        names = [variant.name for variant in self.variants]
        if len(set(names)) < len(names):
            raise ConfigurationError(
                f"Planned.variants are named {', '.join(names)}; each needs a name of its own"
            )


class Planner:
    """Base of planners. Subclass it and write ``plan`` or ``aplan``.

    Both take ``(query, history, *, timeout)``. A planner that fails returns the question alone,
    ``fell_back``, with a note that says why; it raises for mistakes of the caller only.

    Attributes:
        name: What it is called in traces and messages.

    Example:
        >>> class WithoutPunctuation(Planner):
        ...     name = "bare"
        ...     def plan(self, query, history=(), *, timeout=None):
        ...         asked = Query.of(query)
        ...         bare = Variant(asked.text.strip("?!. "), weight=0.5, name="bare")
        ...         return Planned((Variant(asked), bare))
        >>> [variant.query.text for variant in WithoutPunctuation().plan("is it down?").variants]
        ['is it down?', 'is it down']
    """

    name: ClassVar[str] = "planner"

    def plan(
        self, query: QueryLike, history: HistoryLike = (), *, timeout: float | None = None
    ) -> Planned:
        """The variants of a question; works inside a running event loop too.

        Args:
            query: The question.
            history: The conversation before it, oldest turn first: ``(role, text)`` pairs,
                ``{"role": ..., "content": ...}`` or ``Message`` values.
            timeout: Seconds that are left for planning, if they are fewer than the planner's own;
                with none left the question is searched as it is.

        Raises:
            QueryError: A blank query, or a history that is not turns.
        """
        self._check_written()
        return run_coroutine(self.aplan(query, history, timeout=timeout))

    async def aplan(
        self, query: QueryLike, history: HistoryLike = (), *, timeout: float | None = None
    ) -> Planned:
        """The same without blocking the event loop."""
        self._check_written()
        return await run_in_thread(self.plan, query, history, timeout=timeout)

    def describe(self) -> Mapping[str, Any]:
        """Every parameter that decides the plan, as JSON values."""
        return {"type": type(self).__name__, "name": self.name}

    @property
    def shares(self) -> tuple[float, ...] | None:
        """Weights of the variants of the largest plan, the original first; None: nobody knows.

        With them a threshold on the fused score that can never pass is refused beforehand.
        """
        return None

    @property
    def only_async(self) -> bool:
        """Whether it writes ``aplan`` alone, so that a call which is late can be cancelled."""
        return type(self).plan is Planner.plan

    def _check_written(self) -> None:
        cls = type(self)
        if cls.plan is Planner.plan and cls.aplan is Planner.aplan:
            raise ConfigurationError(
                f"{cls.__name__} has neither plan nor aplan; a planner writes one of them"
            )


class NoPlanner(Planner):
    """The question as it is asked.

    Example:
        >>> [variant.name for variant in NoPlanner().plan("is it down?").variants]
        ['original']
    """

    name = "none"

    def plan(
        self,
        query: QueryLike,
        history: HistoryLike = (),  # noqa: ARG002 (the planners' signature)
        *,
        timeout: float | None = None,  # noqa: ARG002
    ) -> Planned:
        """The question alone."""
        return Planned((Variant(Query.of(query)),))

    async def aplan(
        self, query: QueryLike, history: HistoryLike = (), *, timeout: float | None = None
    ) -> Planned:
        """The question alone, without a thread."""
        return self.plan(query, history, timeout=timeout)

    def describe(self) -> Mapping[str, Any]:
        """Its name."""
        return {"type": self.name}

    @property
    def spec(self) -> str:
        """The text form."""
        return self.name

    def __repr__(self) -> str:
        return "NoPlanner()"
