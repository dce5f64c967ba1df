"""LanceDB: tables in files, hybrid by its own reranker."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from rivals.corpus import Asked
from rivals.systems.system import System

BATCH = 10_000
CANDIDATES = 200
REFINING = 10  # times the hits are read in full


class Adapter(System):
    """Settings: ``partitions``, whether vectors get an IVF_PQ index."""

    def build(self) -> None:
        database = lancedb.connect(str(self.folder / "lance"))
        self.table = database.create_table("docs", self._batches(), schema=self._schema())
        self.table.create_fts_index(
            "text", base_tokenizer="whitespace", stem=False, remove_stop_words=False,
            ascii_folding=False, lower_case=False,
        )  # fmt: skip
        if self.settings.get("partitions"):
            self.table.create_index(metric="cosine", index_type="IVF_PQ")
        self.reranker = RRFReranker(K=60)

    def _schema(self) -> pa.Schema:
        vector = pa.list_(pa.float32(), self.corpus.vectors.shape[1])
        return pa.schema([("number", pa.int64()), ("text", pa.string()), ("vector", vector)])

    def _batches(self) -> Iterator[pa.RecordBatch]:
        texts, vectors = self.corpus.texts(), self.corpus.vectors
        for start in range(0, len(vectors), BATCH):
            rows = vectors[start : start + BATCH]
            columns = [
                pa.array(range(start, start + len(rows))),
                pa.array(itertools.islice(texts, len(rows))),
                pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1]),
            ]
            yield pa.record_batch(columns, schema=self._schema())

    def ids(
        self, asked: Asked, top_k: int, leg: str | None = None
    ) -> tuple[list[Any], list[float]]:
        if leg == "dense":
            found = self._near(self.table.search(asked.vector)).limit(top_k).select(["number"])
            rows = found.to_list()
            return [row["number"] for row in rows], [1 - row["_distance"] for row in rows]
        found = self._hybrid(asked, "number")[:top_k]
        return found["number"].to_pylist(), found["_relevance_score"].to_pylist()

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        texts: list[str] = self._hybrid(asked, "text")[:top_k]["text"].to_pylist()
        return texts

    def _hybrid(self, asked: Asked, column: str) -> Any:
        search = self.table.search(query_type="hybrid").vector(asked.vector).text(asked.text)
        search = self._near(search).rerank(self.reranker).select([column])
        return search.limit(CANDIDATES).to_arrow()

    def _near(self, search: Any) -> Any:
        search = search.distance_type("cosine")
        if self.settings.get("partitions"):
            search = search.refine_factor(REFINING)
            if self.effort is not None:
                search = search.nprobes(self.effort)
        return search
