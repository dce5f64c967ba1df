"""Hyde: search with a passage that might answer the question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from plait.planning.expanding import ExpandingPlanner
from plait.planning.prompts import HYDE
from plait.planning.reading import read_passages
from plait.types import Query, Variant

__all__ = ["Hyde"]

_LONGEST_PASSAGE = 4_000  # characters; embedders read less


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Hyde(ExpandingPlanner):
    """A passage that the model invents as an answer, searched by dense legs beside the question.

    A passage lies closer to the passages that answer the question than the question does; its
    invented words would mislead a lexical leg. Gao et al., "Precise Zero-Shot Dense Retrieval
    without Relevance Labels", 2022, who average the vectors of several passages; here each is
    searched and their rankings are fused, sharing ``weight`` among them.

    Args:
        model: See ``ModelPlanner``, as for the other parameters.
        n: How many passages to ask for, 1 to 20, in one call.

    Example:
        >>> planner = Hyde(lambda prompt: "To cancel, open Billing and choose Cancel.")
        >>> [(each.name, each.legs) for each in planner.plan("how to cancel").variants]
        [('original', 'all'), ('hyde', 'dense')]
    """

    name: ClassVar[str] = "hyde"
    default_prompt = HYDE
    longest: ClassVar[int] = _LONGEST_PASSAGE

    n: int = 1

    def _read(self, answer: str) -> Iterable[str]:
        return read_passages(answer)

    def _variants(self, texts: tuple[str, ...]) -> Iterable[Variant]:
        share = self.weight / len(texts)
        for number, text in enumerate(texts, start=1):
            name = self.name if len(texts) == 1 else f"{self.name}_{number}"
            yield Variant(Query(text), share, name, legs="dense")
