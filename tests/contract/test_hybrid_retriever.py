"""HybridRetriever against the conformance suite, by rank and by score, nested, with callables."""

from collections.abc import Sequence
from typing import Any

from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.testing import RetrieverConformance, WritableConformance
from plait.types import Chunk


def legs(chunks: Sequence[Chunk]) -> list[Any]:
    return [DenseRetriever(chunks, embedder=HashEmbedder(dim=64)), BM25Retriever(chunks)]


class TestByRank(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        return HybridRetriever(legs(chunks))


class TestByScore(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        return HybridRetriever(legs(chunks), fusion="rsf()", weights=[1.0, 2.0])


class TestNested(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        return HybridRetriever(
            {"inner": HybridRetriever(legs(chunks)), "bm25": BM25Retriever(chunks)}
        )


class TestAsyncCallable(RetrieverConformance):
    """A leg that is a coroutine function and gives ids only."""

    def make(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        bm25 = BM25Retriever(chunks)

        async def remote(text: str, top_k: int, filter: Any) -> list[tuple[str | None, float]]:
            found = bm25.retrieve(text, top_k=top_k, filter=filter)
            return [(hit.id, hit.score or 0.0) for hit in found]

        def lookup(ids: Sequence[str]) -> dict[str, Chunk]:
            return {id: chunk for id in ids if (chunk := bm25.get(id))}

        return HybridRetriever([bm25, remote], lookup=lookup)


class TestPostFilter(RetrieverConformance):
    """A leg that cannot filter itself."""

    def make(self, chunks: Sequence[Chunk]) -> HybridRetriever:
        bm25 = BM25Retriever(chunks)

        def unfiltered(text: str, top_k: int) -> list[Any]:
            return list(bm25.retrieve(text, top_k=top_k))

        return HybridRetriever([bm25, Leg("plain", unfiltered, post_filter=True)])
