"""DenseRetriever against the conformance suite, in every metric."""

from collections.abc import Sequence

from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.testing import WritableConformance
from plait.types import Chunk


class TestCosine(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> DenseRetriever:
        return DenseRetriever(chunks, embedder=HashEmbedder(dim=64))


class TestDot(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> DenseRetriever:
        return DenseRetriever(chunks, embedder=HashEmbedder(dim=64), metric="dot")


class TestEuclidean(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> DenseRetriever:
        return DenseRetriever(chunks, embedder=HashEmbedder(dim=64), metric="euclidean")
