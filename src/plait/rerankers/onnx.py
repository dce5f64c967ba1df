"""OnnxCrossEncoder: a cross-encoder from a folder, run by onnxruntime."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from plait.errors import ConfigurationError, StageError
from plait.inference import (
    OncePerProcess,
    digest,
    model_files,
    native_call,
    open_onnx,
    require,
    side_by_side,
)
from plait.rerankers.reranker import PassageText, TextReranker
from plait.rerankers.reranking import Reranking, to_reranking
from plait.types import Chunk, FloatVector

__all__ = ["OnnxCrossEncoder"]

_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxCrossEncoder(TextReranker):
    """A cross-encoder in ONNX: one score for query and passage read together. No torch needed.

    Each pair is run alone, several side by side: on a CPU that is as fast as padded batches, and a
    passage's score depends on nothing but query and passage. The model is loaded when it is first
    used, once in each process.

    Args:
        path: A folder with ``model.onnx`` or ``onnx/model.onnx`` and ``tokenizer.json``, or the
            ``.onnx`` file itself with the tokenizer beside or above it. The model has one output
            for a pair.
        max_tokens: Tokens read of a pair, the model's own marks included, >= 8. A passage that is
            longer is cut at its end. A query is cut only if it takes more than half; the result
            notes it.
        sigmoid: Give scores from 0 to 1, 1 / (1 + exp(-x)) of the model's output x.
        text: The passage of a chunk; None for ``Chunk.index_text``.
        name: What results and errors call it; None for the last names of the path.

    Raises:
        MissingDependencyError: onnxruntime or tokenizers is not installed.
        ConfigurationError: Files that are not there, or a bad parameter; when first used, files
            that are no cross-encoder.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        max_tokens: int = 512,
        sigmoid: bool = False,
        text: PassageText | None = None,
        name: str | None = None,
    ) -> None:
        for module in ("onnxruntime", "tokenizers"):
            require(module, extra="minilm", purpose="an ONNX cross-encoder")
        if not isinstance(path, str | os.PathLike) or not str(path):
            raise ConfigurationError(f"path is {path!r:.80}, expected the path of a model")
        if type(max_tokens) is not int or max_tokens < 8:
            raise ConfigurationError(f"max_tokens is {max_tokens!r}, expected an int >= 8")
        if not isinstance(sigmoid, bool):
            raise ConfigurationError(f"sigmoid is {sigmoid!r}, expected a bool")
        self.path = Path(path)
        self._files = model_files(self.path)
        super().__init__(name or "/".join(self.path.absolute().parts[-2:]), text=text)
        self.max_tokens = max_tokens
        self.sigmoid = sigmoid
        self._model: OncePerProcess[_Model] = OncePerProcess(self._load)

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> Reranking:
        """The model's scores of all chunks.

        Raises:
            StageError: The model fails, as on more tokens than it has places for.
        """
        model = self._model.get()
        with native_call:
            asked = model.tokens(query)
        room = self.max_tokens // 2
        notes = () if len(asked) <= room else (f"query cut from {len(asked)} to {room} tokens",)
        asked.truncate(room)
        scores = side_by_side(
            lambda passage: self._score(model, asked, passage), self.passages(chunks)
        )
        ranked = to_reranking(scores, chunks, self.name)
        return Reranking(ranked.order, ranked.scores, self.name, notes)

    def describe(self) -> Mapping[str, Any]:
        """The hash of the model's files, length and activation."""
        return {
            **super().describe(),
            "weights": digest(self._files),
            "max_tokens": self.max_tokens,
            "sigmoid": self.sigmoid,
        }

    def _score(self, model: _Model, query: Any, passage: str) -> float:
        with native_call:
            try:
                scores = model.scores(query, passage, self.max_tokens)
            except Exception as error:  # onnxruntime has no public base of its exceptions
                raise StageError(
                    f"reranker {self.name!r} failed: {error}; if the model reads fewer than "
                    f"{self.max_tokens} tokens, say so with max_tokens",
                    "rerank",
                ) from error
        if scores.size != 1:
            raise StageError(
                f"reranker {self.name!r} gave {scores.size} scores for one pair; a cross-encoder "
                "for reranking has one output",
                "rerank",
            )
        score = float(scores.item())
        return _sigmoid(score) if self.sigmoid else score

    def _load(self) -> _Model:
        with native_call:
            tokenizer, session = open_onnx(self._files[0], self._files[-1])
        inputs = frozenset(each.name for each in session.get_inputs())
        shape = session.get_outputs()[0].shape
        one = len(shape) == 1 or (len(shape) == 2 and (shape[1] == 1 or isinstance(shape[1], str)))
        if "input_ids" not in inputs or inputs - _INPUTS or not one:
            raise ConfigurationError(
                f"{self._files[0]} takes {', '.join(sorted(inputs))} and gives shape {shape}, "
                f"expected a cross-encoder that takes {', '.join(sorted(_INPUTS))} and gives one "
                "score, of shape (batch, 1)"
            )
        return _Model(tokenizer, session, inputs)


def _sigmoid(score: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(score, -700.0)))  # past it exp would overflow


@dataclass(frozen=True, slots=True)
class _Model:
    """A loaded session and its tokenizer."""

    tokenizer: Any
    session: Any
    inputs: frozenset[str]

    def tokens(self, text: str) -> Any:
        """The text's tokens, without the model's own marks."""
        return self.tokenizer.encode(text, add_special_tokens=False)

    def scores(self, query: Any, passage: str, max_tokens: int) -> FloatVector:
        """The model's output for one pair."""
        read = self.tokens(passage)
        marks = self.tokenizer.num_special_tokens_to_add(True)
        read.truncate(max(0, max_tokens - marks - len(query)))
        pair = self.tokenizer.post_process(query, read)
        feeds = {
            "input_ids": pair.ids,
            "attention_mask": [1] * len(pair.ids),
            "token_type_ids": pair.type_ids,
        }
        given = {
            name: np.array([values], dtype=np.int64)
            for name, values in feeds.items()
            if name in self.inputs
        }
        output: FloatVector = self.session.run(None, given)[0]
        return output
