"""Joining: consecutive pieces of one text put together, what they share written once."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["join_texts", "shared"]

# From here on, text that ends one piece and begins the next is no accident.
_LONG = 8
_TWO_WORDS = re.compile(r"\W*\w+\W+\w+")


def shared(before: str, after: str) -> int:
    """How many characters at the end of one piece are repeated at the beginning of the next.

    The longest such stretch. One of less than two words is taken for an accident unless it has 8
    characters, and so is one of less than 8 that begins or ends inside a word: a word said twice
    does no harm, one that is lost does.

    Returns:
        The length; 0 if nothing is repeated.

    Example:
        >>> shared("Cats sleep. Dogs bark.", "Dogs bark. Birds sing.")
        10
        >>> shared("to the bank", "bank holidays")
        0
    """
    seed = _shortest(after)
    place = before.find(seed) if seed else -1
    while place >= 0:
        length = len(before) - place
        if after.startswith(before[place:]) and _is_meant(before, after, length):
            return length
        place = before.find(seed, place + 1)
    return 0


def join_texts(texts: Iterable[str], separator: str = "\n") -> str:
    r"""Consecutive pieces of one text as one, what they share written once.

    Args:
        texts: The pieces in reading order.
        separator: What stands between pieces that share nothing; white space that is there already
            counts as it.

    Example:
        >>> join_texts(["Cats sleep. Dogs bark.", "Dogs bark. Birds sing.", "The end."])
        'Cats sleep. Dogs bark. Birds sing.\nThe end.'
    """
    joined = ""
    last = ""
    for text in texts:
        repeated = shared(last, text)
        if joined and text and not repeated and not (joined[-1].isspace() or text[0].isspace()):
            joined += separator
        joined += text[repeated:]
        last = text or last
    return joined


def _shortest(text: str) -> str:
    """The shortest beginning of a text that can be a repetition; empty if none can."""
    words = _TWO_WORDS.match(text)
    length = min(words.end() if words else len(text), _LONG)
    return text[:length] if length == _LONG or words else ""


def _is_meant(before: str, after: str, length: int) -> bool:
    if length >= _LONG:
        return True
    start = len(before) - length
    return not (_inside_word(before, start) or _inside_word(after, length))


def _inside_word(text: str, place: int) -> bool:
    return 0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum()
