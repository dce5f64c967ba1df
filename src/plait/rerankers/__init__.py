"""Rerankers: which of the best hits answer the query best?

``reranking`` is the boundary: what a reranker said becomes a ``Reranking``, and hits in its order.
"""

from plait.rerankers.function import CallableReranker
from plait.rerankers.reranker import NoReranker, Reranker, TextReranker, degraded_note
from plait.rerankers.reranking import Reranking, apply_reranking, to_reranking

__all__ = [
    "CallableReranker",
    "NoReranker",
    "Reranker",
    "Reranking",
    "TextReranker",
    "apply_reranking",
    "degraded_note",
    "to_reranking",
]
