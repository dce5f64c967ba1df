"""BM25Retriever against the conformance suite, with and without a language and a tokenizer."""

from collections.abc import Sequence

from plait.lexical import BM25Retriever
from plait.testing import WritableConformance
from plait.text import Analyzer
from plait.types import Chunk


class TestPlain(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> BM25Retriever:
        return BM25Retriever(chunks)


class TestEnglish(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> BM25Retriever:
        return BM25Retriever(chunks, analyzer=Analyzer(language="en"))


class TestTokenizer(WritableConformance):
    def make(self, chunks: Sequence[Chunk]) -> BM25Retriever:
        return BM25Retriever(chunks, tokenizer=str.split)
