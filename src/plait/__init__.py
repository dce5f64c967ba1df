"""plait: hybrid retrieval that weaves rankings together and explains every hit.

Example:
    >>> from plait import BM25Retriever, Chunk, DenseRetriever, HashEmbedder, HybridRetriever
    >>> chunks = [Chunk("error E1042 socket closed"), Chunk("cats purr")]
    >>> dense = DenseRetriever(chunks, embedder=HashEmbedder(dim=128))
    >>> hybrid = HybridRetriever([dense, BM25Retriever(chunks)])
    >>> hybrid.retrieve("E1042")[0].chunk.content
    'error E1042 socket closed'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from plait.version import __version__ as __version__

if TYPE_CHECKING:
    from plait.collection import Collection, Tuning
    from plait.collection import open as open  # noqa: A004 (plait.open is its name)
    from plait.context import Citation, Context, ContextBuilder, cite
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
        ModelError,
        ModelTimeoutError,
        PartialWriteError,
        PlaitError,
        QueryError,
        RetrievalError,
        ServiceError,
        ServiceTimeoutError,
        StageError,
        StoreError,
    )
    from plait.evaluation import (
        Qrels,
        Topics,
        compare,
        diagnose,
        evaluate,
        record,
        tune,
        tune_self,
    )
    from plait.fusion import (
        Auto,
        Borda,
        CombMnz,
        CombSum,
        Convex,
        Dbsf,
        Fusion,
        Isr,
        Learned,
        Rbc,
        Rrf,
        Rsf,
        ZScore,
        fuse,
        parse_fusion,
    )
    from plait.hybrid import HybridRetriever, Leg
    from plait.lexical import BM25Retriever
    from plait.models import LanguageModel, OpenAIModel
    from plait.pipeline import Rag, RagRequest, RagResult, rag
    from plait.planning import Decompose, Hyde, MultiQuery, Planner, Rewrite, StepBack
    from plait.refining import Grouping, Mmr, Neighbors, SameSection, Threshold, WholeDocument
    from plait.rerankers import (
        CrossEncoder,
        HttpReranker,
        LanguageModelReranker,
        OnnxCrossEncoder,
        Reranker,
        RerankersAdapter,
        Reranking,
    )
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
        Variant,
    )

# Where each public name lives. A name is imported when it is first used, so that a program pays for
# the parts that it uses, and a command line for none of them until it knows what to do.
_HOME = {
    "plait.collection": (
        "Collection",
        "Tuning",
        "open",
    ),
    "plait.context": (
        "Citation",
        "Context",
        "ContextBuilder",
        "cite",
    ),
    "plait.dense": ("DenseRetriever",),
    "plait.embedders": (
        "CallableEmbedder",
        "HashEmbedder",
        "MiniLM",
        "WordLlama",
    ),
    "plait.errors": (
        "AllLegsFailedError",
        "ConfigurationError",
        "ContractError",
        "EmbeddingError",
        "FormatError",
        "IndexFormatError",
        "LegError",
        "LegTimeoutError",
        "LockedError",
        "MissingDependencyError",
        "ModelError",
        "ModelTimeoutError",
        "PartialWriteError",
        "PlaitError",
        "QueryError",
        "RetrievalError",
        "ServiceError",
        "ServiceTimeoutError",
        "StageError",
        "StoreError",
    ),
    "plait.evaluation": (
        "Qrels",
        "Topics",
        "compare",
        "diagnose",
        "evaluate",
        "record",
        "tune",
        "tune_self",
    ),
    "plait.fusion": (
        "Auto",
        "Borda",
        "CombMnz",
        "CombSum",
        "Convex",
        "Dbsf",
        "Fusion",
        "Isr",
        "Learned",
        "Rbc",
        "Rrf",
        "Rsf",
        "ZScore",
        "fuse",
        "parse_fusion",
    ),
    "plait.hybrid": (
        "HybridRetriever",
        "Leg",
    ),
    "plait.lexical": ("BM25Retriever",),
    "plait.planning": (
        "Decompose",
        "Hyde",
        "MultiQuery",
        "Planner",
        "Rewrite",
        "StepBack",
    ),
    "plait.refining": (
        "Grouping",
        "Mmr",
        "Neighbors",
        "SameSection",
        "Threshold",
        "WholeDocument",
    ),
    "plait.rerankers": (
        "CrossEncoder",
        "HttpReranker",
        "LanguageModelReranker",
        "OnnxCrossEncoder",
        "Reranker",
        "RerankersAdapter",
        "Reranking",
    ),
    "plait.models": (
        "LanguageModel",
        "OpenAIModel",
    ),
    "plait.pipeline": (
        "Rag",
        "RagRequest",
        "RagResult",
        "rag",
    ),
    "plait.retriever": ("Retriever",),
    "plait.text": ("Analyzer",),
    "plait.types": (
        "Chunk",
        "Contribution",
        "Hit",
        "LegReport",
        "Query",
        "Ranking",
        "SearchResult",
        "Variant",
    ),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AllLegsFailedError",
    "Analyzer",
    "Auto",
    "BM25Retriever",
    "Borda",
    "CallableEmbedder",
    "Chunk",
    "Citation",
    "Collection",
    "CombMnz",
    "CombSum",
    "ConfigurationError",
    "Context",
    "ContextBuilder",
    "ContractError",
    "Contribution",
    "Convex",
    "CrossEncoder",
    "Dbsf",
    "Decompose",
    "DenseRetriever",
    "EmbeddingError",
    "FormatError",
    "Fusion",
    "Grouping",
    "HashEmbedder",
    "Hit",
    "HttpReranker",
    "HybridRetriever",
    "Hyde",
    "IndexFormatError",
    "Isr",
    "LanguageModel",
    "LanguageModelReranker",
    "Learned",
    "Leg",
    "LegError",
    "LegReport",
    "LegTimeoutError",
    "LockedError",
    "MiniLM",
    "MissingDependencyError",
    "Mmr",
    "ModelError",
    "ModelTimeoutError",
    "MultiQuery",
    "Neighbors",
    "OnnxCrossEncoder",
    "OpenAIModel",
    "PartialWriteError",
    "PlaitError",
    "Planner",
    "Qrels",
    "Query",
    "QueryError",
    "Rag",
    "RagRequest",
    "RagResult",
    "Ranking",
    "Rbc",
    "Reranker",
    "RerankersAdapter",
    "Reranking",
    "RetrievalError",
    "Retriever",
    "Rewrite",
    "Rrf",
    "Rsf",
    "SameSection",
    "SearchResult",
    "ServiceError",
    "ServiceTimeoutError",
    "StageError",
    "StepBack",
    "StoreError",
    "Threshold",
    "Topics",
    "Tuning",
    "Variant",
    "WholeDocument",
    "WordLlama",
    "ZScore",
    "cite",
    "compare",
    "diagnose",
    "evaluate",
    "fuse",
    "parse_fusion",
    "rag",
    "record",
    "tune",
    "tune_self",
]


def __getattr__(name: str) -> Any:
    module = _MODULE.get(name)
    if module is None:
        raise AttributeError(f"module 'plait' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE})
