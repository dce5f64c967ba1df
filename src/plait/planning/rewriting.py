"""Planners that put the question once more: Rewrite and StepBack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plait.errors import ConfigurationError
from plait.planning.model_planner import ModelPlanner
from plait.planning.prompts import REWRITE, STEP_BACK
from plait.types import Variant

__all__ = ["Rewrite", "StepBack"]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Rewrite(ModelPlanner):
    """The question rewritten so that it can be understood without the conversation before it.

    Args:
        model: See ``ModelPlanner``, as for the other parameters.
        replace: Search the rewritten question instead of the original, not beside it. Whatever
            fails, the original is searched.

    Example:
        >>> planner = Rewrite(lambda prompt: "how do I cancel the pro plan")
        >>> planned = planner.plan("and the pro one?", [("user", "how do I cancel basic?")])
        >>> [variant.query.text for variant in planned.variants]
        ['and the pro one?', 'how do I cancel the pro plan']
    """

    name: ClassVar[str] = "rewrite"
    default_prompt = REWRITE

    weight: float = 1.0
    replace: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.replace, bool):
            raise ConfigurationError(f"replace of rewrite is {self.replace!r}, expected a bool")

    def _beside(self, original: Variant, others: tuple[Variant, ...]) -> tuple[Variant, ...]:
        return others if self.replace else (original, *others)


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class StepBack(ModelPlanner):
    """A more general question beside the original, for the background of its answer.

    Zheng et al., "Take a Step Back: Evoking Reasoning via Abstraction in Large Language Models",
    2023. For the parameters see ``ModelPlanner``.

    Example:
        >>> planner = StepBack(lambda prompt: "how does billing work")
        >>> [(each.name, each.weight) for each in planner.plan("why was I charged twice").variants]
        [('original', 1.0), ('step_back', 0.5)]
    """

    name: ClassVar[str] = "step_back"
    default_prompt = STEP_BACK
