"""faiss: exact, eight bits a dimension, or a graph."""

from __future__ import annotations

from typing import Any

import faiss

from rivals.corpus import Asked
from rivals.systems.system import System

LINKS = 32  # of a node in the graph
BUILDING = 80  # candidates of a new node


class Adapter(System):
    """Settings: ``kind``, ``"flat"``, ``"sq8"`` or ``"hnsw"``."""

    def build(self) -> None:
        faiss.omp_set_num_threads(self.cores)
        vectors = self.corpus.vectors
        dim, metric = vectors.shape[1], faiss.METRIC_INNER_PRODUCT
        if self.settings["kind"] == "flat":
            self.index = faiss.IndexFlat(dim, metric)
        elif self.settings["kind"] == "sq8":
            self.index = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_8bit, metric)
            self.index.train(vectors[:100_000])
        else:
            self.index = faiss.IndexHNSWFlat(dim, LINKS, metric)
            self.index.hnsw.efConstruction = BUILDING
        self.index.add(vectors)

    def pin(self) -> None:
        faiss.omp_set_num_threads(1)
        super().pin()

    def try_harder(self, effort: int) -> None:
        super().try_harder(effort)
        self.index.hnsw.efSearch = effort

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        scores, found = self.index.search(asked.vector[None], top_k)
        return found[0].tolist(), scores[0].tolist()
