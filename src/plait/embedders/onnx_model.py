"""OnnxModel: the files of a sentence embedding model, loaded, from text to token vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plait.embedding import FloatMatrix
from plait.errors import ConfigurationError, EmbeddingError
from plait.inference import native_call, open_onnx

__all__ = ["OnnxModel"]

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """A loaded session and its tokenizer.

    Attributes:
        session: What onnxruntime made of the model.
        tokenizer: Without padding and without a cut of its own.
        inputs: Which of ``input_ids``, ``attention_mask`` and ``token_type_ids`` it takes.
        dim: Length of its token vectors.
    """

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    dim: int

    @classmethod
    def load(cls, files: Sequence[Path]) -> OnnxModel:
        """The model in these files: the model first, the tokenizer last.

        Raises:
            ConfigurationError: Files that cannot be loaded, or a model that does not give token
                vectors; names the file.
        """
        with native_call:
            tokenizer, session = open_onnx(files[0], files[-1])
        inputs = frozenset(each.name for each in session.get_inputs())
        shape = session.get_outputs()[0].shape
        if "input_ids" not in inputs or inputs - _INPUTS or len(shape) != 3:
            raise ConfigurationError(
                f"{files[0]} takes {', '.join(sorted(inputs))} and gives shape {shape}, expected a "
                f"model that takes {', '.join(sorted(_INPUTS))} and gives token vectors of shape "
                "(batch, tokens, dim)"
            )
        if not isinstance(shape[2], int):
            raise ConfigurationError(f"{files[0]} does not say the length of its vectors: {shape}")
        return cls(session, tokenizer, inputs, shape[2])

    def token_vectors(self, text: str, max_tokens: int | None) -> FloatMatrix:
        """Float32 of shape (tokens, dim), the model's own marks included.

        Raises:
            EmbeddingError: The model fails, as on more tokens than it has places for.
        """
        with native_call:
            encoding = self.tokenizer.encode(text, add_special_tokens=False)
            if max_tokens is not None:
                marks = self.tokenizer.num_special_tokens_to_add(False)
                encoding.truncate(max(0, max_tokens - marks))
            ids = np.array([self.tokenizer.post_process(encoding).ids], dtype=np.int64)
            feeds = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            given = {name: value for name, value in feeds.items() if name in self.inputs}
            try:
                states: FloatMatrix = self.session.run(None, given)[0][0]
            except Exception as error:  # onnxruntime has no public base of its exceptions
                raise EmbeddingError(
                    f"the model failed on a text of {ids.size} tokens: {error}; if it reads fewer, "
                    "say so with max_tokens"
                ) from error
        return states

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, the model's own marks included, before any cut."""
        with native_call:
            return len(self.tokenizer.encode(text).ids)
