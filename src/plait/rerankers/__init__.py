"""Rerankers: which of the best hits answer the query best?

``reranking`` is the boundary: what a reranker said becomes a ``Reranking``, and hits in its order.
``reranker`` is what all have in common. The others are kinds of rerankers; each imports its package
when it is built or first used.
"""

from plait.rerankers.cross_encoder import CrossEncoder
from plait.rerankers.function import CallableReranker
from plait.rerankers.http import HttpReranker, RerankApi
from plait.rerankers.language_model import LanguageModelReranker
from plait.rerankers.library import RerankersAdapter
from plait.rerankers.onnx import OnnxCrossEncoder
from plait.rerankers.parse import as_reranker, parse_reranker
from plait.rerankers.reranker import NoReranker, Reranker, TextReranker
from plait.rerankers.reranking import Reranking, apply_reranking, to_reranking

__all__ = [
    "CallableReranker",
    "CrossEncoder",
    "HttpReranker",
    "LanguageModelReranker",
    "NoReranker",
    "OnnxCrossEncoder",
    "RerankApi",
    "Reranker",
    "RerankersAdapter",
    "Reranking",
    "TextReranker",
    "apply_reranking",
    "as_reranker",
    "parse_reranker",
    "to_reranking",
]
