"""The seeded corpus that the benchmarks share: words as they occur in language, by Zipf's law."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

WORDS = 60
TERMS = 5
VOCABULARY = 100_000
_BLOCK = 20_000


def zipf_documents(documents: int, seed: int = 7) -> Iterator[list[str]]:
    """Documents of 60 words drawn from a Zipf distribution over 100,000 words.

    A smaller corpus is the beginning of a larger one. They come one by one, since a million of
    them would take gigabytes.
    """
    draw = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, VOCABULARY + 1)
    spelled = [f"w{word}" for word in range(VOCABULARY)]
    for start in range(0, documents, _BLOCK):
        size = (min(_BLOCK, documents - start), WORDS)
        rows = draw.choice(VOCABULARY, size=size, p=weights / weights.sum())
        for row in rows.tolist():
            yield [spelled[word] for word in row]


def zipf_queries(count: int, seed: int = 8) -> list[str]:
    """Queries of five words, none of the 20 most frequent and none that is rare."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(20, 3000, (count, TERMS))
    return [" ".join(f"w{word}" for word in row) for row in rows.tolist()]
