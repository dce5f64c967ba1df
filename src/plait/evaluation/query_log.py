"""Queries as users asked them: a text file with one in each line."""

from __future__ import annotations

import random
from os import PathLike

from plait.evaluation.lines import numbered_lines
from plait.evaluation.topics import Topics

__all__ = ["read_queries"]


def read_queries(path: str | PathLike[str], *, limit: int | None = None, seed: int = 0) -> Topics:
    """Read queries, one per line; blank lines and repeats are left out.

    Args:
        path: The file, UTF-8, or UTF-16 with a byte order mark; also compressed by gzip.
        limit: At most so many, >= 1, chosen at random; None for all.
        seed: Of the choice.

    Returns:
        Topics in the order of the file, whose ids are the numbers of their lines.

    Raises:
        FormatError: Not text, or no query at all; names path and line.
        OSError: The file cannot be read.
    """
    numbers: dict[str, int] = {}
    for number, line in numbered_lines(path, "a query in each line"):
        numbers.setdefault(line.strip(), number)
    chosen = list(numbers)
    if limit is not None and limit < len(chosen):
        places = sorted(random.Random(seed).sample(range(len(chosen)), limit))
        chosen = [chosen[place] for place in places]
    return Topics({str(numbers[text]): text for text in chosen})
