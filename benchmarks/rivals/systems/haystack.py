"""Haystack: a pipeline over its document store in memory."""

from __future__ import annotations

from typing import Any

from haystack import Document, Pipeline
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.document_stores.in_memory import InMemoryDocumentStore

from rivals.corpus import Asked, name_of
from rivals.systems.system import System

CANDIDATES = 200


class Adapter(System):
    def build(self) -> None:
        store = InMemoryDocumentStore()
        store.write_documents(
            [
                Document(id=name_of(number), content=text, embedding=vector.tolist())
                for number, (text, vector) in enumerate(
                    zip(self.corpus.texts(), self.corpus.vectors, strict=True)
                )
            ]
        )
        self.pipeline = Pipeline()
        self.pipeline.add_component("words", InMemoryBM25Retriever(store, top_k=CANDIDATES))
        self.pipeline.add_component("dense", InMemoryEmbeddingRetriever(store, top_k=CANDIDATES))
        self.pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
        self.pipeline.connect("words", "joiner")
        self.pipeline.connect("dense", "joiner")

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        found = self._best(asked, top_k)
        return [document.id for document in found], [document.score for document in found]

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [document.content for document in self._best(asked, top_k)]

    def _best(self, asked: Asked, top_k: int) -> list[Any]:
        given = {
            "words": {"query": asked.text},
            "dense": {"query_embedding": asked.vector.tolist()},
            "joiner": {"top_k": top_k},
        }
        found: list[Any] = self.pipeline.run(given)["joiner"]["documents"]
        return found
