"""LangChain: EnsembleRetriever over its BM25Retriever (rank_bm25) and its vectors in memory."""

from __future__ import annotations

import warnings
from typing import Any

from langchain_classic.retrievers import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from rivals.corpus import Asked, name_of
from rivals.systems.system import System

with warnings.catch_warnings():  # it warns that it will not be maintained for ever
    warnings.simplefilter("ignore")
    from langchain_community.retrievers import BM25Retriever

CANDIDATES = 200


class Ready(Embeddings):
    """Gives the vectors that were brought along."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows
        self.query: Any = None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:  # noqa: ARG002
        return self.rows

    def embed_query(self, text: str) -> list[float]:  # noqa: ARG002
        vector: list[float] = self.query.tolist()
        return vector


class Adapter(System):
    def build(self) -> None:
        documents = [
            Document(page_content=text, id=name_of(number))
            for number, text in enumerate(self.corpus.texts())
        ]
        self.ready = Ready(self.corpus.vectors.tolist())
        store = InMemoryVectorStore(self.ready)
        store.add_documents(documents)
        dense = store.as_retriever(search_kwargs={"k": CANDIDATES})
        words = BM25Retriever.from_documents(documents, k=CANDIDATES)
        self.ensemble = EnsembleRetriever(retrievers=[dense, words], weights=[0.5, 0.5])

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        """It gives no scores."""
        return [document.id for document in self._best(asked, top_k)], []

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [document.page_content for document in self._best(asked, top_k)]

    def _best(self, asked: Asked, top_k: int) -> list[Any]:
        self.ready.query = asked.vector
        return self.ensemble.invoke(asked.text)[:top_k]
