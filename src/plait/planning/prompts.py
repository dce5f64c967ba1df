"""What the planners ask a language model. Every prompt can be replaced by one's own.

::

    MultiQuery(model, prompt=Prompt("Drei Suchanfragen, eine je Zeile, zu: {query}"))
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

from plait.errors import ConfigurationError
from plait.planning.history import Message
from plait.printable import printable

__all__ = ["DECOMPOSE", "HYDE", "MULTI_QUERY", "REWRITE", "STEP_BACK", "Prompt"]

_FIELDS = ("query", "history", "n")
_LAST_TURNS = 10  # what a question refers to was said not long before
_LONGEST_TURN = 1_000  # characters of a turn


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template for what a planner asks.

    Args:
        text: The prompt. ``{query}`` stands for the question and must be there; ``{history}`` for
            the conversation before it (the last ten turns, each cut at 1,000 characters; nothing
            if there is none), ``{n}`` for how many texts are wanted. A brace itself is ``{{``.
        system: What the model is told about its task beforehand; no fields.

    Raises:
        ConfigurationError: No ``{query}``, another field, or a lone brace.

    Example:
        >>> Prompt("Rephrase: {query}").filled("why?", (), 1)
        'Rephrase: why?'
    """

    text: str
    system: str = ""

    def __post_init__(self) -> None:
        for what, value in (("text", self.text), ("system", self.system)):
            if not isinstance(value, str):
                raise ConfigurationError(f"Prompt.{what} is {type(value).__name__}, expected str")
        expected = f"expected {{query}}, and perhaps {{{_FIELDS[1]}}} and {{{_FIELDS[2]}}}"
        try:
            parsed = list(string.Formatter().parse(self.text))
        except ValueError as error:
            raise ConfigurationError(
                f"Prompt.text is not a template: {error}; write {{{{ for a brace itself"
            ) from error
        found = [name for _, name, _, _ in parsed if name is not None]
        decorated = any(spec or conversion for _, _, spec, conversion in parsed)
        unknown = [name for name in found if name not in _FIELDS]
        if unknown or decorated or "query" not in found:
            raise ConfigurationError(
                f"Prompt.text has the fields {', '.join(map(repr, found)) or 'none'}; {expected}"
            )

    def filled(self, query: str, history: Sequence[Message], n: int) -> str:
        """The prompt for a question."""
        return self.text.format(query=query, history=_conversation(history), n=n)


def _conversation(history: Sequence[Message]) -> str:
    if not history:
        return ""
    turns = (
        f"{printable(turn.role)}: {printable(turn.text)[:_LONGEST_TURN]}\n"
        for turn in history[-_LAST_TURNS:]
    )
    return f"The conversation so far:\n{''.join(turns)}\n"


_FORM = "Write in the language of the question. Do not answer it and do not explain what you do."
_LINES = "Write each on a line of its own, without numbers."

REWRITE = Prompt(
    "{history}The question: {query}\n\n"
    "Rewrite the question as one search query that can be understood without the conversation. "
    "Put names in place of words such as 'it' or 'that one', spell out what is only hinted at, "
    "keep every name, number and code as it is, and add nothing that was not said. "
    "If it is clear already, repeat it. Write the query only.",
    system=f"You prepare questions for a search engine. {_FORM}",
)

MULTI_QUERY = Prompt(
    "{history}The question: {query}\n\n"
    "Write {n} search queries that look for the answer in different words: other terms for the "
    f"same thing, another point of view, more or less formal. {_LINES}",
    system=f"You prepare questions for a search engine. {_FORM}",
)

DECOMPOSE = Prompt(
    "{history}The question: {query}\n\n"
    "Which simpler questions have to be looked up, each for itself, to answer it? Write at most "
    "{n}, each understandable without the others. If it is one simple question already, repeat "
    f"it. {_LINES}",
    system=f"You prepare questions for a search engine. {_FORM}",
)

STEP_BACK = Prompt(
    "{history}The question: {query}\n\n"
    "Write one more general question about the principle, the concept or the background behind "
    "it, whose answer would help to answer this one. Write the question only.",
    system=f"You prepare questions for a search engine. {_FORM}",
)

HYDE = Prompt(
    "{history}The question: {query}\n\n"
    "Write {n} short passage(s), of three to five sentences each, as they could stand in a "
    "document that answers the question. Details may be invented: the passage is used to find "
    "documents like it and is shown to nobody. Put a line of --- between passages, and write the "
    "passages only, in the language of the question.",
    system="You write passages in the style of the documents of a knowledge base.",
)
