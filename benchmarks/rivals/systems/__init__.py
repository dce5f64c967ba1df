"""The systems that are measured, by name. Adapters are imported in their own processes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["SYSTEMS", "Spec"]


@dataclass(frozen=True)
class Spec:
    """One system.

    Attributes:
        module: Its module in this package; the class in it is called ``Adapter``.
        packages: Distributions whose versions are recorded.
        needs: What must be importable.
        environment: The name of its requirements, None for the interpreter that runs the study.
        settings: What the adapter is made with.
    """

    module: str
    packages: tuple[str, ...]
    needs: str
    environment: str | None
    settings: Mapping[str, Any] = field(default_factory=dict)


def _lancedb(**settings: Any) -> Spec:
    return Spec("lancedb", ("lancedb", "pyarrow"), "lancedb", "lancedb", settings)


def _qdrant(**settings: Any) -> Spec:
    return Spec("qdrant", ("qdrant-edge-py",), "qdrant_edge", "qdrant", settings)


def _faiss(kind: str) -> Spec:
    return Spec("faiss", ("faiss-cpu",), "faiss", "faiss", {"kind": kind})


def _llamaindex(**settings: Any) -> Spec:
    packages = ("llama-index-core", "llama-index-retrievers-bm25", "bm25s")
    return Spec("llamaindex", packages, "llama_index.core", "llamaindex", settings)


_BM25S = ("bm25s", "numba")
_LANGCHAIN = ("langchain-core", "langchain-classic", "langchain-community", "rank-bm25")

SYSTEMS: Mapping[str, Spec] = {
    "plait": Spec("plait", ("plait",), "plait", None),
    "plait, default analyzer": Spec("plait", ("plait",), "plait", None, {"analyzer": None}),
    "plait, fusing": Spec("plait_fusing", ("plait",), "plait", None),
    "bm25s": Spec("bm25s", ("bm25s",), "bm25s", "bm25s", {"backend": "numpy"}),
    "bm25s, numba": Spec("bm25s", _BM25S, "bm25s", "bm25s-numba", {"backend": "numba"}),
    "tantivy": Spec("tantivy", ("tantivy",), "tantivy", "tantivy"),
    "SQLite FTS5": Spec("fts5", (), "sqlite3", "sqlite"),
    "faiss flat": _faiss("flat"),
    "faiss SQ8": _faiss("sq8"),
    "faiss HNSW": _faiss("hnsw"),
    "usearch HNSW": Spec("usearch", ("usearch",), "usearch", "usearch"),
    "LanceDB": _lancedb(),
    "LanceDB, IVF_PQ": _lancedb(partitions=True),
    "Qdrant Edge": _qdrant(),
    "Qdrant Edge, HNSW": _qdrant(graph=True),
    "LangChain": Spec("langchain", _LANGCHAIN, "langchain_classic", "langchain"),
    "LlamaIndex": _llamaindex(),
    "LlamaIndex, NumPy vectors": _llamaindex(matrix=True),
    "Haystack": Spec("haystack", ("haystack-ai",), "haystack", "haystack"),
    "ranx": Spec("ranx", ("ranx", "numba"), "ranx", "ranx"),
}
