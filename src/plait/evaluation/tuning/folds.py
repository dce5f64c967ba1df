"""Folds: topics parted so that what is chosen on some is measured on others."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from plait.errors import ConfigurationError

__all__ = ["part"]

Numbers: TypeAlias = NDArray[np.int64]


def part(texts: Sequence[str], folds: int, seed: int = 0) -> Numbers:
    """A fold number for every topic.

    Topics with the same text (but for case and white space) go into one fold: a query that is
    both trained and measured on would measure nothing. Sizes differ by no more than the largest
    group of such topics.

    Args:
        texts: The topics' texts.
        folds: How many folds, >= 2.
        seed: Of the shuffle.

    Returns:
        Shape (topics,), numbers from 0 to ``folds`` − 1, each present.

    Raises:
        ConfigurationError: ``folds`` is not an int >= 2, or there are fewer different texts.

    Example:
        >>> fold = part(["a", "b", "A ", "c"], folds=2)
        >>> bool(fold[0] == fold[2])
        True
    """
    if type(folds) is not int or folds < 2:
        raise ConfigurationError(f"folds is {folds!r}, expected an int >= 2")
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(" ".join(text.casefold().split()), []).append(place)
    if len(groups) < folds:
        raise ConfigurationError(
            f"{folds} folds for {len(groups)} different queries: each fold needs one; label more, "
            "30 at the least for a choice, or take fewer folds"
        )
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)
    shuffled.sort(key=len, reverse=True)  # stable: large groups first, so that sizes even out
    numbers = np.zeros(len(texts), dtype=np.int64)
    sizes = [0] * folds
    for group in shuffled:
        smallest = sizes.index(min(sizes))
        numbers[group] = smallest
        sizes[smallest] += len(group)
    return numbers
