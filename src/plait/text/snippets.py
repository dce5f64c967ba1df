"""Snippets: the part of a text that answers a query best, with the matched terms marked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plait.errors import ConfigurationError
from plait.text.analyzer import Analyzer, Span

__all__ = ["Snippet", "find_snippet", "snippet"]

_SPACE = re.compile(r"\s+")
_LAST_SPACE = re.compile(r"\s+(?=\S*$)")
_LONG_WORD = 40  # how far a cut moves in search of a space


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a text and what in it matched.

    Attributes:
        content: The whole text.
        start: Where the part begins in it.
        end: Where it ends.
        spans: The (start, end) of what matched inside the part, in ``content``, ascending, apart
            from one another.
    """

    content: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...] = ()

    def marked(self, before: str = "«", after: str = "»", ellipsis: str = "…") -> str:
        """The part with marks around what matched, and an ellipsis where text was cut off.

        Example:
            >>> Snippet("Error E1042: socket closed", 0, 19, ((6, 11),)).marked("[", "]")
            'Error [E1042]: socket…'
        """
        pieces = [ellipsis] if self.content[: self.start].strip() else []
        done = self.start
        for start, end in self.spans:
            pieces += [self.content[done:start], before, self.content[start:end], after]
            done = end
        pieces.append(self.content[done : self.end])
        if self.content[self.end :].strip():
            pieces.append(ellipsis)
        return "".join(pieces)


def snippet(
    content: str,
    query: str | Sequence[str],
    analyzer: Analyzer,
    *,
    width: int = 240,
    marks: tuple[str, str] = ("«", "»"),
    weights: Mapping[str, float] | None = None,
) -> str:
    """``find_snippet`` as text, with marks around what matched.

    Example:
        >>> snippet("申请退款流程如下", "退款", Analyzer())
        '申请«退款»流程如下'
        >>> snippet("The user's IDs are kept.", "user id", Analyzer(), marks=("<b>", "</b>"))
        "The <b>user's</b> <b>IDs</b> are kept."
    """
    return find_snippet(content, query, analyzer, width=width, weights=weights).marked(*marks)


def find_snippet(
    content: str,
    query: str | Sequence[str],
    analyzer: Analyzer,
    *,
    width: int = 240,
    weights: Mapping[str, float] | None = None,
) -> Snippet:
    """The part of a text with most of the query's terms.

    Parts are compared by the sum of the weights of the different terms in them; of equal ones the
    first is taken. It is cut between words where there are spaces, never between a letter and its
    marks. Words are marked whole, also where only a part or the stem matched; in text without
    spaces the characters that matched are.

    Args:
        content: The text, as it is shown.
        query: The query's text, or the terms that ``analyzer.query_terms`` makes of it, which saves
            making them again for every text.
        analyzer: What the index was made with.
        width: Characters of the part at most, >= 1; a longer word that matched is cut.
        weights: Of each term of the query, such as its idf; None counts them all alike.

    Returns:
        The part; the beginning of the text, without marks, if nothing matched.

    Raises:
        ConfigurationError: A bad width.
    """
    if type(width) is not int or width < 1:
        raise ConfigurationError(f"width is {width!r}, expected an int >= 1")
    terms = analyzer.query_terms(query) if isinstance(query, str) else query
    wanted = dict.fromkeys(terms, 1.0)
    if weights is not None:
        wanted = {term: weights.get(term, 0.0) for term in wanted}
    matches = [
        Span(start, min(end, start + width), found)
        for start, end, here in analyzer.spans(content, wanted.keys())
        if start < end and (found := tuple(term for term in here if term in wanted))
    ]
    first, last = _densest(matches, wanted, width)
    start, end = _around(content, first, last, width)
    spans: list[tuple[int, int]] = []
    for match in matches:
        if start <= match.start and match.end <= end:
            if spans and match.start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], max(spans[-1][1], match.end))
            else:
                spans.append((match.start, match.end))
    return Snippet(content, start, end, tuple(spans))


def _densest(matches: list[Span], weights: Mapping[str, float], width: int) -> tuple[int, int]:
    """From the first to the last match of the best window; (0, 0) without matches."""
    best, place = -1.0, (0, 0)
    inside: Counter[str] = Counter()
    low = 0
    for match in matches:
        inside.update(match.terms)
        while match.end - matches[low].start > width and matches[low] is not match:
            inside.subtract(matches[low].terms)
            low += 1
        value = sum(weights[term] for term, count in inside.items() if count > 0)
        if value > best:
            best, place = value, (matches[low].start, match.end)
    return place


def _around(content: str, first: int, last: int, width: int) -> tuple[int, int]:
    """A window of this width around content[first:last], cut between words where it can be."""
    start = max(0, min(first - (width - (last - first)) // 2, len(content) - width))
    end = min(len(content), start + width)
    if 0 < start < first and not content[start - 1].isspace():
        space = _SPACE.search(content, start, min(first, start + _LONG_WORD))
        start = space.end() if space else _past_marks(content, start, 1)
    if last < end < len(content) and not content[end].isspace():
        begin = max(last, end - _LONG_WORD)
        space = _LAST_SPACE.search(content[begin:end])
        end = begin + space.start() if space else _past_marks(content, end, -1)
    while start < first and content[start].isspace():
        start += 1
    while end > last and content[end - 1].isspace():
        end -= 1
    return start, end


def _past_marks(content: str, place: int, step: int) -> int:
    """The nearest place in one direction that does not part a letter from its marks."""
    while 0 < place < len(content) and unicodedata.category(content[place])[0] == "M":
        place += step
    return place
