"""CrossEncoder: a model of sentence-transformers that reads query and passage together."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from plait.errors import ConfigurationError, StageError
from plait.inference import OncePerProcess, native_call, require
from plait.rerankers.reranker import PassageText, TextReranker
from plait.types import Chunk, FloatVector

__all__ = ["CrossEncoder"]

_ACTIVATIONS = ("sigmoid", "identity")


class CrossEncoder(TextReranker):
    """A cross-encoder of sentence-transformers: one score for query and passage read together.

    A model is loaded when it is first used, once in each process, and runs one call at a time: a
    call uses all cores, or the GPU, anyway.

    Args:
        model: Name or folder of a model with one output, such as
            ``"cross-encoder/ms-marco-MiniLM-L6-v2"``, or a loaded
            ``sentence_transformers.CrossEncoder``.
        batch_size: Pairs run at once, >= 1.
        max_length: Tokens read of a pair; None for what the model says. Not for a loaded model.
        activation: ``"sigmoid"`` for scores from 0 to 1, ``"identity"`` for the model's raw
            output, None for what the model says.
        device: Such as ``"cpu"`` or ``"cuda"``; None chooses. Not for a loaded model.
        text: The passage of a chunk; None for ``Chunk.index_text``.
        name: What results and errors call it; None for the model's name, of a folder the last two.

    Raises:
        ConfigurationError: A bad parameter; when first used, a model that cannot be loaded.
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(
        self,
        model: Any,
        *,
        batch_size: int = 32,
        max_length: int | None = None,
        activation: Literal["sigmoid", "identity"] | None = None,
        device: str | None = None,
        text: PassageText | None = None,
        name: str | None = None,
    ) -> None:
        loaded = not isinstance(model, str)
        if (loaded and not callable(getattr(model, "predict", None))) or model == "":
            raise ConfigurationError(
                f"model is {model!r:.80}, expected the name or folder of a model, or a loaded "
                "sentence_transformers.CrossEncoder"
            )
        for what, number in (("batch_size", batch_size), ("max_length", max_length)):
            if number is not None and (type(number) is not int or number < 1):
                raise ConfigurationError(f"{what} is {number!r}, expected an int >= 1")
        if activation is not None and activation not in _ACTIVATIONS:
            raise ConfigurationError(
                f"activation is {activation!r}, expected 'sigmoid', 'identity' or None"
            )
        if loaded and (max_length is not None or device is not None):
            raise ConfigurationError(
                "max_length and device belong to loading a model, and this one is loaded: "
                "set them on it"
            )
        require("sentence_transformers", extra="cross-encoder", purpose="the reranker CrossEncoder")
        # Of a folder its last names, which say as much as the hub's, and no place on a machine.
        called = type(model).__name__ if loaded else "/".join(Path(model).parts[-2:])
        super().__init__(name or called, text=text)
        self.model = called
        self.batch_size = batch_size
        self.max_length = max_length
        self.activation = activation
        self.device = device
        self._running: OncePerProcess[_Running] = OncePerProcess(
            lambda: _Running(model if loaded else self._load(model), activation)
        )

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> FloatVector:
        """The model's score of each chunk, float32 of shape (n,).

        Raises:
            StageError: The model fails, or gives several scores for a pair.
        """
        pairs = [(query, passage) for passage in self.passages(chunks)]
        with native_call:
            running = self._running.get()
            try:
                scores: FloatVector = running.predict(pairs, self.batch_size)
            except Exception as error:  # torch and models of one's own raise anything
                raise StageError(
                    f"reranker {self.name!r} failed on {len(pairs)} passages: "
                    f"{type(error).__name__}: {error}",
                    "rerank",
                ) from error
        if scores.shape != (len(pairs),):
            raise StageError(
                f"reranker {self.name!r} gave scores of shape {scores.shape} for {len(pairs)} "
                "pairs; a cross-encoder for reranking has one output",
                "rerank",
            )
        return scores

    def describe(self) -> Mapping[str, Any]:
        """Model, batch size, length and activation; None is what the model says."""
        return {
            **super().describe(),
            "model": self.model,
            "batch_size": self.batch_size,
            "max_length": self.max_length,
            "activation": self.activation,
        }

    def _load(self, model: str) -> Any:
        import sentence_transformers

        length = {} if self.max_length is None else {"max_length": self.max_length}
        try:
            return sentence_transformers.CrossEncoder(model, device=self.device, **length)
        except Exception as error:  # the hub, torch and transformers have no common base
            raise ConfigurationError(
                f"the cross-encoder {model!r} cannot be loaded: {error}"
            ) from error


class _Running:
    """A model of this process; its tokenizer allows one call at a time."""

    def __init__(self, model: Any, activation: str | None) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._options: dict[str, Any] = {}
        if activation is not None:
            from torch import nn

            chosen = nn.Sigmoid() if activation == "sigmoid" else nn.Identity()
            self._options["activation_fn"] = chosen

    def predict(self, pairs: Sequence[tuple[str, str]], batch_size: int) -> FloatVector:
        with self._lock:
            scores = self._model.predict(
                pairs, batch_size=batch_size, show_progress_bar=False, **self._options
            )
        return np.asarray(scores, dtype=np.float32)
