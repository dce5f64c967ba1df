"""A collection learns its weights from its own sentences."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from plait.collection import Collection
from plait.embedders import CallableEmbedder
from plait.errors import ConfigurationError, EmbeddingError
from plait.evaluation import Topics, tune_self
from plait.types import Chunk, Query

Make = Callable[..., Collection]

COUNT = 60


def noise(texts: list[str]) -> Any:
    """Vectors that say nothing of the text."""
    return [
        np.random.default_rng(zlib.crc32(text.encode())).normal(size=16).tolist() for text in texts
    ]


def subject(texts: list[str]) -> Any:
    """Vectors that say of which chunk a text is: by the last two letters of its first word."""
    ends = [text.split()[0].rstrip(".")[-2:] for text in texts]
    angles = [(26 * ord(end[0]) + ord(end[1])) * 2 * np.pi / 1000 for end in ends]
    return [[np.cos(angle), np.sin(angle)] for angle in angles]


@pytest.fixture
def worded(make: Make) -> Collection:
    """The two sentences of a chunk share words, its vector is noise."""
    kb = make("worded", embedder=CallableEmbedder(noise, name="noise"))
    kb.add(
        [
            Chunk(f"Word{n} and term{n} stand here. Here stand term{n} and word{n}.", id=f"{n}")
            for n in range(COUNT)
        ]
    )
    return kb


@pytest.fixture
def meant(make: Make) -> Collection:
    """The sentences of a chunk share no word, each has one with another chunk; vectors know."""

    def end(n: int) -> str:
        return chr(97 + n % COUNT // 26) + chr(97 + n % COUNT % 26)

    kb = make("meant", embedder=CallableEmbedder(subject, name="subject"))
    kb.add(
        [
            Chunk(
                f"One{end(n)} two{end(n)} three{end(n)} four{end(n)}. "
                f"Five{end(n)} six{end(n)} seven{end(n)} eight{end(n)}. "
                f"Four{end(n + 7)} eight{end(n + 7)}.",
                id=f"{n}",
            )
            for n in range(COUNT)
        ]
    )
    return kb


def test_words_that_find_and_vectors_that_do_not(worded: Collection) -> None:
    result = tune_self(worded)
    assert result.tuning is not None
    assert result.as_good[0] == 0.0
    assert result.tuning.weights["dense"] <= 0.3
    assert result.curve[0.0] == 1.0
    assert result.curve[1.0] < 0.3
    assert (result.sentences, result.effective, result.queries) == (COUNT, COUNT, 0)
    assert result.tuning.evidence["generation"] == worded.describe()["generation"]


def test_vectors_that_find_and_words_that_mislead(meant: Collection) -> None:
    result = tune_self(meant)
    assert result.tuning is not None
    assert result.curve[1.0] == 1.0
    assert result.curve[0.0] < 0.5
    assert result.tuning.weights["dense"] > 0.3
    meant.apply(result.tuning)
    assert meant.search("oneab twoab").fusion == "auto(coverage=0.5, lead=0.5)"
    assert dict(meant.retriever().fusing().weights) == dict(result.tuning.weights)


def test_nothing_is_written(worded: Collection) -> None:
    before = dict(worded.describe())
    tune_self(worded, count=40)
    assert dict(worded.describe()) == before
    assert worded.tuning is None


def test_it_is_reproducible(worded: Collection, make: Make) -> None:
    once = tune_self(worded, count=40, seed=3).to_dict()
    with worded.snapshot() as view:
        assert tune_self(view, count=40, seed=3).to_dict() == once
    other = make("again", embedder=CallableEmbedder(noise, name="noise"))
    with worded.snapshot() as view:
        for name in reversed(view.ids()):
            other.add([view.chunks([name])[name]])
    again = tune_self(other, count=40, seed=3).to_dict()
    assert again["curve"] == once["curve"]
    assert tune_self(worded, count=40, seed=4).to_dict()["seed"] == 4


_PROGRAM = """
import json, sys, tempfile
from plait.collection import open
from plait.evaluation import Topics, tune_self
from plait.types import Chunk

with tempfile.TemporaryDirectory() as folder, open(folder, embedder="hash(dim=32)") as kb:
    kb.add([
        Chunk(f"Number {n} says hello to {n * 7 % 50}. It is {n % 5} years old now.", id=f"{n}")
        for n in range(50)
    ])
    queries = Topics({"1": "who says hello", "2": "who is 3 years old", "3": "number 7"})
    print(json.dumps(tune_self(kb, queries=queries, count=40).to_dict()))
"""


def test_no_hash_seed_shows() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    (text,) = said
    assert json.loads(text)["queries"] == 3


def test_queries_of_users_weigh_the_sentences(worded: Collection) -> None:
    queries = Topics({"1": "word7 and term7", "2": Query("word9", embedding=[1.0] * 16)})
    told: list[tuple[int, int]] = []
    result = tune_self(worded, queries=queries, count=40, progress=lambda *at: told.append(at))
    assert result.queries == 2
    assert told == [(done, 42) for done in range(1, 43)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count": 0}, "count is 0"),
        ({"count": True}, "count is True"),
        ({"queries": {}}, "queries is {}, expected Topics"),
        ({"queries": Topics({})}, "expected Topics with at least one"),
        ({"queries": ["cats"]}, "expected Topics"),
    ],
)
def test_wrong_arguments(worded: Collection, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        tune_self(worded, **given)


class TestWhatCannotBeTuned:
    def test_something_else(self) -> None:
        with pytest.raises(ConfigurationError, match="source is str, expected a Collection"):
            tune_self("kb")  # type: ignore[arg-type]

    def test_by_words_only(self, make: Make) -> None:
        kb = make(embedder=None)
        kb.add([Chunk("Cats purr and sleep here. Dogs bark and run there.")])
        with pytest.raises(ConfigurationError, match=r"by words only.*reembed"):
            tune_self(kb)

    def test_vectors_that_were_brought_along(self, make: Make) -> None:
        kb = make(embedder=None)
        chunk = Chunk("Cats purr and sleep here. Dogs bark and run there.", embedding=[1.0, 2.0])
        kb.add([chunk])
        with pytest.raises(ConfigurationError, match=r"brought their vectors along.*reembed"):
            tune_self(kb)

    def test_an_empty_one(self, make: Make) -> None:
        with pytest.raises(ConfigurationError, match="no chunk is long enough"):
            tune_self(make())

    def test_one_of_short_chunks(self, make: Make) -> None:
        kb = make()
        kb.add([Chunk("too short", id="a"), Chunk("also", id="b")])
        with pytest.raises(ConfigurationError, match="no chunk is long enough"):
            tune_self(kb)

    def test_an_embedder_that_fails(self, make: Make) -> None:
        works = [True]

        def embed(texts: list[str]) -> Any:
            if not works[0]:
                raise OSError("the service is gone")
            return noise(texts)

        kb = make(embedder=CallableEmbedder(embed, name="service"))
        kb.add([Chunk("Cats purr and sleep here. Dogs bark and run there.")])
        works[0] = False
        with pytest.raises(EmbeddingError, match="the service is gone"):
            tune_self(kb)


def test_few_chunks_keep_the_default(make: Make) -> None:
    kb = make()
    kb.add([Chunk("Cats purr and sleep here. Dogs bark and run there.", id="a")])
    result = tune_self(kb)
    assert (result.tuning, result.sentences) == (None, 1)
    assert result.answer.startswith("keep the default weights: 1 sentences' worth")
