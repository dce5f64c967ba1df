"""Planners by their text form: ``"multi_query(n=3)"``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from plait.errors import ConfigurationError
from plait.planning.expanding import Decompose, MultiQuery
from plait.planning.hyde import Hyde
from plait.planning.model_planner import ModelPlanner
from plait.planning.planner import NoPlanner, Planner
from plait.planning.rewriting import Rewrite, StepBack
from plait.spec import parse_spec

__all__ = ["as_planner", "parse_planner", "planner_names"]

_PLANNERS: Mapping[str, type[ModelPlanner]] = {
    cls.name: cls for cls in (Rewrite, MultiQuery, Hyde, Decompose, StepBack)
}


def planner_names() -> tuple[str, ...]:
    """Names of all planners."""
    return (NoPlanner.name, *_PLANNERS)


def parse_planner(text: str, *, model: Any = None) -> Planner:
    """The planner that a text form names; ``planner.spec`` gives it back.

    Args:
        text: ``none``, ``rewrite``, ``multi_query``, ``hyde``, ``decompose`` or ``step_back``, with
            parameters as the classes take them: ``rewrite(replace=True)``, ``multi_query(n=5)``.
        model: The language model that it asks, or what ``plait.models.as_model`` makes one of.

    Raises:
        ConfigurationError: Another form, an unknown name, a parameter it does not take, or no
            model for a planner that needs one.

    Example:
        >>> parse_planner("multi_query(n=5)", model=lambda prompt: "...").spec
        'multi_query(n=5)'
    """
    if not isinstance(text, str):
        raise ConfigurationError(
            f"a planner's text form is {type(text).__name__}, expected one of "
            f"{', '.join(planner_names())}"
        )
    name, parameters = parse_spec(text, "planner")
    cls = _PLANNERS.get(name)
    accepted = [each.name for each in fields(cls) if each.name != "model"] if cls else []
    if cls is None and name != NoPlanner.name:
        raise ConfigurationError(
            f"unknown planner {name!r}; there are: {', '.join(planner_names())}"
        )
    unknown = [parameter for parameter in parameters if parameter not in accepted]
    if unknown:
        raise ConfigurationError(
            f"planner {name} has no parameter {', '.join(unknown)}; "
            f"it has {', '.join(accepted) or 'none'}"
        )
    return NoPlanner() if cls is None else cls(model, **parameters)


def as_planner(source: Any, *, model: Any = None) -> Planner:
    """A planner from a ``Planner``, its text form, or None for the question as it is asked.

    Args:
        source: What may stand for a planner.
        model: The language model for a text form.

    Raises:
        ConfigurationError: None of these.

    Example:
        >>> as_planner(None)
        NoPlanner()
    """
    if source is None:
        return NoPlanner()
    if isinstance(source, Planner):
        return source
    if isinstance(source, str):
        return parse_planner(source, model=model)
    raise ConfigurationError(
        f"the planner is {source!r:.80}, expected a Planner, "
        f"one of {', '.join(planner_names())}, or None"
    )
