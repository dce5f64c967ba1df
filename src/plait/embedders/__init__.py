"""Embedders: what turns texts into vectors. Heavy packages are loaded when they are first used."""

from plait.embedders.embedder import TextEmbedder
from plait.embedders.function import CallableEmbedder
from plait.embedders.hashing import HashEmbedder
from plait.embedders.minilm import MiniLM
from plait.embedders.onnx import OnnxEmbedder
from plait.embedders.parse import parse_embedder
from plait.embedders.static import WordLlama
from plait.embedding import (
    CachedEmbedder,
    CountsTokens,
    Embedder,
    EmbedderIdentity,
    Progress,
    QueryCache,
    text_key,
)

__all__ = [
    "CachedEmbedder",
    "CallableEmbedder",
    "CountsTokens",
    "Embedder",
    "EmbedderIdentity",
    "HashEmbedder",
    "MiniLM",
    "OnnxEmbedder",
    "Progress",
    "QueryCache",
    "TextEmbedder",
    "WordLlama",
    "parse_embedder",
    "text_key",
]
