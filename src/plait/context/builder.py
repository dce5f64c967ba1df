"""ContextBuilder: from hits or passages to a context inside a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plait.context.arrangement import Arrangement
from plait.context.context import Context
from plait.context.packing import Packing, pack
from plait.context.template import Assembler, Template, as_assembler
from plait.context.tokens import TokenCounter, as_counter
from plait.errors import ConfigurationError
from plait.types import Hit, Passage, Query, QueryLike

__all__ = ["ContextBuilder"]


@dataclass(frozen=True, slots=True)
class ContextBuilder:
    """Makes a context with numbered citations that never exceeds a token budget.

    Whole chunks go in, best first. One that does not fit is skipped and listed, and a later one
    that fits still goes in. Only the first is cut if it is too long, where a sentence ends, since
    that is better than nothing. What an expansion added goes in behind everything that was
    found, the nearest first, as far as there is room. Chunks that follow one another in their
    document become one block in reading order, text that they share written once.

    Args:
        budget: Most tokens of the whole text, an int >= 1, the template's own text included. None
            for no limit.
        tokens: What counts them; see ``as_counter``. By default an estimate.
        template: A ``Template``, the text of its block, or any function from (query's text,
            citations) to the text.

    Attributes:
        counter: What counts tokens.
        assemble: What makes the text.

    Raises:
        ConfigurationError: A bad budget, counter or template.
        MissingDependencyError: The tokenizer's package is not installed.

    Example:
        >>> from plait.types import Chunk
        >>> chunks = [Chunk("Refunds take 14 days.", id="faq"), Chunk("Cats purr.", id="cats")]
        >>> hits = [Hit(chunk, 1 / rank, rank) for rank, chunk in enumerate(chunks, start=1)]
        >>> context = ContextBuilder(budget=12).build("refunds", hits)
        >>> print(context)
        [1] faq
        Refunds take 14 days.
        >>> context.tokens, [hit.id for hit in context.skipped]
        (11, ['cats'])
    """

    budget: int | None = 4000
    tokens: Any = None
    template: Assembler | str | None = None
    counter: TokenCounter = field(init=False, repr=False, compare=False)
    assemble: Assembler = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.budget is not None and (type(self.budget) is not int or self.budget < 1):
            raise ConfigurationError(
                f"the budget of a context is {self.budget!r}, expected an int >= 1, or None for no "
                "limit"
            )
        object.__setattr__(self, "counter", as_counter(self.tokens))
        object.__setattr__(self, "assemble", as_assembler(self.template))

    def build(self, query: QueryLike | None, found: Iterable[Hit | Passage]) -> Context:
        """The context of hits, or of passages that ``plait.refining.expand`` made of them.

        Args:
            query: What was asked, for templates that show it.
            found: Best first. None of them gives a context that says that nothing was found.

        Returns:
            The context; ``skipped`` holds the hits that did not fit.

        Raises:
            ConfigurationError: The counter or the template's function returned something that is
                not a count or a text.
        """
        asked = None if query is None else Query.of(query).text
        arrangement = Arrangement.of(found)
        packing = pack(Packing(arrangement, self.assemble, asked or "", self.budget, self.counter))
        notes = packing.notes
        if not arrangement.hits:
            notes = ("nothing was found",)
        # Even the text that says that nothing was found may be too long.
        text, tokens = (packing.text, packing.tokens) if packing.fits else ("", 0)
        placed = set(packing.placed)
        around = arrangement.around(arrangement.hits)
        return Context(
            text=text,
            citations=packing.citations,
            tokens=tokens,
            budget=self.budget,
            counter=str(self.counter),
            estimated=self.counter.estimated,
            skipped=tuple(
                piece.hit for piece in arrangement.hits if piece.hit and piece not in placed
            ),
            cut=next((piece.hit for piece in packing.cut), None),
            omitted=sum(piece not in placed for piece in around),
            notes=notes,
        )

    def describe(self) -> Mapping[str, Any]:
        """What decides the text, as JSON values."""
        template = self.assemble
        return {
            "budget": self.budget,
            "tokens": str(self.counter),
            "estimated": self.counter.estimated,
            "template": template.describe()
            if isinstance(template, Template)
            else str(getattr(template, "__name__", type(template).__name__)),
        }
