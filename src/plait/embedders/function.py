"""CallableEmbedder: any function from texts to vectors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from plait.embedders.embedder import TextEmbedder
from plait.embedding import EmbedderIdentity, as_numbers
from plait.errors import ConfigurationError, EmbeddingError, PlaitError

__all__ = ["CallableEmbedder"]


class CallableEmbedder(TextEmbedder):
    """Any function that takes a list of str and returns a vector for each.

    What it returns is checked: one vector for each text, all of one length, finite. What it
    raises becomes an ``EmbeddingError``, transient if its ``.transient`` is true. Have it give some
    fixed vector for text that it sees nothing in: zeros have no cosine, and are refused.

    Args:
        function: Takes a list of str, returns a sequence of vectors or an array of shape (n, dim).
        name: Says whose vectors they are, model and version: an index made under one name can only
            be searched under that name.
        dim: Length of the vectors; None finds out by embedding one word when it is first needed.
        normalize: Scale the vectors to length 1.
        query_prefix: Put before a query.
        passage_prefix: Put before a passage.
        batch_size: Texts per call, >= 1.

    Raises:
        ConfigurationError: Not callable, an async function, no name, or a bad parameter.

    Example:
        >>> def count_vowels(texts):
        ...     return [[1 + text.count(vowel) for vowel in "aeiou"] for text in texts]
        >>> embedder = CallableEmbedder(count_vowels, name="vowels-1", normalize=False)
        >>> embedder.embed_query("banana").tolist()
        [4.0, 1.0, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        function: Callable[[list[str]], Any],
        *,
        name: str,
        dim: int | None = None,
        normalize: bool = True,
        query_prefix: str = "",
        passage_prefix: str = "",
        batch_size: int = 64,
    ) -> None:
        if not callable(function):
            raise ConfigurationError(f"function is {function!r:.80}, expected a callable")
        if any(map(inspect.iscoroutinefunction, (function, type(function).__call__))):
            raise ConfigurationError(
                f"embedder {name!r} is an async function, expected a plain one; a retriever calls "
                "it in a thread of its own, so it may block"
            )
        if not isinstance(name, str) or not name:
            raise ConfigurationError(
                f"name is {name!r}, expected a str that says whose vectors they are"
            )
        if type(batch_size) is not int or batch_size < 1:
            raise ConfigurationError(f"batch_size is {batch_size!r}, expected an int >= 1")
        self.function = function
        self.batch_size = batch_size
        self._dim = dim
        # Built now with any dimension, so that a bad parameter is refused now.
        self._described = EmbedderIdentity(
            name,
            f"name:{name}",
            dim=1 if dim is None else dim,
            normalize=normalize,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
        )

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Which embedder this is; the first use embeds one word if ``dim`` was not given."""
        fields = self._described.to_dict()
        if self._dim is None:
            probe = as_numbers(self._vectors(["dimension"]), self._described.model)
            if probe.ndim != 2 or probe.shape[0] != 1 or probe.shape[1] < 1:
                raise EmbeddingError(
                    f"embedder {self._described.model!r} gave shape {probe.shape} for one text, "
                    "expected (1, dim): a list with one vector for each text"
                )
            fields["dim"] = int(probe.shape[1])
        return EmbedderIdentity.from_dict(fields)

    def _vectors(self, sent: Sequence[str]) -> Any:
        try:
            return self.function(list(sent))
        except PlaitError:
            raise
        except Exception as error:
            raise EmbeddingError(
                f"embedder {self._described.model!r} raised {error!r:.200}; "
                f"its function was called with a list of {len(sent)} texts and "
                "must return one vector for each",
                transient=bool(getattr(error, "transient", False)),
            ) from error

    def __repr__(self) -> str:
        return f"CallableEmbedder(name={self._described.model!r})"
