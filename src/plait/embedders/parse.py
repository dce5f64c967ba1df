"""Embedders by their text form: ``"minilm"``, ``"static"``, ``"hash(dim=256)"``."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from plait.embedders.embedder import TextEmbedder
from plait.embedders.hashing import HashEmbedder
from plait.embedders.minilm import MiniLM
from plait.embedders.onnx import OnnxEmbedder
from plait.embedders.static import WordLlama
from plait.errors import ConfigurationError
from plait.spec import parse_spec

__all__ = ["parse_embedder"]

_EMBEDDERS: dict[str, Callable[..., TextEmbedder]] = {
    "minilm": MiniLM,
    "static": WordLlama,
    "hash": HashEmbedder,
    "onnx": OnnxEmbedder,
}
_HINT = (
    f"expected one of {', '.join(_EMBEDDERS)}; "
    "wrap your own model with CallableEmbedder(function, name=...)"
)


def parse_embedder(text: str) -> TextEmbedder:
    """The embedder that a text form names; ``embedder.spec`` gives it back.

    Args:
        text: ``minilm`` (small English model, the default), ``static`` (instant, less exact),
            ``hash(dim=256)`` (lexical, for tests), ``onnx(path="...")`` (one's own model), with
            parameters as the classes take them: ``minilm(query_prefix="query: ")``.

    Raises:
        ConfigurationError: Another form, an unknown name or a parameter it does not take.
        MissingDependencyError: The packages of that embedder are not installed; nothing stands in.

    Example:
        >>> parse_embedder("hash(dim=64)").spec
        'hash(dim=64)'
    """
    name, parameters = parse_spec(text, "embedder", hint=_HINT)
    make = _EMBEDDERS.get(name)
    if make is None:
        raise ConfigurationError(f"unknown embedder {name!r}, {_HINT}")
    takes = inspect.signature(make)
    try:
        takes.bind(**parameters)
    except TypeError as error:
        raise ConfigurationError(
            f"embedder {text!r}: {error}; {name} takes {', '.join(takes.parameters)}"
        ) from error
    return make(**parameters)
