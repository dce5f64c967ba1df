"""BM25 against bm25s, and against the formulas of rank_bm25 written out in plain Python.

bm25s keeps its scores as float32 and sets negative idf to 0, so terms of its comparison are in
fewer than half of the texts and scores agree to float32. For BM25L and BM25+ it adds a constant
for query terms that a text does not have; the papers, and plait, add nothing. So these two are
compared term by term, on the texts that have the term.
"""

import math
import random

import bm25s
import numpy as np
import pytest

from plait.lexical import BM25Retriever
from plait.lexical.bm25 import VARIANTS
from plait.types import Chunk

rng = random.Random(7)
WORDS = [f"w{number}" for number in range(60)]
WEIGHTS = [1 / (number + 3) for number in range(60)]
TEXTS = [rng.choices(WORDS, WEIGHTS, k=rng.randint(1, 30)) for _ in range(80)]
QUERIES = [rng.choices(WORDS, k=rng.randint(1, 6)) for _ in range(25)]
PARAMETERS = [(1.5, 0.75), (1.2, 0.4), (0.5, 1.0), (2.0, 0.0)]
FREQUENCY = {word: sum(word in text for text in TEXTS) for word in WORDS}


def scores(query, **parameters):
    """plait's scores by text, None for texts that are no hits."""
    chunks = [Chunk(" ".join(text), id=f"{place}") for place, text in enumerate(TEXTS)]
    retriever = BM25Retriever(chunks, tokenizer="whitespace", **parameters)
    found = [None] * len(TEXTS)
    for hit in retriever.retrieve(" ".join(query), top_k=len(TEXTS)):
        found[int(hit.id)] = hit.score
    return found


def peer(query, method, k1, b, delta):
    index = bm25s.BM25(method=method, k1=k1, b=b, delta=delta)
    index.index(TEXTS, show_progress=False)
    return [float(score) for score in index.get_scores(query)]


def rare(query):
    return [word for word in dict.fromkeys(query) if 0 < FREQUENCY[word] < len(TEXTS) / 2]


@pytest.mark.parametrize(("k1", "b"), PARAMETERS)
@pytest.mark.parametrize("variant", ["lucene", "robertson", "atire"])
def test_against_bm25s(variant, k1, b):
    for query in QUERIES:
        words = rare(query)
        expected = peer(words, variant, k1, b, 0.5) if words else []
        for text, mine, theirs in zip(
            TEXTS, scores(words or ["none"], variant=variant, k1=k1, b=b), expected, strict=False
        ):
            assert (mine is None) == set(text).isdisjoint(words)
            assert (mine or 0.0) == pytest.approx(theirs, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("k1", "b"), PARAMETERS)
@pytest.mark.parametrize(("variant", "method"), [("bm25l", "bm25l"), ("bm25plus", "bm25+")])
def test_against_bm25s_by_term(variant, method, k1, b):
    for word in WORDS[::4]:
        mine = scores([word], variant=variant, k1=k1, b=b, delta=0.7)
        theirs = peer([word], method, k1, b, 0.7) if FREQUENCY[word] else []
        for text, one, other in zip(TEXTS, mine, theirs, strict=False):
            if word in text:
                assert one == pytest.approx(other, rel=1e-5)
            else:
                assert one is None


def okapi(query, k1, b, epsilon):
    """rank_bm25's BM25Okapi: negative idf becomes epsilon times the mean idf of all terms."""
    count, mean_length = len(TEXTS), sum(map(len, TEXTS)) / len(TEXTS)
    idf = {
        word: math.log(count - n + 0.5) - math.log(n + 0.5) for word, n in FREQUENCY.items() if n
    }
    floor = epsilon * sum(idf.values()) / len(idf)
    return [
        sum(
            (idf[word] if idf[word] >= 0 else floor)
            * text.count(word)
            * (k1 + 1)
            / (text.count(word) + k1 * (1 - b + b * len(text) / mean_length))
            for word in query
            if word in idf
        )
        for text in TEXTS
    ]


@pytest.mark.parametrize(("k1", "b"), PARAMETERS)
@pytest.mark.parametrize("epsilon", [0.25, 0.0, 1.0])
def test_against_rank_bm25(k1, b, epsilon):
    assert max(FREQUENCY.values()) > len(TEXTS) / 2  # so that the floor is met
    for query in [*QUERIES, ["w0", "w1"]]:
        mine = scores(query, variant="okapi", k1=k1, b=b, epsilon=epsilon)
        for text, one, other in zip(TEXTS, mine, okapi(query, k1, b, epsilon), strict=True):
            assert (one is None) == set(text).isdisjoint(query)
            assert (one or 0.0) == pytest.approx(other, rel=1e-6, abs=1e-7)


# Every variant in plain Python, in plait's order of operations: equal to the last bit.

IDF = {
    "lucene": lambda n, total: math.log(1.0 + (total - n + 0.5) / (n + 0.5)),
    "robertson": lambda n, total: math.log((total - n + 0.5) / (n + 0.5)),
    "atire": lambda n, total: math.log(total / n),
    "bm25l": lambda n, total: math.log((total + 1.0) / (n + 0.5)),
    "bm25plus": lambda n, total: math.log((total + 1.0) / n),
}
SHARE = {
    "lucene": lambda tf, norm, k1: tf / (tf + k1 * norm),
    "robertson": lambda tf, norm, k1: tf / (tf + k1 * norm),
    "atire": lambda tf, norm, k1: (k1 + 1.0) * tf / (tf + k1 * norm),
    "bm25l": lambda tf, norm, k1: (k1 + 1.0) * (tf / norm + 0.5) / (k1 + (tf / norm + 0.5)),
    "bm25plus": lambda tf, norm, k1: (k1 + 1.0) * tf / (tf + k1 * norm) + 1.0,
}


@pytest.mark.parametrize(("k1", "b"), PARAMETERS)
@pytest.mark.parametrize("variant", sorted(set(VARIANTS) - {"okapi"}))
def test_to_the_last_bit(variant, k1, b):
    mean = sum(map(len, TEXTS)) / len(TEXTS)
    for query in QUERIES:
        expected = []
        for text in TEXTS:
            total = 0.0
            for word in dict.fromkeys(query):
                if word in text:
                    norm = (1.0 - b) + b * (len(text) / mean)
                    weight = query.count(word) * IDF[variant](FREQUENCY[word], len(TEXTS))
                    total += weight * SHARE[variant](float(text.count(word)), norm, k1)
            shared = not set(text).isdisjoint(query)
            expected.append(float(np.float32(total)) if shared else None)
        assert scores(query, variant=variant, k1=k1, b=b) == expected
