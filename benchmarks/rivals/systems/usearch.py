"""usearch: a graph, with the settings and the number format that it has by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from usearch.index import Index

from rivals.corpus import Asked
from rivals.systems.system import System


class Adapter(System):
    def build(self) -> None:
        vectors = self.corpus.vectors
        self.index = Index(ndim=vectors.shape[1], metric="ip")
        self.index.add(np.arange(len(vectors)), vectors, threads=self.cores)

    def try_harder(self, effort: int) -> None:
        super().try_harder(effort)
        self.index.expansion_search = effort

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        found = self.index.search(asked.vector, top_k, threads=1)
        return found.keys.tolist(), (1 - found.distances).tolist()
