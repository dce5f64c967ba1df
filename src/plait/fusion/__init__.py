"""Fusion: which contribution each leg makes to each hit, and the order that follows.

``fuse`` turns rankings into a ``Pool``; a ``Fusion`` is the method. Everything here is pure: values
in, values out, the same for any order of the legs.

Example:
    >>> from plait.types import Ranking
    >>> dense = Ranking("dense", ("a", "b"), (0.9, 0.8))
    >>> bm25 = Ranking("bm25", ("b", "c"), (7.1, 2.0))
    >>> [hit.id for hit in fuse([dense, bm25], parse_fusion("rrf(k=60)")).hits(0, 2)]
    ['b', 'a']
"""

from plait.fusion.auto import Auto
from plait.fusion.distribution import Dbsf, ZScore
from plait.fusion.learned import Learned
from plait.fusion.method import Absent, Fusion, Shares
from plait.fusion.parse import fusion_names, parse_fusion, register_fusion
from plait.fusion.pool import Pool, fuse
from plait.fusion.presets import Haystack, LangChain, LlamaIndex, QdrantDbsf, QdrantRrf, Ranx
from plait.fusion.rank_based import Borda, Isr, Rbc, Rrf
from plait.fusion.score_based import (
    CombMnz,
    CombSum,
    Convex,
    Flat,
    Rsf,
    ScoreFusion,
)
from plait.fusion.weights import Weights, check_weight, resolve_weights

__all__ = [
    "Absent",
    "Auto",
    "Borda",
    "CombMnz",
    "CombSum",
    "Convex",
    "Dbsf",
    "Flat",
    "Fusion",
    "Haystack",
    "Isr",
    "LangChain",
    "Learned",
    "LlamaIndex",
    "Pool",
    "QdrantDbsf",
    "QdrantRrf",
    "Ranx",
    "Rbc",
    "Rrf",
    "Rsf",
    "ScoreFusion",
    "Shares",
    "Weights",
    "ZScore",
    "check_weight",
    "fuse",
    "fusion_names",
    "parse_fusion",
    "register_fusion",
    "resolve_weights",
]
