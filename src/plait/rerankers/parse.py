"""Rerankers by their text form, and whatever else may stand for a reranker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plait.errors import ConfigurationError
from plait.rerankers.cross_encoder import CrossEncoder
from plait.rerankers.function import CallableReranker
from plait.rerankers.http import HttpReranker
from plait.rerankers.language_model import LanguageModelReranker
from plait.rerankers.library import RerankersAdapter
from plait.rerankers.onnx import OnnxCrossEncoder
from plait.rerankers.reranker import NoReranker, Reranker

__all__ = ["as_reranker", "parse_reranker"]

_KINDS: dict[str, Callable[[str], Reranker]] = {
    "cross-encoder": CrossEncoder,
    "onnx": OnnxCrossEncoder,
    "rerankers": RerankersAdapter,
    "cohere": HttpReranker.cohere,
    "jina": HttpReranker.jina,
    "tei": HttpReranker.tei,
    "llm": LanguageModelReranker,
}
_FORMS = (
    "expected none, cross-encoder:MODEL, onnx:PATH, rerankers:MODEL, cohere:MODEL, jina:MODEL, "
    "tei:URL or llm:MODEL, where that MODEL is one such as openai:gpt-4o-mini"
)


def as_reranker(source: Any) -> Reranker:
    """A reranker from whatever may stand for one.

    Args:
        source: A ``Reranker``, None for none, a text form for ``parse_reranker``, an object with a
            method ``arerank`` or ``rerank``, or a function ``(query, chunks)``, sync or async.

    Raises:
        ConfigurationError: None of these.

    Example:
        >>> as_reranker(None).name
        'none'
        >>> as_reranker("llm:ollama:llama3.2").name
        'llama3.2'
    """
    if isinstance(source, Reranker):
        return source
    if source is None:
        return NoReranker()
    if isinstance(source, str):
        return parse_reranker(source)
    if not isinstance(source, type):
        for method in ("arerank", "rerank"):
            function = getattr(source, method, None)
            if callable(function):
                return CallableReranker(function, name=_name(source))
        # Models of libraries can be called too, but not with (query, chunks).
        if callable(source) and not hasattr(source, "rank"):
            return CallableReranker(source)
    raise ConfigurationError(
        f"the reranker is {source!r:.80}, expected a Reranker, a function (query, chunks), or a "
        "text form such as 'cohere:rerank-v3.5'; for models of sentence-transformers and of the "
        "library rerankers there are CrossEncoder and RerankersAdapter"
    )


def parse_reranker(text: str) -> Reranker:
    """The reranker that a text form names, with its parameters as they are unless set.

    Args:
        text: ``none``, ``cross-encoder:MODEL``, ``onnx:PATH``, ``rerankers:MODEL``,
            ``cohere:MODEL``, ``jina:MODEL``, ``tei:URL``, or ``llm:MODEL`` with a MODEL as
            ``plait.models.parse_model`` reads it. Keys come from the environment.

    Raises:
        ConfigurationError: Another form, an unknown kind, or what that kind refuses.
        MissingDependencyError: The packages of that kind are not installed.

    Example:
        >>> parse_reranker("tei:http://localhost:8080").name
        'tei'
    """
    if not isinstance(text, str):
        raise ConfigurationError(f"a reranker's text form is {type(text).__name__}, {_FORMS}")
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind == "none" and not rest:
        return NoReranker()
    make = _KINDS.get(kind)
    if make is None or not rest:
        raise ConfigurationError(f"reranker {text!r:.80} is unknown, {_FORMS}")
    return make(rest)


def _name(source: Any) -> str:
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else type(source).__name__
