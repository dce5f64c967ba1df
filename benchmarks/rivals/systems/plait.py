"""plait: a collection, asked as its users ask it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import plait
from plait import Analyzer, Chunk, Query
from rivals.corpus import Asked, name_of
from rivals.systems.system import System

open_collection = plait.open  # imported with the library, as all of the others is
FUSION = "rrf(k=60)"  # what the others fuse by


class Adapter(System):
    """Settings: ``analyzer``, ``"whitespace"`` or None for the default one."""

    def build(self) -> None:
        name = self.settings.get("analyzer", "whitespace")
        analyzer = Analyzer() if name is None else Analyzer(tokenizer=name)
        with open_collection(self.folder / "kb", embedder=None, analyzer=analyzer) as kb:
            kb.add(self._chunks(raw=name is None))
            kb.compact()
        self.open()

    def _chunks(self, *, raw: bool) -> Iterator[Chunk]:
        texts = enumerate(self.corpus.texts(raw=raw))
        if not self.corpus.has_vectors:
            for number, text in texts:
                yield Chunk(text, id=name_of(number))
            return
        for (number, text), vector in zip(texts, self.corpus.vectors, strict=True):
            yield Chunk(text, id=name_of(number), embedding=vector)

    def open(self) -> None:
        self.kb = open_collection(self.folder / "kb", read_only=True)
        self.snapshot = self.kb.snapshot()
        self.retriever = self.snapshot.retriever()
        self.bare = self.retriever.without_snippets()
        self.fusing = self.retriever.fusing(FUSION)

    def ids(
        self, asked: Asked, top_k: int, leg: str | None = None
    ) -> tuple[list[Any], list[float]]:
        """Of one leg at ``top_k`` candidates, or of both legs at 200 each, fused."""
        if leg is not None:
            ranking = self.snapshot.ranking(leg, _query(asked), top_k=top_k)
            return list(ranking.ids), list(ranking.scores)
        rankings = self.retriever.rankings(_query(asked))
        best = plait.fuse(rankings, self.fusing.fusion, self.fusing.weights).best(top_k)
        return list(best), list(best.values())

    def contents(self, asked: Asked, top_k: int, leg: str | None = None) -> list[str]:
        """The texts of the hits, with what each leg contributed; no snippets."""
        if leg is None:
            found = self.bare.retrieve(_query(asked), top_k=top_k, fusion=FUSION)
        else:
            found = self.bare.retrieve(_query(asked), top_k=top_k, fetch_k=top_k, legs=[leg])
        return [hit.chunk.content for hit in found]

    def search(self, asked: Asked, top_k: int) -> list[str]:
        """What a user calls: the newest state, the default fusion, contents and snippets."""
        return [hit.chunk.content for hit in self.kb.search(_query(asked), top_k=top_k)]


def _query(asked: Asked) -> Query:
    return Query(text=asked.text, embedding=asked.vector)
