"""Cite: from the numbers in a model's answer back to what they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plait.context.citation import Citation
from plait.context.context import Context
from plait.errors import ConfigurationError

__all__ = ["Cited", "Mention", "cite"]

_LONGEST = 300  # characters inside brackets; without a limit, unclosed ones take the square of them
# Where brackets mean something else: code, images, definitions of links.
_NO_TEXT = re.compile(
    r"(?P<fence>^[ \t]*(?P<marks>`{3,}|~{3,})).*?(?:^[ \t]*(?P=marks)|\Z)"
    r"|(?<!`)(?P<ticks>`++)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)"
    rf"|!\[[^\]\n]{{0,{_LONGEST}}}\](?:\([^)\n]{{0,{_LONGEST}}}\))?"
    r"|^[ \t]*\[\^?\d+\^?\]:",
    re.DOTALL | re.MULTILINE,
)
_NUMBERS = r"\d{1,6}(?:\s*[-–—]\s*\d{1,6})?"
_MARK = re.compile(
    rf"(?<!\\)(?:\[\^?(?P<plain>{_NUMBERS}(?:\s*[,;，、]\s*\^?{_NUMBERS})*)\^?\](?P<link>\()?"
    rf"|[【［](?P<wide>{_NUMBERS}(?:\s*[,;，、]\s*{_NUMBERS})*)(?:†[^】］\n]{{0,{_LONGEST}}})?[】］])"
)
_RANGE = re.compile(r"(\d+)(?:\s*[-–—]\s*(\d+))?")
_PLAUSIBLE = 99


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in an answer that cites something.

    Attributes:
        start: Where the brackets begin.
        stop: Where they end.
        numbers: The numbers in them, ranges written out.
    """

    start: int
    stop: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer and what its numbers refer to. Made by ``cite``.

    Attributes:
        answer: The answer as it was given.
        citations: The citations that it uses, in the order of their first use.
        unknown: Numbers that it cites and the context does not have, in the order of first use.
        uncited: Citations of the context that it does not use.
        mentions: Where it cites.
    """

    answer: str
    citations: tuple[Citation, ...]
    unknown: tuple[int, ...]
    uncited: tuple[Citation, ...]
    mentions: tuple[Mention, ...]


def cite(answer: str, context: Context | Sequence[Citation]) -> Cited:
    """What the numbers in a model's answer refer to.

    Read as citations: ``[1]``, ``[1, 2]``, ``[1][3]``, ``[1-3]``, ``[^1]``, the same in ``【】`` or
    full-width brackets, ``【1†source】``, and the text of a link, ``[1](https://...)``, if the
    context has the number. Not read: code, images, definitions of links and footnotes at the
    beginning of a line (``[1]: https://...``), brackets behind a backslash, and brackets with
    anything else inside, such as ``[0.5]`` or ``[see 1]``.

    A number that the context does not have is reported as unknown if it may be meant as one: from 1
    to 99, or to twice the number of citations if that is more. If one of the numbers in a pair of
    brackets cannot be meant so, as in ``[0, 1]`` or ``[2024]``, none of them is read.

    Args:
        answer: What the model wrote.
        context: What it was given.

    Raises:
        ConfigurationError: The answer is not a str.

    Example:
        >>> from plait.types import Chunk, Hit
        >>> hit = Hit(Chunk("Refunds take 14 days.", id="faq"), 2.0, 1)
        >>> citation = Citation(1, hit.chunk.content, (hit,), (hit.chunk,))
        >>> cited = cite("Within 14 days [1], since [2024] also abroad [3].", [citation])
        >>> [citation.hit.id for citation in cited.citations], cited.unknown
        (['faq'], (3,))
    """
    if not isinstance(answer, str):
        raise ConfigurationError(f"the answer is {type(answer).__name__}, expected str")
    given = context.citations if isinstance(context, Context) else context
    known = {citation.number: citation for citation in given}
    mentions = tuple(_mentions(answer, known))
    used = dict.fromkeys(number for mention in mentions for number in mention.numbers)
    return Cited(
        answer=answer,
        citations=tuple(known[number] for number in used if number in known),
        unknown=tuple(number for number in used if number not in known),
        uncited=tuple(citation for number, citation in known.items() if number not in used),
        mentions=mentions,
    )


def _mentions(answer: str, known: dict[int, Citation]) -> Iterator[Mention]:
    # Blanks instead of what is no text, so that places stay.
    text = _NO_TEXT.sub(lambda match: " " * len(match[0]), answer)
    highest = max(_PLAUSIBLE, 2 * len(known))
    for match in _MARK.finditer(text):
        numbers = _numbers(match["plain"] or match["wide"], highest)
        if not all(number in known or 1 <= number <= highest for number in numbers):
            continue
        stop = match.end()
        if match["link"]:
            stop -= 1
            if not all(number in known for number in numbers):
                continue
        if numbers:
            yield Mention(match.start(), stop, numbers)


def _numbers(text: str, highest: int) -> tuple[int, ...]:
    """The numbers between the brackets; none if a range runs backwards or too far."""
    numbers: dict[int, None] = {}
    for match in _RANGE.finditer(text):
        first = int(match[1])
        last = int(match[2] or first)
        if last < first or last - first > highest:
            return ()
        numbers.update(dict.fromkeys(range(first, last + 1)))
    return tuple(numbers)
