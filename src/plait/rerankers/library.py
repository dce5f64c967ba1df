"""RerankersAdapter: any model of the library ``rerankers``."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from typing import Any

from plait.errors import ConfigurationError, StageError
from plait.inference import OncePerProcess, require
from plait.printable import printable
from plait.rerankers.reranker import PassageText, TextReranker
from plait.types import Chunk

__all__ = ["RerankersAdapter"]


class RerankersAdapter(TextReranker):
    """Any model of the library ``rerankers``: ColBERT, T5, RankGPT, FlashRank, services.

    Models that give scores and models that give only an order both work. Passages of the same text
    are sent once and share a place and a score.

    Args:
        model: What ``rerankers.Reranker(...)`` returned, or the name to call it with; then it is
            called when the reranker is first used, once in each process.
        model_type: As in that library; for a name only.
        text: The passage of a chunk; None for ``Chunk.index_text``.
        name: What results and errors call it; None for the model's name.
        options: More arguments of ``rerankers.Reranker``, for a name only.

    Raises:
        ConfigurationError: No such model, or options for a loaded one; when first used, a
            model that cannot be loaded.
        MissingDependencyError: rerankers is not installed.
    """

    def __init__(
        self,
        model: Any,
        *,
        model_type: str | None = None,
        text: PassageText | None = None,
        name: str | None = None,
        **options: Any,
    ) -> None:
        loaded = not isinstance(model, str)
        if (loaded and not callable(getattr(model, "rank", None))) or model == "":
            raise ConfigurationError(
                f"model is {model!r:.80}, expected what rerankers.Reranker(...) returned, which "
                "is None when a package is missing, or the name of a model"
            )
        if loaded and (model_type is not None or options):
            given = ", ".join([*(["model_type"] if model_type else []), *options])
            raise ConfigurationError(f"{given}: for the name of a model, and this one is loaded")
        super().__init__(name or (type(model).__name__ if loaded else model), text=text)
        if not loaded:
            require("rerankers", extra="rerankers", purpose="the reranker RerankersAdapter")
        self.model = type(model).__name__ if loaded else model
        self.model_type = model_type
        self._options = options
        self._model: OncePerProcess[Any] = OncePerProcess(
            lambda: model if loaded else self._load(model)
        )

    def rerank(self, query: str, chunks: Sequence[Chunk]) -> list[tuple[int, float | None]]:
        """Positions and scores, best first.

        Raises:
            StageError: The model fails, or answers with something else than its passages.
        """
        # Some models find a result's passage again by its text, which then has to be one of a kind.
        positions: dict[str, list[int]] = {}
        for position, passage in enumerate(self.passages(chunks)):
            positions.setdefault(passage, []).append(position)
        alike = list(positions.values())
        try:
            answer = self._model.get().rank(
                query=query, docs=list(positions), doc_ids=list(range(len(alike)))
            )
            results = list(answer.results)
            if results and all(result.rank is not None for result in results):
                results.sort(key=lambda result: result.rank)
            placed = [(int(result.document.doc_id), _score(result.score)) for result in results]
        except ConfigurationError:
            raise
        except Exception as error:  # the library wraps nothing of what its models raise
            raise StageError(
                f"reranker {self.name!r} failed on {len(alike)} passages: "
                f"{type(error).__name__}: {error}",
                "rerank",
            ) from error
        if any(not 0 <= document < len(alike) for document, _ in placed):
            raise StageError(f"reranker {self.name!r} ranked a passage it was not given", "rerank")
        return [(position, score) for document, score in placed for position in alike[document]]

    def describe(self) -> Mapping[str, Any]:
        """Model and type; options may hold keys and are left out."""
        return {**super().describe(), "model": self.model, "model_type": self.model_type}

    def _load(self, model: str) -> Any:
        import rerankers

        # It prints what is wrong and returns None.
        said = io.StringIO()
        try:
            with redirect_stdout(said):
                loaded = rerankers.Reranker(
                    model, model_type=self.model_type, verbose=0, **self._options
                )
        except Exception as error:
            raise ConfigurationError(
                f"rerankers cannot load {model!r}: {type(error).__name__}: {error}"
            ) from error
        if loaded is None:
            raise ConfigurationError(
                f"rerankers cannot load {model!r}: {printable(said.getvalue())}"
            )
        return loaded


def _score(score: Any) -> Any:
    """Scalars of NumPy and torch as Python numbers."""
    return score.item() if hasattr(score, "item") else score
