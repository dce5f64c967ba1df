"""Context: the text for a language model, its citations, and what did not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plait.context.citation import Citation
from plait.types import Hit

__all__ = ["Context"]


@dataclass(frozen=True, slots=True)
class Context:
    """The text for a language model, its citations, and what did not fit; see ``ContextBuilder``.

    Attributes:
        text: The whole text.
        citations: What is in it, by number.
        tokens: Tokens of the whole text by the counter in use; never more than the budget.
        budget: Most tokens that it could have, None without limit.
        counter: Name of the counter.
        estimated: True if no tokenizer was at hand and the tokens are an estimate.
        skipped: Hits that did not fit, best first.
        cut: The hit whose text was cut to fit, None if none was.
        omitted: How many neighbors that an expansion had added did not fit.
        notes: What a reader should know.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    tokens: int = 0
    budget: int | None = None
    counter: str = ""
    estimated: bool = False
    skipped: tuple[Hit, ...] = ()
    cut: Hit | None = None
    omitted: int = 0
    notes: tuple[str, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits that are in it, in the order of the citations."""
        return tuple(hit for citation in self.citations for hit in citation.hits)

    def to_dict(self) -> Mapping[str, Any]:
        """The context as JSON values."""
        return {
            "text": self.text,
            "citations": [citation.to_dict() for citation in self.citations],
            "tokens": self.tokens,
            "budget": self.budget,
            "counter": self.counter,
            "estimated": self.estimated,
            "skipped": [hit.id for hit in self.skipped],
            "cut": None if self.cut is None else self.cut.id,
            "omitted": self.omitted,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return self.text
