"""plait: hybrid retrieval that weaves rankings together and explains every hit.

Example:
    >>> from plait import BM25Retriever, Chunk, DenseRetriever, HashEmbedder, HybridRetriever
    >>> chunks = [Chunk("error E1042 socket closed"), Chunk("cats purr")]
    >>> dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=128))
    >>> hybrid = HybridRetriever([dense, BM25Retriever(chunks)])
    >>> hybrid.retrieve("E1042")[0].chunk.content
    'error E1042 socket closed'
"""

from plait.collection import Collection
from plait.collection import open as open  # noqa: A004 (plait.open is its name)
from plait.dense import DenseRetriever
from plait.embedders import CallableEmbedder, HashEmbedder, MiniLM, WordLlama
from plait.errors import (
    AllLegsFailedError,
    ConfigurationError,
    ContractError,
    EmbeddingError,
    FormatError,
    IndexFormatError,
    LegError,
    LegTimeoutError,
    LockedError,
    MissingDependencyError,
    PartialWriteError,
    PlaitError,
    QueryError,
    RetrievalError,
    StageError,
    StoreError,
)
from plait.fusion import (
    Borda,
    CombMnz,
    CombSum,
    Convex,
    Dbsf,
    Fusion,
    Isr,
    Rbc,
    Rrf,
    Rsf,
    ZScore,
    fuse,
    parse_fusion,
)
from plait.hybrid import HybridRetriever, Leg
from plait.lexical import BM25Retriever
from plait.retriever import Retriever
from plait.text import Analyzer
from plait.types import (
    Chunk,
    Contribution,
    Hit,
    LegReport,
    Query,
    Ranking,
    SearchResult,
)

__version__ = "0.1.0"

__all__ = [
    "AllLegsFailedError",
    "Analyzer",
    "BM25Retriever",
    "Borda",
    "CallableEmbedder",
    "Chunk",
    "Collection",
    "CombMnz",
    "CombSum",
    "ConfigurationError",
    "ContractError",
    "Contribution",
    "Convex",
    "Dbsf",
    "DenseRetriever",
    "EmbeddingError",
    "FormatError",
    "Fusion",
    "HashEmbedder",
    "Hit",
    "HybridRetriever",
    "IndexFormatError",
    "Isr",
    "Leg",
    "LegError",
    "LegReport",
    "LegTimeoutError",
    "LockedError",
    "MiniLM",
    "MissingDependencyError",
    "PartialWriteError",
    "PlaitError",
    "Query",
    "QueryError",
    "Ranking",
    "Rbc",
    "RetrievalError",
    "Retriever",
    "Rrf",
    "Rsf",
    "SearchResult",
    "StageError",
    "StoreError",
    "WordLlama",
    "ZScore",
    "fuse",
    "parse_fusion",
]
