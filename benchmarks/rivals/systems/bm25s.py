"""bm25s: scores of every word and document worked out when it is built, in memory."""

from __future__ import annotations

from typing import Any

import bm25s

from rivals.corpus import Asked, name_of
from rivals.systems.system import System


class Adapter(System):
    """Settings: ``backend``, ``"numpy"`` or ``"numba"``."""

    def build(self) -> None:
        self._hold()
        tokens = bm25s.tokenize(
            self.documents, stopwords=None, token_pattern=r"\S+", show_progress=False
        )
        backend = self.settings["backend"]
        self.index = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend=backend)
        self.index.index(tokens, show_progress=False)
        if self.settings.get("save"):
            self.index.save(str(self.folder / "index"), show_progress=False)

    def open(self) -> None:
        self._hold()
        self.index = bm25s.BM25.load(str(self.folder / "index"), mmap=True)
        self.index.backend = self.settings["backend"]

    def _hold(self) -> None:
        self.documents = list(self.corpus.texts())
        self.names = [name_of(number) for number in range(len(self.documents))]

    def ids(self, asked: Asked, top_k: int) -> tuple[list[Any], list[float]]:
        found, scores = self._best(asked, top_k)
        return [self.names[number] for number in found], scores

    def contents(self, asked: Asked, top_k: int) -> list[str]:
        return [self.documents[number] for number in self._best(asked, top_k)[0]]

    def _best(self, asked: Asked, top_k: int) -> tuple[list[int], list[float]]:
        k = min(top_k, len(self.names))
        found = self.index.retrieve([asked.text.split()], k=k, show_progress=False)
        return found.documents[0].tolist(), found.scores[0].tolist()
