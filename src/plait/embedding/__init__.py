"""What an embedder is: its contract, its identity, and a cache of its recent queries.

Vectors of two embedders never compare. The identity says which ones do: it is stored with an
index, checked when the index is opened, and part of every cache key.
"""

from plait.embedding.cache import CachedEmbedder, QueryCache
from plait.embedding.contract import CountsTokens, Embedder, Progress, check_embedder
from plait.embedding.identity import EmbedderIdentity, text_key
from plait.embedding.vectors import FloatMatrix, as_numbers, check_vectors

__all__ = [
    "CachedEmbedder",
    "CountsTokens",
    "Embedder",
    "EmbedderIdentity",
    "FloatMatrix",
    "Progress",
    "QueryCache",
    "as_numbers",
    "check_embedder",
    "check_vectors",
    "text_key",
]
