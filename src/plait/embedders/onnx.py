"""OnnxEmbedder: a sentence embedding model from a folder, run by onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from plait.embedders.embedder import TextEmbedder, parameters
from plait.embedders.onnx_model import OnnxModel
from plait.embedding import EmbedderIdentity, FloatMatrix
from plait.errors import ConfigurationError
from plait.inference import OncePerProcess, digest, model_files, require, side_by_side
from plait.spec import format_spec
from plait.types import FloatVector

__all__ = ["OnnxEmbedder"]


class OnnxEmbedder(TextEmbedder):
    """A sentence embedding model: token vectors from ONNX, pooled to one vector for a text.

    Each text is run alone, several side by side. On a CPU that is as fast as padded batches, and
    a text's vector depends on nothing but the text. No text is blank to such a model: it reads at
    least its own marks.

    The model is loaded when it is first used. Its identity is the hash of the model's files
    and the tokenizer, so a copy elsewhere is the same embedder.

    Args:
        path: A folder with ``model.onnx`` or ``onnx/model.onnx`` and ``tokenizer.json``, or the
            ``.onnx`` file itself with the tokenizer beside or above it.
        pooling: ``"mean"`` of the token vectors, or ``"cls"``, the first one.
        normalize: Scale the vectors to length 1.
        max_tokens: Tokens read of a text, the model's own marks included; the rest is cut off.
        query_prefix: Put before a query: ``"query: "`` for E5.
        passage_prefix: Put before a passage.

    Raises:
        MissingDependencyError: onnxruntime or tokenizers is not installed.
        ConfigurationError: Files that are not there, or a bad parameter.
    """

    batch_size = 32  # only how often progress is told
    _purpose: ClassVar[str] = "an ONNX embedding model"

    def __init__(
        self,
        path: str | Path,
        *,
        pooling: Literal["mean", "cls"] = "mean",
        normalize: bool = True,
        max_tokens: int = 256,
        query_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        for module in ("onnxruntime", "tokenizers"):
            require(module, extra="minilm", purpose=self._purpose)
        if not isinstance(path, str | os.PathLike):
            raise ConfigurationError(f"path is {path!r:.80}, expected the path of a model")
        if pooling not in ("mean", "cls"):
            raise ConfigurationError(f"pooling is {pooling!r}, expected 'mean' or 'cls'")
        self.path = Path(path)
        self._files = model_files(self.path)
        # Built now with any weights, so that a bad parameter is refused now.
        self._described = EmbedderIdentity(
            "/".join(self.path.absolute().parts[-2:]),
            "unread",
            dim=1,
            pooling=pooling,
            normalize=normalize,
            max_tokens=max_tokens,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
        )
        self._model: OncePerProcess[OnnxModel] = OncePerProcess(self._load)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is; the first use reads the files."""
        return EmbedderIdentity.from_dict(
            {
                **self._described.to_dict(),
                "weights": digest(self._files),
                "dim": self._model.get().dim,
            }
        )

    @property
    def spec(self) -> str:
        """``onnx(path=...)`` and what differs from the defaults."""
        changed = parameters(self._described, pooling="mean", normalize=True, max_tokens=256)
        return format_spec("onnx", path=str(self.path), **changed)

    @property
    def max_tokens(self) -> int | None:
        """Tokens read of one passage, the rest is cut off."""
        return self._described.max_tokens

    def count_tokens(self, text: str) -> int:
        """Tokens of a passage, its prefix and the model's own marks included, before any cut."""
        return self._model.get().count_tokens(self._described.as_passage(text))

    def _vectors(self, sent: Sequence[str]) -> FloatMatrix:
        return np.stack(side_by_side(self._vector, sent))

    def _vector(self, text: str) -> FloatVector:
        model = self._model.get()
        states = model.token_vectors(text, self._described.max_tokens)
        pooled: FloatVector = (
            states.mean(axis=0) if self._described.pooling == "mean" else states[0]
        )
        return pooled

    def _load(self) -> OnnxModel:
        return OnnxModel.load(self._files)
