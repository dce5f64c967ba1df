"""Planners that ask several questions: MultiQuery and Decompose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from plait.errors import ConfigurationError
from plait.planning.model_planner import ModelPlanner
from plait.planning.prompts import DECOMPOSE, MULTI_QUERY
from plait.planning.reading import read_texts
from plait.types import Query, Variant

__all__ = ["Decompose", "ExpandingPlanner", "MultiQuery"]


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ExpandingPlanner(ModelPlanner):
    """Base of planners that ask for ``n`` texts, 1 to 20, and use no more."""

    prefix: ClassVar[str]

    n: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.n) is not int or not 1 <= self.n <= 20:
            raise ConfigurationError(
                f"n of {self.name} is {self.n!r}, expected an int from 1 to 20"
            )

    @property
    def most(self) -> int:
        """How many texts are asked for."""
        return self.n

    def _read(self, answer: str) -> Iterable[str]:
        return read_texts(answer)

    def _variants(self, texts: tuple[str, ...]) -> Iterable[Variant]:
        return (
            Variant(Query(text), self.weight, f"{self.prefix}_{number}")
            for number, text in enumerate(texts, start=1)
        )


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class MultiQuery(ExpandingPlanner):
    r"""The question in other words, several times: ``query_1``, ``query_2``, and so on.

    Args:
        model: See ``ModelPlanner``, as for the other parameters.
        n: How many queries to ask for, 1 to 20; no more are used.

    Example:
        >>> planner = MultiQuery(lambda prompt: "1. end my plan\n2. stop paying", n=2)
        >>> [variant.query.text for variant in planner.plan("cancel").variants]
        ['cancel', 'end my plan', 'stop paying']
    """

    name: ClassVar[str] = "multi_query"
    default_prompt = MULTI_QUERY
    prefix: ClassVar[str] = "query"


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Decompose(ExpandingPlanner):
    r"""The simpler questions that a question is made of: ``sub_1``, ``sub_2``, and so on.

    Args:
        model: See ``ModelPlanner``, as for the other parameters.
        n: How many questions at most, 1 to 20.

    Example:
        >>> planner = Decompose(lambda prompt: "- price of basic\n- price of pro")
        >>> [each.name for each in planner.plan("is pro dearer than basic?").variants]
        ['original', 'sub_1', 'sub_2']
    """

    name: ClassVar[str] = "decompose"
    default_prompt = DECOMPOSE
    prefix: ClassVar[str] = "sub"

    n: int = 4
