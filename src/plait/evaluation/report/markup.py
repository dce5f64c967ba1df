"""Text and small elements of a page, escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Literal, TypeAlias

from plait.evaluation.difference import Difference
from plait.printable import printable

__all__ = ["Kind", "kind_of", "sign_of", "table", "text"]

Kind: TypeAlias = Literal["win", "loss", "unsure"]


def text(value: str) -> str:
    """A text of unknown origin, in one line, as characters of an element or an attribute.

    Example:
        >>> text("<script> & 'more'")
        '&lt;script&gt; &amp; &#x27;more&#x27;'
    """
    return escape(printable(value))


def kind_of(difference: Difference) -> Kind:
    """How a difference is colored: unsure unless it is real."""
    return sign_of(difference.estimate.mean) if difference.is_real else "unsure"


def sign_of(value: float) -> Kind:
    """How a value above or below 0 is colored."""
    return "win" if value > 0 else "loss" if value < 0 else "unsure"


def table(caption: str, header: Iterable[str], rows: Iterable[str], kind: str) -> str:
    """A table of escaped cells.

    Args:
        caption: What it holds.
        header: Names of the columns.
        rows: Whole ``tr`` elements.
        kind: Its class.
    """
    names = "".join(f'<th scope="col">{name}</th>' for name in header)
    body = "\n".join(rows)
    return (
        f'<table class="{kind}">\n<caption>{caption}</caption>\n'
        f"<thead><tr>{names}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )
