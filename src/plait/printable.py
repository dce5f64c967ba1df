"""Text of unknown origin made fit for a line of output."""

from __future__ import annotations

import unicodedata

__all__ = ["printable"]

# They shape letters and emoji; every other invisible character could reorder or hide a line.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    r"""The text in one line, without what a terminal would obey or hide.

    Runs of white space and control characters become one blank; characters that are invisible or
    change the direction of writing are left out.

    Example:
        >>> printable("two\nlines, \x1b[31mred\x1b[0m")
        'two lines, [31mred [0m'
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kept = (
        character
        if character.isprintable() or character in _JOINERS
        else ("" if unicodedata.category(character) == "Cf" else " ")
        for character in text
    )
    return " ".join("".join(kept).split())
