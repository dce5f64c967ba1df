"""LlamaIndex: QueryFusionRetriever over its BM25Retriever (bm25s) and vectors in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import BaseRetriever, QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from rivals.corpus import Asked, name_of
from rivals.systems.system import System

CANDIDATES = 200


class Unused(BaseEmbedding):
    """Stands where a model would: nodes and queries bring their vectors."""

    def _get_text_embedding(self, text: str) -> list[float]:
        raise NotImplementedError

    def _get_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise NotImplementedError


class Matrix(BaseRetriever):
    """The nearest by one matrix product, quicker than the vector store that it comes with."""

    def __init__(self, nodes: list[TextNode], vectors: Any) -> None:
        self.nodes = nodes
        self.vectors = np.array(vectors)
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        scores = self.vectors @ np.array(query_bundle.embedding, dtype=np.float32)
        count = min(CANDIDATES, len(scores))
        best = np.argpartition(-scores, count - 1)[:count]
        best = best[np.argsort(-scores[best])]
        return [NodeWithScore(node=self.nodes[at], score=float(scores[at])) for at in best]


class Adapter(System):
    """Settings: ``matrix``, whether a matrix product takes the place of its vector store."""

    def build(self) -> None:
        vectors = self.corpus.vectors
        nodes = [
            TextNode(id_=name_of(number), text=text, embedding=vector.tolist())
            for number, (text, vector) in enumerate(zip(self.corpus.texts(), vectors, strict=True))
        ]
        if self.settings.get("matrix"):
            dense: BaseRetriever = Matrix(nodes, vectors)
        else:
            index = VectorStoreIndex(nodes, embed_model=Unused())
            dense = index.as_retriever(similarity_top_k=CANDIDATES)
        words = BM25Retriever.from_defaults(
            nodes=nodes, similarity_top_k=min(CANDIDATES, len(nodes)), skip_stemming=True
        )
        self.fusing = QueryFusionRetriever(
            [dense, words], mode="reciprocal_rerank", num_queries=1, use_async=False,
            similarity_top_k=CANDIDATES, llm=MockLLM(),
        )  # fmt: skip

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        found = self._best(asked, top_k)
        return [hit.node.node_id for hit in found], [hit.score for hit in found]

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [hit.node.get_content() for hit in self._best(asked, top_k)]

    def _best(self, asked: Asked, top_k: int) -> list[Any]:
        bundle = QueryBundle(asked.text, embedding=asked.vector.tolist())
        return self.fusing.retrieve(bundle)[:top_k]
