"""The local collection against the conformance suite, with and without an embedder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from plait.collection import Collection
from plait.collection import open as open_collection
from plait.embedders import HashEmbedder
from plait.testing import CollectionConformance, RetrieverConformance
from plait.types import Chunk, Query, SearchResult

HASH = HashEmbedder(dim=64)


class Local(CollectionConformance):
    given: ClassVar[dict[str, Any]] = {}

    def open(self) -> Collection:
        return open_collection(Path(tempfile.mkdtemp()) / "kb", **self.given)

    def reopen(self, collection: Any) -> Collection:
        collection.close()
        return open_collection(collection.path.parent, **self.given)

    def dispose(self, made: Any) -> None:
        made.close()
        shutil.rmtree(made.path.parent.parent)


class TestWithEmbedder(Local):
    given: ClassVar[dict[str, Any]] = {"embedder": HASH}


class TestByWordsOnly(Local):
    given: ClassVar[dict[str, Any]] = {"embedder": None}


class TestEuclideanByRank(Local):
    given: ClassVar[dict[str, Any]] = {
        "embedder": "hash(dim=64)",
        "metric": "euclidean",
        "fusion": "rrf(k=60)",
    }


class TestVectorsMadeElsewhere(Local):
    """Chunks bring their vectors; queries bring only text, so the lexical leg answers."""

    given: ClassVar[dict[str, Any]] = {"embedder": None}

    def chunk(self, chunk: Chunk) -> Chunk:
        return replace(chunk, embedding=HASH.embed_passages([chunk.index_text])[0])


class TestVectorsMadeElsewhereForQueriesToo(TestVectorsMadeElsewhere):
    def find(self, made: Any, query: Any, **given: Any) -> SearchResult:
        if isinstance(query, str) and query.strip():
            query = Query(query, HASH.embed_query(query))
        elif isinstance(query, Query) and query.text:
            query = Query(query.text, HASH.embed_query(query.text))
        return super().find(made, query, **given)


class TestItsRetriever(RetrieverConformance):
    """The hybrid that a collection hands out, as a retriever."""

    collections: ClassVar[dict[int, Collection]] = {}

    def make(self, chunks: Sequence[Chunk]) -> Any:
        collection = open_collection(Path(tempfile.mkdtemp()) / "kb", embedder=HASH)
        collection.add(chunks)
        retriever = collection.retriever()
        self.collections[id(retriever)] = collection
        return retriever

    def dispose(self, made: Any) -> None:
        collection = self.collections.pop(id(made))
        collection.close()
        shutil.rmtree(collection.path.parent.parent)
