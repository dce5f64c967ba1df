"""A RAG service is a retriever, and keeps the promises of one."""

from plait.dense import DenseRetriever
from plait.embedders import HashEmbedder
from plait.hybrid import HybridRetriever
from plait.lexical import BM25Retriever
from plait.pipeline import Rag
from plait.testing import RetrieverConformance


class TestOverAHybrid(RetrieverConformance):
    def make(self, chunks):
        dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=32))
        return Rag(HybridRetriever([BM25Retriever(chunks), dense]))


class TestWithAReranker(RetrieverConformance):
    def make(self, chunks):
        def longest(query, given):
            return [float(len(chunk.content)) for chunk in given]

        return Rag(BM25Retriever(chunks), reranker=longest)
