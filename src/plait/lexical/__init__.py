"""The lexical leg: BM25 over an inverted index in arrays."""

from plait.lexical.bm25 import Bm25
from plait.lexical.index import LexicalIndex
from plait.lexical.memory import MemoryTerms
from plait.lexical.packed import PackedTerms
from plait.lexical.part import Asked, LexicalPart
from plait.lexical.retriever import BM25Retriever
from plait.lexical.view import LexicalView

__all__ = [
    "Asked",
    "BM25Retriever",
    "Bm25",
    "LexicalIndex",
    "LexicalPart",
    "LexicalView",
    "MemoryTerms",
    "PackedTerms",
]
