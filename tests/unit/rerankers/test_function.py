"""CallableReranker: functions of any kind."""

import asyncio
import functools

import pytest

from plait.errors import ConfigurationError
from plait.rerankers import CallableReranker
from plait.types import Chunk, Hit

HITS = tuple(Hit(Chunk(text), None, rank) for rank, text in enumerate(("a", "bb"), start=1))


def lengths(query, chunks):
    return [len(chunk.content) + 0.5 for chunk in chunks]


async def lengths_async(query, chunks):
    await asyncio.sleep(0)
    return lengths(query, chunks)


class Instance:
    def __call__(self, query, chunks):
        return lengths(query, chunks)


class AsyncInstance:
    async def __call__(self, query, chunks):
        return lengths(query, chunks)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lengths, "lengths"),
        (lengths_async, "lengths_async"),
        (lambda query, chunks: lengths(query, chunks), "reranker"),
        (lambda query, chunks: lengths_async(query, chunks), "reranker"),
        (functools.partial(lengths), "partial"),
        (Instance(), "Instance"),
        (AsyncInstance(), "AsyncInstance"),
    ],
)
def test_sync_and_async_functions_from_sync_and_async_code(function, name):
    reranker = CallableReranker(function)
    assert reranker.name == name
    ranked = reranker.decide("q", HITS)
    assert (ranked.order, ranked.scores, ranked.reranker) == ((1, 0), (2.5, 1.5), name)
    assert asyncio.run(reranker.adecide("q", HITS)) == ranked


def test_it_is_described_by_its_name():
    assert CallableReranker(lengths, name="mine").describe() == {"type": "callable", "name": "mine"}


def test_a_function_that_cannot_be_given_both():
    with pytest.raises(ConfigurationError, match=r"cannot be given \(query, chunks\)"):
        CallableReranker(lambda query: [])
    with pytest.raises(ConfigurationError, match="expected a Reranker or a function"):
        CallableReranker("cohere")


def test_a_chunk_cannot_be_written_to():
    def careless(query, chunks):
        for chunk in chunks:
            chunk.metadata["rerank_score"] = 0.5
        return [0.5] * len(chunks)

    with pytest.raises(TypeError):
        CallableReranker(careless).decide("q", HITS)
    assert "rerank_score" not in HITS[0].chunk.metadata
