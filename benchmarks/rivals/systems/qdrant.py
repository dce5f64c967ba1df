"""Qdrant Edge: Qdrant inside the process; BM25 as sparse vectors, idf by the shard."""

from __future__ import annotations

from typing import Any

import qdrant_edge as qdrant

from rivals.corpus import Asked
from rivals.systems.system import System

BATCH = 1000
CANDIDATES = 200


class Adapter(System):
    """Settings: ``graph``, whether the shard is optimized, which builds HNSW."""

    def build(self) -> None:
        words = sum(len(text.split()) for text in self.corpus.texts())
        self.bm25 = qdrant.Bm25(
            qdrant.Bm25Config(
                k=1.5, b=0.75, avg_len=words / self.corpus.size,
                tokenizer=qdrant.TokenizerType.Whitespace, lowercase=False,
                stemmer=qdrant.DisabledStemmer(),
            )
        )  # fmt: skip
        dim = self.corpus.vectors.shape[1]
        config = qdrant.EdgeConfig(
            vectors={"dense": qdrant.EdgeVectorParams(dim, qdrant.Distance.Cosine)},
            sparse_vectors={"bm25": qdrant.EdgeSparseVectorParams(modifier=qdrant.Modifier.Idf)},
        )
        (self.folder / "shard").mkdir()
        self.shard = qdrant.EdgeShard.create(str(self.folder / "shard"), config)
        points = []
        for number, (text, vector) in enumerate(
            zip(self.corpus.texts(), self.corpus.vectors, strict=True)
        ):
            parts = {"dense": vector.tolist(), "bm25": self.bm25.embed_document(text)}
            points.append(qdrant.Point(number, parts, {"text": text}))
            if len(points) == BATCH:
                self.shard.update(qdrant.UpdateOperation.upsert_points(points))
                points = []
        if points:
            self.shard.update(qdrant.UpdateOperation.upsert_points(points))
        if self.settings.get("graph"):
            self.shard.optimize()
        self.shard.flush()

    def ids(
        self, asked: Asked, top_k: int, leg: str | None = None
    ) -> tuple[list[Any], list[float]]:
        found = self._hybrid(asked, top_k) if leg is None else self._dense(asked, top_k)
        return [point.id for point in found], [point.score for point in found]

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        found = self._hybrid(asked, top_k, with_payload=True)
        return [point.payload["text"] for point in found]

    def _dense(self, asked: Asked, top_k: int) -> Any:
        near, params = self._near(asked)
        return self.shard.query(qdrant.QueryRequest(top_k, query=near, params=params))

    def _hybrid(self, asked: Asked, top_k: int, **wanted: Any) -> Any:
        near, params = self._near(asked)
        words = qdrant.Query.Nearest(self.bm25.embed_query(asked.text), using="bm25")
        legs = [
            qdrant.Prefetch(CANDIDATES, query=near, params=params),
            qdrant.Prefetch(CANDIDATES, query=words),
        ]
        fusion = qdrant.Fusion.Rrf(60)
        return self.shard.query(qdrant.QueryRequest(top_k, query=fusion, prefetches=legs, **wanted))

    def _near(self, asked: Asked) -> tuple[Any, Any]:
        near = qdrant.Query.Nearest(asked.vector.tolist(), using="dense")
        params = None if self.effort is None else qdrant.SearchParams(hnsw_ef=self.effort)
        return near, params
